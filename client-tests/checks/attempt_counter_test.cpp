#include "client-tests/checks/attempt_counter.h"

#include <gtest/gtest.h>

namespace mishap::client_tests {

namespace {

std::optional<AttemptCounter> counter_in(const std::string& name, const std::string& value) {
  server::RequestFacts request;
  request.headers = {{"Host", "127.0.0.1", false}, {name, value, false}};
  return attempt_counter(request);
}

}  // namespace

TEST(AttemptCounter, ReadsWhatLibrariesSend) {
  EXPECT_EQ(counter_in("amz-sdk-request", "attempt=2; max=3")->count, 2U);
  EXPECT_EQ(counter_in("X-Stainless-Retry-Count", "0")->count, 0U);
  EXPECT_EQ(counter_in("grpc-previous-rpc-attempts", "4")->count, 4U);
  EXPECT_FALSE(counter_in("amz-sdk-request", "max=3"));
  EXPECT_FALSE(counter_in("x-stainless-retry-count", "many"));
  EXPECT_FALSE(counter_in("x-request-id", "7"));
}

TEST(AttemptCounter, BeginsAnewWhereItFallsBack) {
  const auto zero = *counter_in("x-stainless-retry-count", "0");
  const auto one = *counter_in("x-stainless-retry-count", "1");
  EXPECT_TRUE(begins_anew(one, zero));
  EXPECT_FALSE(begins_anew(zero, one));
  EXPECT_FALSE(begins_anew(zero, zero));  // a library that does not retry, in a loop that does
}

}  // namespace mishap::client_tests
