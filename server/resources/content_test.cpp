#include "server/resources/content.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace mishap::server {
namespace {

using Kind = Content::Kind;

struct KindCase {
  std::string type;
  std::string body;
  Kind kind;
};

class ContentKind : public testing::TestWithParam<KindCase> {};

TEST_P(ContentKind, IsToldFromTypeAndBytes) {
  EXPECT_EQ(read_content(GetParam().type, GetParam().body).kind, GetParam().kind);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ContentKind,
    testing::Values(KindCase{"application/json", "", Kind::None},
                    KindCase{"application/json", "{}", Kind::Json},
                    KindCase{"Application/JSON; charset=utf-8", "[1]", Kind::Json},
                    KindCase{"application/merge-patch+json", "{}", Kind::Json},
                    KindCase{"application/json", "{", Kind::BadJson},
                    KindCase{"application/json", "{\"a\":\"\xff\"}", Kind::BadJson},
                    KindCase{"", "{\"a\":1}", Kind::Json}, KindCase{"", "hello", Kind::Other},
                    KindCase{"application/x-www-form-urlencoded", "a=1", Kind::Form},
                    KindCase{"application/x-www-form-urlencoded", "{\"a\":1}", Kind::Json},
                    KindCase{"application/x-www-form-urlencoded", "{a", Kind::Form},
                    KindCase{"multipart/form-data; boundary=x", "--x", Kind::Multipart},
                    KindCase{"text/plain", "{}", Kind::Other}));

struct CanonicalCase {
  std::string type;
  std::string one;
  std::string other;
  bool equal;
};

class Canonical : public testing::TestWithParam<CanonicalCase> {};

TEST_P(Canonical, IsEqualExactlyWhereTheMeaningIs) {
  const CanonicalCase& c = GetParam();
  const bool equal = read_content(c.type, c.one).meaning == read_content(c.type, c.other).meaning;
  EXPECT_EQ(equal, c.equal) << c.one << " and " << c.other;
}

constexpr const char* kJson = "application/json";
constexpr const char* kForm = "application/x-www-form-urlencoded";
INSTANTIATE_TEST_SUITE_P(Table, Canonical,
                         testing::Values(CanonicalCase{kJson, R"({"a":1,"b":{"c":2,"d":3}})",
                                                       R"({ "b": {"d":3, "c":2}, "a": 1 })", true},
                                         CanonicalCase{kJson, R"({"a":[1,2]})", R"({"a":[2,1]})",
                                                       false},
                                         CanonicalCase{kJson, R"({"a":1})", R"({"a":"1"})", false},
                                         CanonicalCase{kForm, "a=1&b=2", "b=2&a=1", true},
                                         CanonicalCase{kForm, "a=1&a=2", "a=2&a=1", false},
                                         CanonicalCase{kForm, "a=1%26b=2", "a=1&b=2", false},
                                         CanonicalCase{"text/plain", "a b", "a  b", false}));

TEST(CanonicalMultipart, ForgetsTheBoundary) {
  const auto meaning_of = [](const std::string& boundary, const std::string& value) {
    const std::string body = "--" + boundary +
                             "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + value +
                             "\r\n--" + boundary + "--\r\n";
    return read_content("multipart/form-data; boundary=\"" + boundary + "\"", body).meaning;
  };
  EXPECT_EQ(meaning_of("abc123", "1"), meaning_of("zz", "1"));
  EXPECT_NE(meaning_of("abc123", "1"), meaning_of("abc123", "2"));
}

TEST(Content, GivesTopLevelScalarsAsText) {
  const Content content =
      read_content(kJson, R"({"t":"x","n":12,"f":1.5,"b":true,"z":null,"o":{"n":1},"l":[1]})");
  const std::vector<NameValue> expected = {
      {"t", "x"}, {"n", "12"}, {"f", "1.5"}, {"b", "true"}, {"z", "null"}};
  EXPECT_EQ(content.members, expected);
  ASSERT_NE(content.member("n"), nullptr);
  EXPECT_EQ(*content.member("n"), "12");
  EXPECT_EQ(content.member("o"), nullptr);
}

TEST(Content, ReadsDeepNestingUpToItsBoundOnly) {
  EXPECT_EQ(read_content(kJson, std::string(200, '[') + std::string(200, ']')).kind, Kind::Json);
  EXPECT_EQ(read_content(kJson, std::string(201, '[') + std::string(201, ']')).kind, Kind::BadJson);
  EXPECT_EQ(read_content(kJson, "\"" + std::string(300, '[') + "\"").kind, Kind::Json);
}

TEST(PercentDecoding, LeavesBrokenEscapesAlone) {
  EXPECT_EQ(percent_decoded("%41%4%zz%", false), "A%4%zz%");
  EXPECT_EQ(percent_decoded("a+b", false), "a+b");
  EXPECT_EQ(percent_decoded("a+b%2b", true), "a b+");
}

}  // namespace
}  // namespace mishap::server
