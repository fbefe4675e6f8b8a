#include "client-tests/run/sample_lines.h"

#include <gtest/gtest.h>

namespace mishap::client_tests {
namespace {

using std::chrono::nanoseconds;

TEST(SampleLines, AreReadAsTheyWereWritten) {
  std::vector<ProcessFacts> processes(3);
  processes[0].series = {{nanoseconds(1), nanoseconds(0), 5, 6, 7, 8},
                         {nanoseconds(2), nanoseconds(0), 5, 6, 7, 0}};
  processes[2].series = {{nanoseconds(3), nanoseconds(4), 1ULL << 50, 0, 1, 2}};
  const std::string lines = to_sample_lines(processes);
  EXPECT_EQ(lines, "[0,1,0,5,6,7,8]\n[0,2,0,5,6,7,0]\n[2,3,4,1125899906842624,0,1,2]\n");
  std::vector<ProcessFacts> read(3);
  ASSERT_TRUE(read_sample_lines(lines, read));
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i].series, processes[i].series);
}

TEST(SampleLines, NameTheLineThatIsWrong) {
  const char* bad[] = {"",
                       "[0,1,0,5,6,7]",
                       "[0,1,0,5,6,7,8,9]",
                       "[0,1,0,5,6,7,8",
                       "[0,1,0,5,6,7,-8]",
                       "[0, 1,0,5,6,7,8]",
                       "[0,1,0,5,6,7,99999999999999999999]",
                       "[1,9,0,5,6,7,8]",
                       "[0,8,9,5,6,7,8]",
                       "[0,9,0,5,6,7,8]",
                       "{}"};
  for (const char* line : bad) {
    std::vector<ProcessFacts> processes(1);
    const auto read = read_sample_lines("[0,9,1,5,6,7,8]\n" + std::string(line) + "\n", processes);
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().line, 2) << line;
  }
}

TEST(SampleLines, AreBounded) {
  std::string lines;
  for (std::size_t i = 0; i < ProcessFacts::kMostSamples; ++i) lines += "[0,9,1,5,6,7,8]\n";
  std::vector<ProcessFacts> processes(1);
  ASSERT_TRUE(read_sample_lines(lines, processes));
  processes[0].series.clear();
  EXPECT_FALSE(read_sample_lines(lines + "[0,9,1,5,6,7,8]\n", processes));
}

}  // namespace
}  // namespace mishap::client_tests
