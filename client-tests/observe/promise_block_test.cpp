#include <gtest/gtest.h>

#include "mishap/observed.h"

namespace mishap::client_tests {
namespace {

AttemptsSeen row(const std::string& failure, std::uint64_t most) {
  return {.failure = failure, .method = "POST", .calls = 1, .least = most, .most = most};
}

bool has_line(const std::string& block, const std::string& words) {
  return block.find("\n  " + words) != std::string::npos;
}

TEST(PromiseBlock, PromisesWhatWasSeen) {
  Observed seen;
  seen.attempts = {row("400", 1), row("503", 5)};
  seen.attempt_timeout = SpanSeen{20, 0.998, 1.002, 1.01};
  seen.deadline = DeadlineSeen{9.41, 12.42};
  seen.backoff = BackoffSeen{.longest = 1.98, .growth = GrowthSeen::Grows, .cap = 1.98};
  const std::string block = promise_block(seen);
  EXPECT_TRUE(block.starts_with("promise:\n"));
  EXPECT_TRUE(has_line(block, "retries: declared "));
  EXPECT_TRUE(has_line(block, "max_attempts: 5 "));
  EXPECT_TRUE(has_line(block, "attempt_timeout: 1s "));
  EXPECT_TRUE(has_line(block, "deadline: 13s "));
  EXPECT_TRUE(has_line(block, "max_delay: 2s "));
}

TEST(PromiseBlock, LeavesOpenWhatWasNotSeen) {
  Observed seen;
  seen.attempts = {row("503", 1)};
  seen.no_timeout_within = 30.4;
  seen.longest_operation = 0.2;
  const std::string block = promise_block(seen);
  EXPECT_TRUE(has_line(block, "retries: none "));
  EXPECT_TRUE(has_line(block, "# attempt_timeout: not seen, it still waited after 30.4 s"));
  EXPECT_TRUE(has_line(block, "# deadline: not seen, attempts ended first"));
  EXPECT_TRUE(has_line(block, "# max_delay: not seen"));
}

TEST(PromiseBlock, OfNothingIsAComment) {
  const std::string block = promise_block({});
  EXPECT_TRUE(block.starts_with("# promise:\n"));
  for (std::size_t at = 0; at < block.size(); at = block.find('\n', at) + 1) {
    const auto first = block.find_first_not_of(' ', at);
    EXPECT_EQ(block.at(first), '#') << block.substr(at);
  }
}

TEST(PromiseBlock, DoesNotCountAttemptsThatAreNotCertain) {
  Observed seen;
  seen.attempts = {row("503", 5)};
  seen.attempts.front().uncertain = true;
  EXPECT_TRUE(promise_block(seen).starts_with("# promise:\n"));
  seen.attempts.push_back(row("503", 4));
  seen.attempts.back().stopped = true;
  EXPECT_TRUE(has_line(promise_block(seen), "# max_attempts: not seen, it still tried after 4"));
  EXPECT_TRUE(has_line(promise_block(seen), "retries: declared"));
}

TEST(PromiseBlock, TakesTheLongestOfTimeoutsThatVary) {
  Observed seen;
  seen.attempt_timeout = SpanSeen{20, 0.5, 1.0, 2.48};
  EXPECT_TRUE(has_line(promise_block(seen), "attempt_timeout: 2500ms "));
}

}  // namespace
}  // namespace mishap::client_tests
