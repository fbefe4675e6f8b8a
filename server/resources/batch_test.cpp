#include "server/resources/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "server/resources/problem.h"

namespace mishap::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SentItems sent(const std::string& body, const scenarios::Batch& batch = {}) {
  return read_items(read_content("application/json", body), batch);
}

TEST(SentItems, AreBodiesOfTheirOwnWithTheirKeysTakenOut) {
  const SentItems read =
      sent(R"({"items":[{"b":1,"idempotency_key":"k1","a":2},{"a":3},{"idempotency_key":7},5]})");
  EXPECT_EQ(read.complaint, "");
  ASSERT_EQ(read.items.size(), 4U);
  EXPECT_EQ(read.items[0].key, "k1");
  EXPECT_EQ(read.items[0].content.meaning, fingerprint(R"(json:{"a":2,"b":1})"));
  EXPECT_EQ(to_text(*read.items[0].content.value), R"({"b":1,"a":2})");
  EXPECT_THAT(read.items[0].content.members, ElementsAre(NameValue{"b", "1"}, NameValue{"a", "2"}));
  EXPECT_EQ(read.items[1].key, "");
  EXPECT_EQ(read.items[2].key, "7");
  EXPECT_EQ(read.items[3].content.meaning, fingerprint("json:5"));
}

TEST(SentItems, HaveTheContentOfASingleBody) {
  const Content single = read_content("application/json", R"({ "a" : 1 })");
  EXPECT_EQ(sent(R"({"items":[{"a":1,"idempotency_key":"k"}]})").items[0].content.meaning,
            single.meaning);
}

TEST(SentItems, AreFoundUnderTheirOwnNames) {
  const scenarios::Batch batch{.path = "/b", .items = "rows", .key = "rid", .span = {}};
  const SentItems read = sent(R"({"rows":[{"rid":"x","idempotency_key":"y"}]})", batch);
  ASSERT_EQ(read.items.size(), 1U);
  EXPECT_EQ(read.items[0].key, "x");
  EXPECT_EQ(read.items[0].content.meaning, fingerprint(R"(json:{"idempotency_key":"y"})"));
}

TEST(SentItems, AreRefusedWhereThereAreNone) {
  std::string many = R"({"items":[0)";
  for (int i = 0; i < 1000; ++i) many += ",0";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "the body must be a JSON object with \"items\""},
      {"[1]", "the body must be a JSON object with \"items\""},
      {"{", "the body is not JSON"},
      {"{}", "items: a list of items is needed"},
      {R"({"items":{"a":1}})", "items: a list of items is needed"},
      {R"({"items":[]})", "items: there are none"},
      {many + "]}", "items: 1001 are more than 1000"}};
  for (const auto& [body, complaint] : cases) {
    EXPECT_EQ(sent(body).complaint, complaint) << body.substr(0, 40);
    EXPECT_THAT(sent(body).items, IsEmpty());
  }
}

TEST(BatchAnswer, TellsOfEachItemAtItsPlace) {
  const SendAnswer made{201, {{"Location", "/b/1"}}, R"({"id":"1"})", false};
  const SendAnswer no = problem_answer(422, problems::kInvalid, "reference: is required");
  const SendAnswer answer =
      batch_answer({{made, "", false}, {no, "", false}, {made, "", true}}, {});
  EXPECT_EQ(answer.status, 207);
  EXPECT_THAT(answer.headers, ElementsAre(NameValue{"Content-Type", "application/json"}));
  EXPECT_EQ(answer.body, R"({"results":[{"status":201,"item":{"id":"1"}},{"status":422,"error":)" +
                             no.body + R"(},{"status":201,"replayed":true,"item":{"id":"1"}}]})");
  EXPECT_THAT(statuses_told(answer, {}), ElementsAre(201, 422, 201));
}

TEST(BatchAnswer, SaysWhenToComeBackInTheHeadAsWell) {
  const SendAnswer no = problem_answer(503, problems::kBlank, "");
  const SendAnswer answer = batch_answer({{no, "2", false}}, {});
  EXPECT_THAT(answer.headers, testing::Contains(NameValue{"Retry-After", "2"}));
  EXPECT_THAT(answer.body, testing::HasSubstr(R"({"status":503,"retry_after":"2","error":{)"));
}

TEST(BatchAnswer, IsNoneWithoutResults) {
  EXPECT_THAT(statuses_told(problem_answer(401, problems::kUnauthorized, ""), {}), IsEmpty());
  EXPECT_THAT(statuses_told({200, {}, "[]", false}, {}), IsEmpty());
  EXPECT_THAT(statuses_told({200, {}, "", false}, {}), IsEmpty());
}

}  // namespace
}  // namespace mishap::server
