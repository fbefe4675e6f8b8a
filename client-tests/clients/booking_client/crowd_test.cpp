#include "client-tests/clients/booking_client/crowd.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace booking {
namespace {

using namespace std::chrono_literals;

TEST(JobsOf, MixesThemEvenlyAtTheirRate) {
  const std::chrono::steady_clock::time_point begin{1h};
  const auto jobs = jobs_of({.creates = 4, .reads = 8, .extra_reads = {}}, 40, begin);
  ASSERT_EQ(jobs.size(), 12U);
  EXPECT_EQ(jobs.front().due, begin);
  EXPECT_EQ(jobs.back().due, begin + 11 * 25ms);
  EXPECT_EQ(std::ranges::count(jobs, CallKind::Create, &Job::kind), 4);
  for (std::size_t i = 2; i < jobs.size(); i += 3) {
    EXPECT_EQ(jobs[i].kind, CallKind::Create) << i;
    EXPECT_EQ(jobs[i].number, static_cast<int>(i / 3) + 1);
  }
  EXPECT_EQ(jobs.back().number, 4);
  EXPECT_EQ(jobs[10].number, 8) << "of the reads";
}

TEST(JobsOf, OneKindAloneAndNone) {
  const std::chrono::steady_clock::time_point begin{1h};
  const auto reads = jobs_of({.creates = 0, .reads = 2, .extra_reads = {}}, 1, begin);
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads.back().kind, CallKind::Read);
  EXPECT_EQ(reads.back().due, begin + 1s);
  EXPECT_TRUE(jobs_of({}, 1, begin).empty());
}

}  // namespace
}  // namespace booking
