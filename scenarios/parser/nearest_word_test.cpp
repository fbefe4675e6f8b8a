#include "mishap/nearest_word.h"

#include <gtest/gtest.h>

namespace mishap {
namespace {

const std::vector<std::string> kFaults{"latency", "stall", "response_lost", "reset", "close"};

TEST(NearestWord, FindsSlipsOfThePen) {
  EXPECT_EQ(nearest_word("respons_lost", kFaults), "response_lost");
  EXPECT_EQ(nearest_word("latnecy", kFaults), "latency");
  EXPECT_EQ(nearest_word("Latency", kFaults), "latency");
  EXPECT_EQ(nearest_word("response-lost", kFaults), "response_lost");
  EXPECT_EQ(nearest_word("resett", kFaults), "reset");
}

TEST(NearestWord, DoesNotGuessFromAfar) {
  EXPECT_EQ(nearest_word("bandwidth", kFaults), std::nullopt);
  EXPECT_EQ(nearest_word("", kFaults), std::nullopt);
  EXPECT_EQ(nearest_word("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(5000, 'a'), kFaults), std::nullopt);
}

TEST(NearestWord, TakesTheFirstOfEquallyNearOnes) {
  EXPECT_EQ(nearest_word("cat", {"hat", "bat"}), "hat");
}

TEST(UnknownWord, NamesTheNearestElseTheChoice) {
  EXPECT_EQ(unknown_word("fault", "stal", kFaults),
            "unknown fault \"stal\"; did you mean \"stall\"?");
  EXPECT_EQ(unknown_word("unit", "parsec", {"s", "ms"}), "unknown unit \"parsec\"; known: s, ms");
  EXPECT_EQ(unknown_word("unit", "parsec", {}), "unknown unit \"parsec\"");
  EXPECT_EQ(unknown_word("unit", "parsec", std::vector<std::string>(13, "zzzzzzzzzzzzz")),
            "unknown unit \"parsec\"");
}

TEST(UnknownWord, LetsNothingThroughThatMovesATerminalsCursor) {
  EXPECT_EQ(unknown_word("x", "a\x1b[2J\n", {}), "unknown x \"a\\x1b[2J\\x0a\"");
}

}  // namespace
}  // namespace mishap
