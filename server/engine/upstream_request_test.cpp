#include "server/engine/upstream_request.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

scenarios::Upstream upstream(const std::string& base_path = "") {
  scenarios::Upstream made;
  made.host = "sandbox.test";
  made.authority = "sandbox.test:8443";
  made.port = 8443;
  made.tls = true;
  made.base_path = base_path;
  return made;
}

UpstreamRequest asked(std::vector<NameValue> headers, const std::string& body = "",
                      bool plain = false, const std::string& target = "/x") {
  RequestView view;
  view.api = "pay";
  view.method = "POST";
  view.headers = std::move(headers);
  return upstream_request(upstream(), view, target, body, plain);
}

TEST(UpstreamRequest, LeavesOutWhatBelongsToTheClientsConnection) {
  const UpstreamRequest request = asked({{"Host", "mock"},
                                         {"Connection", "keep-alive, X-Mine"},
                                         {"Keep-Alive", "timeout=5"},
                                         {"X-Mine", "1"},
                                         {"Proxy-Authorization", "Basic x"},
                                         {"Upgrade", "h2c"},
                                         {"TE", "trailers"},
                                         {"Expect", "100-continue"},
                                         {"Authorization", "Bearer t"}});
  EXPECT_EQ(request.headers, (std::vector<NameValue>{{"Host", "sandbox.test:8443"},
                                                     {"Authorization", "Bearer t"},
                                                     {"Connection", "close"}}));
}

TEST(UpstreamRequest, NobodyTakesAwayTheHostOrTheLength) {
  const UpstreamRequest request = asked(
      {{"Connection", "Host, Content-Length"}, {"Content-Length", "2"}, {"host", "mock"}}, "ab");
  EXPECT_EQ(request.headers,
            (std::vector<NameValue>{
                {"Content-Length", "2"}, {"host", "sandbox.test:8443"}, {"Connection", "close"}}));
}

TEST(UpstreamRequest, ALengthStandsWhereTheChunksWereAnnounced) {
  EXPECT_EQ(asked({{"Transfer-Encoding", "chunked"}, {"A", "1"}}, "abc").headers,
            (std::vector<NameValue>{{"Host", "sandbox.test:8443"},
                                    {"Content-Length", "3"},
                                    {"A", "1"},
                                    {"Connection", "close"}}));
}

TEST(UpstreamRequest, AsksForPlainContentWhereAFaultWorksOnIt) {
  EXPECT_EQ(asked({{"accept-encoding", "gzip"}, {"Accept-Encoding", "br"}}, "", true).headers,
            (std::vector<NameValue>{{"Host", "sandbox.test:8443"},
                                    {"accept-encoding", "identity"},
                                    {"Connection", "close"}}));
  EXPECT_EQ(asked({}, "", true).headers.at(1), (NameValue{"Accept-Encoding", "identity"}));
}

TEST(UpstreamRequest, TheTargetIsAlwaysAPathOfTheOrigin) {
  const std::pair<std::string, std::string> rows[] = {
      {"/a%2Fb?c=d", "/v2/a%2Fb?c=d"},
      {"http://elsewhere.test/a?b", "/v2/a?b"},
      {"http://elsewhere.test", "/v2/"},
      {"http://elsewhere.test?b", "/v2/?b"},
      {"//elsewhere.test/a", "/v2//elsewhere.test/a"},
  };
  for (const auto& [target, sent] : rows) {
    RequestView view;
    EXPECT_EQ(upstream_request(upstream("/v2"), view, target, "", false).target, sent);
  }
}

TEST(UpstreamRequest, NoPathLeadsOutOfTheBase) {
  const auto target_of = [](const std::string& base, const std::string& sent) {
    return upstream_request(upstream(base), RequestView{}, sent, "", false).target;
  };
  EXPECT_EQ(target_of("/base", "/../../secret?q=/../x"), "/base/secret?q=/../x");
  EXPECT_EQ(target_of("/base", "/a/%2e%2E/b/"), "/base/b/");
  EXPECT_EQ(target_of("/base", "/.."), "/base/");
  EXPECT_EQ(target_of("/base", "/a//b/./c%2F.."), "/base/a//b/./c%2F..");
  EXPECT_EQ(target_of("", "/a/../b"), "/a/../b");
}

}  // namespace
}  // namespace mishap::server
