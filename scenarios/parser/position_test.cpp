#include <gtest/gtest.h>

#include "mishap/parameters.h"

namespace mishap {
namespace {

TEST(Position, IsReadAndWrittenInTheSameWords) {
  const std::string places[] = {
      "0B",           "37B",     "50%",        "status line", "header 2",       "header 2 + 5B",
      "chunk size 1", "chunk 3", "last chunk", "trailer 1",   "chunk 1 + 1024B"};
  for (const std::string& place : places) {
    const auto read = parse_position(place);
    ASSERT_TRUE(read) << place << ": " << read.error();
    EXPECT_EQ(to_string(*read), place);
  }
  EXPECT_EQ(parse_position("1KiB")->bytes, 1024U);
  EXPECT_EQ(parse_position("header 2+5B"), parse_position("header 2 + 5B"));
}

TEST(Position, SaysWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"37", "a place needs its unit: 37B or 37%?"},
      {"header", "\"header\" needs a number from 1 behind \"header\""},
      {"header 0", "\"header 0\" needs a number from 1 behind \"header\""},
      {"header 99999999999999999999", "needs a number from 1"},
      {"chunk 1 - 3B", "\"chunk 1 - 3B\" is no place"},
      {"chunk 1 + 3", "needs its unit"},
      {"status lines", "\"status lines\" is no place"},
      {"somewhere", "\"somewhere\" is no place"},
      {"", ""},
  };
  for (const auto& [text, message] : cases) {
    const auto read = parse_position(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().find(message), std::string::npos) << text << ": " << read.error();
  }
}

}  // namespace
}  // namespace mishap
