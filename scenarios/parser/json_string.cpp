#include "mishap/json_string.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace mishap {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101U;
constexpr std::uint64_t kHighBits = 0x8080808080808080U;

bool is_special(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

// Some byte is 0. What stands above such a byte may be taken for one as well, and that is no harm.
std::uint64_t zeros(std::uint64_t word) {
  return (word - kOnes) & ~word & kHighBits;
}

// Eight bytes at once, since nearly all of a text stands as it is.
bool has_special(std::uint64_t word) {
  const std::uint64_t controls = (word - kOnes * 0x20) & ~word & kHighBits;
  return (controls | zeros(word ^ kOnes * '"') | zeros(word ^ kOnes * '\\')) != 0;
}

char* write_escaped(char* to, char c) {
  static constexpr char kDigits[] = "0123456789abcdef";
  constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  *to++ = '\\';
  const std::size_t named = kNamed.find(c);
  if (named != std::string_view::npos) {
    *to++ = kNames[named];
    return to;
  }
  const auto byte = static_cast<unsigned char>(c);
  for (const char one : {'u', '0', '0', kDigits[byte >> 4], kDigits[byte & 0x0f]}) *to++ = one;
  return to;
}

char* write_each(char* to, const char* from, const char* end) {
  for (; from != end; ++from) {
    if (is_special(*from)) {
      to = write_escaped(to, *from);
    } else {
      *to++ = *from;
    }
  }
  return to;
}

}  // namespace

char* write_json_string(char* to, std::string_view text) {
  const char* from = text.data();
  *to++ = '"';
  for (std::size_t left = text.size(); left > 0;) {
    const std::size_t count = left < 8 ? left : 8;
    std::uint64_t word = kOnes * ' ';  // behind the end: nothing special
    std::memcpy(&word, from, count);
    if (has_special(word)) {
      to = write_each(to, from, from + count);
    } else {
      std::memcpy(to, &word, sizeof word);
      to += count;
    }
    from += count;
    left -= count;
  }
  *to++ = '"';
  return to;
}

void append_json_string(std::string& out, std::string_view text) {
  // In pieces, so that a long text needs no room for six times its length.
  constexpr std::size_t kPiece = 128;
  std::array<char, json_string_room(kPiece)> room;
  out += '"';
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kPiece);
    const char* const begin = room.data();
    const char* const end = write_json_string(room.data(), piece);
    out.append(begin + 1, end - 1);
    text.remove_prefix(piece.size());
  }
  out += '"';
}

}  // namespace mishap
