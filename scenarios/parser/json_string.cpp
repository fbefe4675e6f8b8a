#include "mishap/json_string.h"

#include <algorithm>
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

// Fewer than eight bytes, with nothing special behind their end.
std::uint64_t short_word(const char* from, std::size_t count) {
  std::uint64_t word = kOnes * ' ';
  auto* to = reinterpret_cast<char*>(&word);
  // In sizes that are known when this is compiled, which need no call.
  if ((count & 4U) != 0) {
    std::memcpy(to, from, 4);
    to += 4;
    from += 4;
  }
  if ((count & 2U) != 0) {
    std::memcpy(to, from, 2);
    to += 2;
    from += 2;
  }
  if ((count & 1U) != 0) *to = *from;
  return word;
}

std::uint64_t whole_word(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Whether it stands in quotes as it is.
bool is_plain(std::string_view text) {
  const char* from = text.data();
  std::size_t left = text.size();
  for (; left >= 8; from += 8, left -= 8) {
    if (has_special(whole_word(from))) return false;
  }
  return !has_special(short_word(from, left));
}

char* write_word(char* to, std::uint64_t word, const char* from, std::size_t count) {
  if (has_special(word)) return write_each(to, from, from + count);
  std::memcpy(to, &word, sizeof word);
  return to + count;
}

}  // namespace

char* write_json_string(char* to, std::string_view text) {
  const char* from = text.data();
  std::size_t left = text.size();
  *to++ = '"';
  for (; left >= 8; from += 8, left -= 8) to = write_word(to, whole_word(from), from, 8);
  to = write_word(to, short_word(from, left), from, left);
  *to++ = '"';
  return to;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  if (is_plain(text)) {
    out += text;
  } else {
    // In pieces, so that a long text needs no room for six times its length.
    constexpr std::size_t kPiece = 128;
    std::array<char, json_string_room(kPiece)> room;
    for (; !text.empty(); text.remove_prefix(std::min(kPiece, text.size()))) {
      const char* const end = write_json_string(room.data(), text.substr(0, kPiece));
      out.append(room.data() + 1, static_cast<std::size_t>(end - room.data()) - 2);
    }
  }
  out += '"';
}

}  // namespace mishap
