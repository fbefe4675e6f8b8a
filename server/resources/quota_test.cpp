#include <gtest/gtest.h>

#include "server/resources/model.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<Model> quota(std::int64_t limit, Duration window, Duration penalty = {},
                             const std::string& per = "token") {
  Params params;
  params.set("limit", limit);
  params.set("window", window);
  params.set("penalty", penalty);
  params.set("per", per);
  return make_model("quota", params, 0);
}

// How long it has to wait; nothing: it was let in.
std::optional<Duration> asked(Model& model, Duration now, std::string_view token = "a",
                              std::string_view route = "POST /x", int lane = 0) {
  const Ruling ruling = model.on_request({1, lane, token, route, now});
  EXPECT_EQ(ruling.applies, ruling.refused);
  return ruling.refused ? std::optional<Duration>(ruling.wait) : std::nullopt;
}

TEST(Quota, LetsSoManyInAndThenNoneUntilTheWindowIsOver) {
  const auto model = quota(2, 10s);
  EXPECT_EQ(asked(*model, 1s), std::nullopt);
  EXPECT_EQ(asked(*model, 4s), std::nullopt);
  EXPECT_EQ(asked(*model, 5s), Duration(6s));
  EXPECT_EQ(asked(*model, 11s - 1ns), Duration(1ns)) << "no penalty was asked for";
  EXPECT_EQ(asked(*model, 11s), std::nullopt);
  EXPECT_EQ(asked(*model, 11s), std::nullopt);
  EXPECT_EQ(asked(*model, 11s), Duration(10s));
}

TEST(Quota, MakesTheWaitLongerForEachThatDoesNotWait) {
  const auto model = quota(1, 2s, 3s);
  EXPECT_EQ(asked(*model, 0s), std::nullopt);
  EXPECT_EQ(asked(*model, 1s), Duration(1s)) << "the first could not know";
  EXPECT_EQ(asked(*model, 1s), Duration(4s));
  EXPECT_EQ(asked(*model, 2s), Duration(6s));
  EXPECT_EQ(asked(*model, 8s), std::nullopt) << "who waits is let in, and starts anew";
  EXPECT_EQ(asked(*model, 8s), Duration(2s));
}

TEST(Quota, CountsApartByWhatItIsPer) {
  const auto per_token = quota(1, 9s, {}, "token");
  EXPECT_EQ(asked(*per_token, 0s, "a"), std::nullopt);
  EXPECT_EQ(asked(*per_token, 0s, "b"), std::nullopt);
  EXPECT_EQ(asked(*per_token, 0s, "a", "GET /y", 1), Duration(9s));
  const auto per_route = quota(1, 9s, {}, "route");
  EXPECT_EQ(asked(*per_route, 0s, "a", "POST /x"), std::nullopt);
  EXPECT_EQ(asked(*per_route, 0s, "a", "POST /y"), std::nullopt);
  EXPECT_EQ(asked(*per_route, 0s, "b", "POST /x", 1), Duration(9s));
  const auto per_copy = quota(1, 9s, {}, "copy");
  EXPECT_EQ(asked(*per_copy, 0s, "a", "POST /x", 0), std::nullopt);
  EXPECT_EQ(asked(*per_copy, 0s, "a", "POST /x", 1), std::nullopt);
  EXPECT_EQ(asked(*per_copy, 0s, "b", "POST /y", 1), Duration(9s));
  const auto in_all = quota(1, 9s, {}, "all");
  EXPECT_EQ(asked(*in_all, 0s, "a", "POST /x", 0), std::nullopt);
  EXPECT_EQ(asked(*in_all, 0s, "b", "POST /y", 1), Duration(9s));
}

TEST(Quota, LeavesWhatItCountedForTheProof) {
  const auto model = quota(1, 2s);
  model->on_request({1, 0, "a", "r", 0s});
  const Ruling second = model->on_request({2, 0, "a", "r", 500ms});
  ASSERT_EQ(second.readings.size(), 2U);
  EXPECT_EQ(second.readings[0].of, "count");
  EXPECT_EQ(second.readings[0].value, 2);
  EXPECT_EQ(second.readings[1].of, "wait");
  EXPECT_EQ(second.readings[1].value, 1.5);
  EXPECT_TRUE(model->on_end(2).empty());
}

TEST(Model, IsNoneForAWordNobodyKnows) {
  EXPECT_EQ(make_model("", {}, 1), nullptr);
  EXPECT_EQ(make_model("quotas", {}, 1), nullptr);
}

}  // namespace
}  // namespace mishap::server
