#include "client-tests/launch/line_watch.h"

#include <gtest/gtest.h>

namespace mishap::client_tests {
namespace {

LineWatch watch(const std::string& pattern) {
  return LineWatch(*scenarios::LinePattern::compile(pattern));
}

TEST(LineWatch, SeesALineThatComesInPieces) {
  auto listening = watch("^listening on \\d+$");
  listening.take("starting\nlisten");
  EXPECT_FALSE(listening.seen());
  listening.take("ing on 80\r\nmore");
  EXPECT_TRUE(listening.seen());
}

TEST(LineWatch, SeesALastLineWithoutItsNewlineAndForgetsNothing) {
  auto ready = watch("ready>");
  ready.take("ready> ");
  EXPECT_TRUE(ready.seen());
  auto once = watch("up");
  once.take("up\n");
  once.take("down\n");
  EXPECT_TRUE(once.seen());
}

TEST(LineWatch, DoesNotJoinLines) {
  auto joined = watch("a.*b");
  joined.take("a\nb\n");
  EXPECT_FALSE(joined.seen());
}

TEST(LineWatch, LooksAtTheBeginningOfALineWithoutEnd) {
  auto ready = watch("needle");
  for (int i = 0; i < 2000; ++i) ready.take(std::string(1024, 'x'));
  ready.take("needle");
  EXPECT_FALSE(ready.seen());
  ready.take("\nneedle\n");
  EXPECT_TRUE(ready.seen());
}

}  // namespace
}  // namespace mishap::client_tests
