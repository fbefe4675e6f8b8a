#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/model_fault_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const Written kTen = {{"limit", "10"}, {"window", "1500ms"}};

TEST(Quota, TurnsAwayWithTheWaitRoundedUpToSeconds) {
  EXPECT_EQ(ruled(quota_fault(), Point::BeforeEffect, kTen, wait_of(1001ms, true)),
            "answer 429 [Content-Type: application/problem+json] [Retry-After: 2] "
            "[RateLimit-Policy: \"quota\";q=10;w=2] [RateLimit: \"quota\";r=0;t=2] "
            "\"{\"type\":\"about:blank\",\"title\":\"Too Many Requests\",\"status\":429}\" | "
            "finish");
  EXPECT_THAT(ruled(quota_fault(), Point::RequestHead, kTen, wait_of(1s, true)),
              testing::AllOf(HasSubstr("[Retry-After: 1]"), testing::EndsWith("drain | finish")));
  EXPECT_EQ(ruled(quota_fault(), Point::BeforeEffect, kTen, wait_of({}, false)), "apply");
}

TEST(Quota, IsProvenByTheCountAndTheAnswer) {
  const auto said = [](const Exchange& exchange) {
    return proof(quota_fault(), Point::BeforeEffect, exchange, kTen);
  };
  const auto counted = [](double count, const Exchange& exchange) {
    return met(quota_fault(), Point::BeforeEffect, {{"count", count}}, exchange);
  };
  EXPECT_EQ(said(counted(11, refused_with(429))), "delivered");
  EXPECT_EQ(said(counted(10, refused_with(429))), "it was within the limit");
  EXPECT_EQ(said(counted(11, refused_with(503))), "the answer was a 503");
  EXPECT_EQ(said(counted(11, answered())), "it took effect");
  EXPECT_EQ(said(refused_with(429)), "what was counted is not recorded");
}

TEST(Quota, WantsAWindow) {
  EXPECT_THAT(complaints(quota_fault(), Point::BeforeEffect, {{"limit", "1"}, {"window", "0s"}}),
              HasSubstr("a window has a length"));
  EXPECT_THAT(complaints(quota_fault(), Point::BeforeEffect, {}), HasSubstr("limit"));
}

}  // namespace
}  // namespace mishap::server
