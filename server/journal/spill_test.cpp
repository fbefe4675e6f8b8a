#include "server/journal/spill.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace mishap::server {
namespace {

std::string all_of(Spill& spill) {
  std::string all;
  EXPECT_TRUE(spill.read(spill.flush(), [&](std::string_view lines) {
    EXPECT_EQ(lines.back(), '\n');
    all += lines;
  }));
  return all;
}

TEST(Spill, GivesBackWhatItWasGiven) {
  Spill spill;
  EXPECT_EQ(all_of(spill), "");
  EXPECT_EQ(spill.add("one\n"), 0U);
  EXPECT_EQ(spill.add("two\n"), 4U);
  EXPECT_EQ(spill.line_at(4), "two");
  EXPECT_EQ(spill.line_at(0), "one");
  EXPECT_EQ(all_of(spill), "one\ntwo\n");
}

// Longer than is written or read at once.
TEST(Spill, KeepsLongLinesWhole) {
  Spill spill;
  std::string expected;
  std::uint64_t last = 0;
  for (const std::size_t length : {1U, 300'000U, 5'000'000U, 10U, 4'194'303U}) {
    const std::string line = std::string(length, static_cast<char>('a' + length % 26)) + "\n";
    last = spill.add(line).value();
    expected += line;
  }
  EXPECT_EQ(all_of(spill), expected);
  EXPECT_EQ(spill.line_at(last).size(), 4'194'303U);
}

TEST(Spill, LeavesNothingBehind) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "spill_leaves_nothing";
  std::filesystem::create_directories(folder);
  ::setenv("TMPDIR", folder.c_str(), 1);
  Spill spill;
  spill.add("one\n");
  spill.flush();
  ::unsetenv("TMPDIR");
  EXPECT_EQ(spill.line_at(0), "one");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(Spill, SaysWhenItCannotKeepALine) {
  ::setenv("TMPDIR", "/nowhere", 1);
  Spill spill;
  const std::string line = std::string(300'000, 'x') + "\n";
  EXPECT_FALSE(spill.add(line));
  EXPECT_FALSE(spill.add("short\n"));
  EXPECT_EQ(spill.flush(), 0U);
  EXPECT_EQ(spill.lost(), 2U);
  ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace mishap::server
