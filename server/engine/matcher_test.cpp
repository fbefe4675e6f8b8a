#include "server/engine/matcher.h"

#include <gtest/gtest.h>

#include "mishap/server.h"

namespace mishap::server {
namespace {

RequestView asked(const std::string& method, const std::string& target) {
  RequestView view;
  view.api = "booking";
  view.method = method;
  view.target = parse_target(target);
  return view;
}

struct PatternCase {
  std::string pattern;
  std::string target;
  bool matches;
};

class Pattern : public testing::TestWithParam<PatternCase> {};

TEST_P(Pattern, MatchesBySegment) {
  const PatternCase& c = GetParam();
  EXPECT_EQ(PathPattern(c.pattern).matches(parse_target(c.target)), c.matches)
      << c.pattern << " against " << c.target;
}

INSTANTIATE_TEST_SUITE_P(
    Table, Pattern,
    testing::Values(PatternCase{"*", "/a/b", true}, PatternCase{"*", "*", true},
                    PatternCase{"/v1/x", "/v1/x", true}, PatternCase{"/v1/x", "/v1/x/", false},
                    PatternCase{"/v1/x", "/v1//x", false}, PatternCase{"/v1/x", "/v1/x?a=b", true},
                    PatternCase{"/v1/x", "/v1/%78", true}, PatternCase{"/v1/x", "/V1/x", false},
                    PatternCase{"/v1/:id", "/v1/7", true},
                    PatternCase{"/v1/:id", "/v1/a%2Fb", true},
                    PatternCase{"/v1/:id", "/v1/", false}, PatternCase{"/v1/:id", "/v1/7/8", false},
                    PatternCase{"/v1/*", "/v1/7/8", true}, PatternCase{"/v1/*", "/v1/", true},
                    PatternCase{"/v1/*", "/v1", false}, PatternCase{"/v1/*", "/v2/7", false},
                    PatternCase{"/", "/", true}, PatternCase{"/", "*", false}));

TEST(Matcher, ComparesTheMethodExactly) {
  scenarios::Matcher matcher;
  matcher.method = "POST";
  EXPECT_TRUE(RequestMatcher(matcher).matches(asked("POST", "/x")));
  EXPECT_FALSE(RequestMatcher(matcher).matches(asked("post", "/x")));
}

TEST(Matcher, IgnoresTheCaseOfHeaderNamesOnly) {
  scenarios::Matcher matcher;
  matcher.headers = {{"X-Tenant", "a"}};
  RequestView view = asked("GET", "/x");
  EXPECT_FALSE(RequestMatcher(matcher).matches(view));
  view.headers = {{"x-tenant", "b"}, {"x-TENANT", "a"}};
  EXPECT_TRUE(RequestMatcher(matcher).matches(view));
  view.headers = {{"x-tenant", "A"}};
  EXPECT_FALSE(RequestMatcher(matcher).matches(view));
}

TEST(Matcher, ComparesDecodedQueryAndTopLevelMembersAsText) {
  scenarios::Matcher matcher;
  matcher.query = {{"q", "a b"}};
  matcher.body = {{"n", "12"}, {"ok", "true"}};
  RequestView view = asked("POST", "/x?q=a+b");
  EXPECT_FALSE(RequestMatcher(matcher).matches(view)) << "the body is not read yet";
  view.body = read_content("application/json", R"({"n":12,"ok":true,"deep":{"n":1}})");
  EXPECT_TRUE(RequestMatcher(matcher).matches(view));
  view.body = read_content("application/json", R"({"n":13,"ok":true})");
  EXPECT_FALSE(RequestMatcher(matcher).matches(view));
}

TEST(Matcher, TellsSafeFromUnsafe) {
  scenarios::Matcher matcher;
  matcher.call_class = scenarios::CallClass::Unsafe;
  RequestView view = asked("POST", "/search");
  EXPECT_TRUE(RequestMatcher(matcher).matches(view));
  view.safe = true;
  EXPECT_FALSE(RequestMatcher(matcher).matches(view));
  EXPECT_FALSE(RequestMatcher(matcher).matches_connection("booking"));
}

TEST(Matcher, KnowsOnlyTheApiOfAConnection) {
  scenarios::Matcher matcher;
  EXPECT_TRUE(RequestMatcher(matcher).matches_connection("booking"));
  matcher.api = "pay";
  EXPECT_FALSE(RequestMatcher(matcher).matches_connection("booking"));
}

TEST(Matcher, IsHeldAgainstTheJournalWithoutItsBody) {
  scenarios::Matcher matcher;
  matcher.method = "POST";
  matcher.path = "/v1/:id";
  matcher.query = {{"q", "a b"}};
  matcher.body = {{"n", "12"}};
  Exchange exchange;
  exchange.request.method = "POST";
  exchange.request.target = "/v1/7?q=a+b";
  EXPECT_TRUE(matches(matcher, exchange));
  exchange.request.target = "/v1/7?q=c";
  EXPECT_FALSE(matches(matcher, exchange));
  exchange.request.target = "/v1/7?q=a+b";
  exchange.request.method = "PUT";
  EXPECT_FALSE(matches(matcher, exchange));
}

}  // namespace
}  // namespace mishap::server
