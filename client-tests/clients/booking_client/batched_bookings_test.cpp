// The batch against a transport that answers by script.
#include <gtest/gtest.h>

#include <unistd.h>

#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "client-tests/clients/booking_client/bookings.h"
#include "client-tests/clients/booking_client/wrong_clients.h"

namespace booking {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

json done(const std::string& reference) {
  return {{"status", 201}, {"item", {{"id", "bk-" + reference}, {"reference", reference}}}};
}

json failed(int status) {
  return {{"status", status}, {"error", {{"status", status}}}};
}

Answer answered(const std::vector<json>& results, int status = 207) {
  return {Ending::Answered, status, "application/json", {}, json{{"results", results}}.dump()};
}

class BatchScript : public Transport {
 public:
  std::deque<Answer> answers;
  std::vector<json> items;  // of each batch that was sent

  Answer exchange(const Request& request, milliseconds /*limit*/) override {
    if (request.method != "POST") return {Ending::Answered, 200, "application/json", {}, listed};
    EXPECT_EQ(request.target, "/v1/bookings/batch");
    items.push_back(json::parse(request.body).at("items"));
    if (answers.empty()) return {Ending::NotConnected, 0, "", {}, ""};
    Answer next = answers.front();
    answers.pop_front();
    return next;
  }
  void drop_connection() override {}

  std::string listed = R"({"items": [], "total": 0})";
};

class BatchedBookings : public testing::Test {
 protected:
  BatchedBookings() {
    settings_.base = settings_.min_delay = 1ms;
    settings_.max_delay = 2ms;
  }
  bool create() {
    const auto habits = make_habits(settings_);
    return Bookings(environment_, *habits, transport_).create_batch(3);
  }
  // References and keys of the n-th batch, from 1.
  std::vector<std::string> sent(std::size_t number, const char* member) const {
    std::vector<std::string> values;
    for (const json& item : transport_.items.at(number - 1)) values.push_back(item.at(member));
    return values;
  }

  Environment environment_;
  Settings settings_;
  BatchScript transport_;
};

TEST_F(BatchedBookings, GoOutInOneRequestEachUnderItsKey) {
  transport_.answers = {answered({done("r-1"), done("r-2"), done("r-3")})};
  EXPECT_TRUE(create());
  EXPECT_EQ(sent(1, "reference"), (std::vector<std::string>{"r-1", "r-2", "r-3"}));
  const auto keys = sent(1, "idempotency_key");
  EXPECT_NE(keys[0], keys[1]);
}

TEST_F(BatchedBookings, OnlyWhatFailedIsSentAgainUnderItsKey) {
  transport_.answers = {answered({done("r-1"), failed(503), done("r-3")}),
                        answered({done("r-2")}, 200)};
  EXPECT_TRUE(create());
  ASSERT_EQ(transport_.items.size(), 2U);
  EXPECT_EQ(sent(2, "reference"), std::vector<std::string>{"r-2"});
  EXPECT_EQ(sent(2, "idempotency_key")[0], sent(1, "idempotency_key")[1]);
}

TEST_F(BatchedBookings, WhatIsRefusedIsNotSentAgain) {
  transport_.answers = {answered({done("r-1"), failed(422), done("r-3")})};
  EXPECT_FALSE(create());
  EXPECT_EQ(transport_.items.size(), 1U);
}

TEST_F(BatchedBookings, ALostAnswerLeavesAllOfThemToBeSentAgain) {
  transport_.answers = {{Ending::Lost, 0, "", {}, ""},
                        answered({done("r-1"), done("r-2"), done("r-3")})};
  EXPECT_TRUE(create());
  EXPECT_EQ(sent(2, "idempotency_key"), sent(1, "idempotency_key"));
}

TEST_F(BatchedBookings, WhatAnEarlierStartHasDoneIsLookedUpAndKept) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("batched-bookings-test-" + std::to_string(getpid()));
  environment_.state = folder;
  const IntentStore store(folder);
  ASSERT_TRUE(store.save({.intent = {"r-1", "k-1", "{}"}, .outcome = Outcome::Pending, .id = ""}));
  transport_.listed = R"({"items": [{"id": "bk_1", "reference": "r-1"}], "total": 1})";
  transport_.answers = {answered({done("r-2"), done("r-3")})};
  EXPECT_TRUE(create());
  EXPECT_EQ(sent(1, "reference"), (std::vector<std::string>{"r-2", "r-3"}));
  EXPECT_EQ(store.load("r-1")->outcome, Outcome::Succeeded);
  std::filesystem::remove_all(folder);
}

TEST_F(BatchedBookings, AnAnswerWithoutAResultForEachProvesNothing) {
  transport_.answers = {answered({done("r-1"), done("r-2")}),
                        {Ending::Answered, 207, "application/json", {}, R"({"results": {}})"},
                        answered({done("r-1"), done("r-2"), done("r-3")})};
  EXPECT_TRUE(create());
  EXPECT_EQ(transport_.items.size(), 3U);
}

TEST_F(BatchedBookings, WrongOnesSendTheWholeBatchAgainUnderNewKeys) {
  settings_.wrong = "resends-whole-batch";
  transport_.answers = {answered({done("r-1"), failed(503), done("r-3")}),
                        answered({done("r-1"), done("r-2"), done("r-3")})};
  EXPECT_TRUE(create());
  EXPECT_EQ(sent(2, "reference"), sent(1, "reference"));
  EXPECT_NE(sent(2, "idempotency_key"), sent(1, "idempotency_key"));
}

}  // namespace
}  // namespace booking
