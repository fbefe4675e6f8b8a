#include "mishap/json_string.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "mishap/utf8.h"

namespace mishap {
namespace {

std::string written(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonString, EscapesWhatMustBe) {
  EXPECT_EQ(written(""), R"("")");
  EXPECT_EQ(written("a\"b\\c\n\r\t\b\f\x01\x1f/"), R"("a\"b\\c\n\r\t\b\f\u0001\u001f/")");
  EXPECT_EQ(written("\x7f é 🂡"), "\"\x7f é 🂡\"");
}

// At every place within the eight bytes that are looked at together, and behind them.
TEST(JsonString, FindsASpecialByteWhereverItStands) {
  for (const char special : {'"', '\\', '\x00', '\x1f'}) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text(20, 'x');
      text[at] = special;
      EXPECT_EQ(written(text), nlohmann::json(text).dump()) << at;
    }
  }
}

TEST(JsonString, IsWhatTheLibraryWouldWrite) {
  std::mt19937 random(3);
  const std::vector<std::string> pieces = {"a", "bcdefgh", "\"", "\\", "\n", "\x02", "é", "€", "🂡"};
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (auto left = random() % 30; left > 0; --left) text += pieces[random() % pieces.size()];
    EXPECT_EQ(written(text), nlohmann::json(text).dump());
  }
}

struct Utf8Case {
  std::string bytes;
  bool is_utf8;
};

class Utf8 : public testing::TestWithParam<Utf8Case> {};

TEST_P(Utf8, IsToldAlsoInALongText) {
  const auto& [bytes, good] = GetParam();
  EXPECT_EQ(is_utf8(bytes), good);
  for (std::size_t before = 0; before < 20; ++before) {
    EXPECT_EQ(is_utf8(std::string(before, 'x') + bytes + "behind it all"), good) << before;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, Utf8,
    testing::Values(Utf8Case{"", true}, Utf8Case{"\x7f", true}, Utf8Case{"é€🂡", true},
                    Utf8Case{"\x80", false}, Utf8Case{"\xc0\x80", false},
                    Utf8Case{"\xe0\x80\x80", false}, Utf8Case{"\xed\xa0\x80", false},
                    Utf8Case{"\xf4\x90\x80\x80", false}, Utf8Case{"\xf5\x80\x80\x80", false},
                    Utf8Case{"\xe2\x82", false}));

}  // namespace
}  // namespace mishap
