#include "mishap/printable.h"

#include <gtest/gtest.h>

namespace mishap {
namespace {

struct Row {
  std::string text;
  std::string shown;
};

TEST(Printable, EscapesWhatATerminalWouldObeyAndLeavesTheRest) {
  const Row rows[] = {
      {"plain text, 100 %", "plain text, 100 %"},
      {"caf\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x99\x82", "caf\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x99\x82"},
      {"\x1b[31m", "\\x1b[31m"},
      {"a\r\nb\tc", "a\\x0d\\x0ab\\x09c"},
      {std::string("nul\0!", 5), "nul\\x00!"},
      {"\x7f", "\\x7f"},
      {"\xc2\x9b", "\\u{009b}"},            // C1 control: another way to write ESC [
      {"\xe2\x80\xae", "\\u{202e}"},        // right-to-left override
      {"\xef\xbb\xbf", "\\u{feff}"},        // byte order mark
      {"\xff\xfe", "\\xff\\xfe"},           // not UTF-8
      {"\xc0\xaf", "\\xc0\\xaf"},           // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},  // surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
      {"cut \xe2\x82", "cut \\xe2\\x82"},
  };
  for (const auto& row : rows) EXPECT_EQ(printable(row.text), row.shown);
  EXPECT_EQ(printable("abcdef", 3), "abc…");
}

}  // namespace
}  // namespace mishap
