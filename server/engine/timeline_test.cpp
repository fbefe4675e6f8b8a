#include "server/engine/timeline.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using namespace std::chrono_literals;

scenarios::When during(const std::string& phase) {
  scenarios::When when;
  when.during_phase = phase;
  return when;
}

const std::vector<scenarios::Phase> kPhases = {{"up", 5s}, {"down", 2s}};

TEST(Timeline, NamesSpansOneBehindTheOther) {
  const Timeline timeline(kPhases, false);
  EXPECT_TRUE(timeline.holds(during("up"), 0s));
  EXPECT_FALSE(timeline.holds(during("down"), 5s - 1ns));
  EXPECT_TRUE(timeline.holds(during("down"), 5s));
  EXPECT_FALSE(timeline.holds(during("down"), 7s));
  EXPECT_FALSE(timeline.holds(during("up"), 8s));
}

TEST(Timeline, BeginsAgainWhereItRepeats) {
  const Timeline timeline(kPhases, true);
  for (int turn = 0; turn < 1000; ++turn) {
    const Duration start = turn * 7s;
    EXPECT_TRUE(timeline.holds(during("up"), start + 4s));
    EXPECT_FALSE(timeline.holds(during("down"), start + 5s - 1ns));
    EXPECT_TRUE(timeline.holds(during("down"), start + 5s));
    EXPECT_EQ(timeline.span_at(during("down"), start + 6s),
              (Timeline::Span{start + 5s, start + 7s}));
  }
}

TEST(Timeline, KnowsWhenASpanBeginsNext) {
  const Timeline once(kPhases, false);
  EXPECT_EQ(once.next_begin(during("down"), 1s), Duration(5s));
  EXPECT_EQ(once.next_begin(during("down"), 5s), std::nullopt);
  const Timeline often(kPhases, true);
  EXPECT_EQ(often.next_begin(during("down"), 5s), Duration(12s));
  EXPECT_EQ(often.next_begin(during("up"), 1s), Duration(7s));
  EXPECT_EQ(often.next_begin(during("gone"), 1s), std::nullopt);
}

TEST(Timeline, TakesASpanAsItIs) {
  scenarios::When when;
  when.during = {2s, 3s};
  const Timeline timeline({}, true);
  EXPECT_FALSE(timeline.holds(when, 1s));
  EXPECT_TRUE(timeline.holds(when, 2s));
  EXPECT_FALSE(timeline.holds(when, 3s));
  EXPECT_EQ(timeline.next_begin(when, 1s), Duration(2s));
  EXPECT_TRUE(timeline.holds({}, 100s));
}

}  // namespace
}  // namespace mishap::server
