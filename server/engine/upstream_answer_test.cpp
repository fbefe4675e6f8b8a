#include "server/engine/upstream_answer.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

scenarios::Upstream upstream() {
  scenarios::Upstream made;
  made.tls = true;
  made.host = "sandbox.test";
  made.authority = "sandbox.test";
  made.port = 443;
  made.base_path = "/v2";
  return made;
}

std::string location_at_client(const std::string& location, const std::string* host) {
  UpstreamAnswer answer;
  answer.status = 302;
  answer.headers = {{"Location", location}};
  return answer_to_client(answer, upstream(), host, false).headers.at(0).value;
}

TEST(UpstreamAnswer, ALocationOfTheUpstreamLeadsBackToTheMock) {
  const std::string host = "127.0.0.1:4000";
  const std::pair<std::string, std::string> rows[] = {
      {"https://sandbox.test/v2/a?b#c", "http://127.0.0.1:4000/a?b#c"},
      {"HTTPS://Sandbox.Test:443/v2", "http://127.0.0.1:4000/"},
      {"/v2/a", "/a"},
      {"https://sandbox.test/v22/a", "https://sandbox.test/v22/a"},
      {"https://sandbox.test/other", "https://sandbox.test/other"},
      {"http://sandbox.test/v2/a", "http://sandbox.test/v2/a"},
      {"https://elsewhere.test/v2/a", "https://elsewhere.test/v2/a"},
      {"https://sandbox.test.evil.test/v2/a", "https://sandbox.test.evil.test/v2/a"},
      {"//sandbox.test/v2/a", "//sandbox.test/v2/a"},
      {"a", "a"},
  };
  for (const auto& [given, expected] : rows) EXPECT_EQ(location_at_client(given, &host), expected);
  EXPECT_EQ(location_at_client("https://sandbox.test/v2/a", nullptr), "/a");
}

UpstreamAnswer json(const std::string& body, std::vector<NameValue> headers = {}) {
  UpstreamAnswer answer;
  answer.status = 200;
  answer.headers = std::move(headers);
  answer.headers.push_back({"Content-Type", "application/json"});
  answer.body = body;
  return answer;
}

using Ids = std::vector<std::string>;

TEST(UpstreamAnswer, ReadsWhatItIsAbout) {
  EXPECT_EQ(read_words(json(R"({"id":"a"})"), "id").id, "a");
  EXPECT_EQ(read_words(json(R"({"id":7})"), "id").id, "7");
  EXPECT_EQ(read_words(json(R"({"charge_id":"c"})"), "charge_id").id, "c");
  EXPECT_EQ(read_words(json(R"({"id":{}})", {{"Location", "/v1/x/c%20d?e"}}), "id").id, "c d");
  EXPECT_EQ(read_words(json("[]"), "id").id, "");
  EXPECT_EQ(read_words(json(R"([{"id":"a"},{"id":"b"},3])"), "id").shown, (Ids{"a", "b"}));
  EXPECT_EQ(read_words(json(R"({"data":[{"id":"a"}],"total":1})"), "id").shown, (Ids{"a"}));
  EXPECT_EQ(read_words(json("{"), "id").shown, Ids{});
  EXPECT_TRUE(read_words(json("{}", {{"Idempotent-Replayed", "true"}}), "id").replayed);
  EXPECT_FALSE(read_words(json("{}"), "id").replayed);
}

TEST(UpstreamAnswer, SaysWhatAStatusLeavesInDoubt) {
  for (const StatusCode known : {200, 204, 301, 307, 308, 400, 404, 409, 429}) {
    EXPECT_FALSE(leaves_in_doubt(known)) << known;
  }
  for (const StatusCode open : {302, 303, 408, 500, 502, 503, 504}) {
    EXPECT_TRUE(leaves_in_doubt(open)) << open;
  }
}

}  // namespace
}  // namespace mishap::server
