#include "cli/pending_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace mishap::cli {
namespace {

std::string shown_by(PendingLines& lines) {
  testing::internal::CaptureStdout();
  lines.show();
  return testing::internal::GetCapturedStdout();
}

TEST(PendingLines, AreShownOnceInTheirOrder) {
  PendingLines lines;
  lines.add("a  ", "one");
  lines.add("", "two");
  EXPECT_EQ(shown_by(lines), "a  one\ntwo\n");
  EXPECT_EQ(shown_by(lines), "");
}

// Else the memory of a server whose terminal stands still would grow with every request.
TEST(PendingLines, AreShownByWhoPutsThemDownWhereNobodyLooks) {
  PendingLines lines;
  const std::string long_line(1024 * 1024, 'x');
  testing::internal::CaptureStdout();
  for (int i = 0; i < 20; ++i) lines.add("", long_line);
  EXPECT_GE(testing::internal::GetCapturedStdout().size(), 16 * long_line.size());
}

TEST(PendingLines, LoseNoneWhileTheyAreShown) {
  constexpr int kLines = 2000;
  PendingLines lines;
  testing::internal::CaptureStdout();
  std::thread other([&] {
    for (int i = 0; i < kLines; ++i) lines.add("", "x");
  });
  for (int i = 0; i < 50; ++i) lines.show();
  other.join();
  lines.show();
  EXPECT_EQ(testing::internal::GetCapturedStdout().size(), 2U * kLines);
}

}  // namespace
}  // namespace mishap::cli
