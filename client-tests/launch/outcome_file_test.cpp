#include "client-tests/launch/outcome_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>

#include "client-tests/launch/launch_test_support.h"

namespace mishap::client_tests {
namespace {

using std::chrono::milliseconds;

class OutcomeFileTest : public testing::Test {
 protected:
  // The client writes just behind a look at the clock.
  Duration now() {
    const Duration stamp = now_ += milliseconds(2);
    if (!is_written_) {
      is_written_ = true;
      std::ofstream(path_, std::ios::app) << "{\"operation\":\"b\",\"outcome\":\"succeeded\"}\n";
      written_ = stamp + milliseconds(1);
    }
    return stamp;
  }

  Scratch scratch_;
  std::string path_ = scratch_.file("outcomes");
  bool is_written_ = false;
  Duration now_{};
  Duration written_{};
  OutcomeFile file_{path_, OutcomeLines(0, {}), [this] { return now(); }};
};

TEST_F(OutcomeFileTest, StampsALineBehindTheReadThatFoundIt) {
  ASSERT_TRUE(file_.create());
  std::ofstream(path_, std::ios::app) << "{\"operation\":\"a\",\"outcome\":\"pending\"}\n";
  file_.read_new();
  const auto& outcomes = file_.lines().outcomes;
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[1].operation, "b");
  EXPECT_GT(outcomes[1].at, written_);
}

TEST_F(OutcomeFileTest, SaysThatSomethingElseStandsInItsPlace) {
  ASSERT_TRUE(file_.create());
  ASSERT_EQ(std::remove(path_.c_str()), 0);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  file_.read_new();
  file_.read_new();
  ASSERT_EQ(file_.lines().notes.size(), 1U);
  EXPECT_NE(file_.lines().notes[0].find("no plain file"), std::string::npos);
}

}  // namespace
}  // namespace mishap::client_tests
