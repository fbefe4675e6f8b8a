#include <gtest/gtest.h>

#include "server/resources/model.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<Model> capacity(std::int64_t free, std::optional<Duration> each,
                                std::optional<std::int64_t> limit = std::nullopt) {
  Params params;
  params.set("free", free);
  if (each) params.set("each", *each);
  if (limit) params.set("limit", *limit);
  return make_model("capacity", params, 0);
}

Ruling begun(Model& model, std::uint64_t exchange) {
  return model.on_request({exchange, 0, "", "", 0s});
}

TEST(Capacity, IsSlowerByEachInFlightAboveTheFreeOnes) {
  const auto model = capacity(2, 100ms);
  EXPECT_FALSE(begun(*model, 1).applies);
  EXPECT_FALSE(begun(*model, 2).applies);
  EXPECT_EQ(begun(*model, 3).wait, Duration(100ms));
  EXPECT_EQ(begun(*model, 4).wait, Duration(200ms));
  model->on_end(1);
  model->on_end(3);
  EXPECT_EQ(begun(*model, 5).wait, Duration(100ms));
}

TEST(Capacity, TurnsAwayAboveItsLimitAndDoesNotCountThose) {
  const auto model = capacity(1, std::nullopt, 2);
  EXPECT_FALSE(begun(*model, 1).applies);
  EXPECT_FALSE(begun(*model, 2).applies) << "nothing makes it slower";
  EXPECT_TRUE(begun(*model, 3).refused);
  EXPECT_TRUE(begun(*model, 4).refused);
  model->on_end(3);
  model->on_end(4);
  EXPECT_TRUE(begun(*model, 5).refused) << "those turned away freed nothing";
  model->on_end(2);
  EXPECT_FALSE(begun(*model, 6).refused);
}

TEST(Capacity, ForgetsNoExchangeTwice) {
  const auto model = capacity(1, std::nullopt, 1);
  begun(*model, 1);
  model->on_end(1);
  model->on_end(1);
  begun(*model, 2);
  EXPECT_TRUE(begun(*model, 3).refused);
}

}  // namespace
}  // namespace mishap::server
