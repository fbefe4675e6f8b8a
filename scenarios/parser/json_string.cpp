#include "mishap/json_string.h"

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
bool has_special(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const std::uint64_t controls = (word - kOnes * 0x20) & ~word & kHighBits;
  return (controls | zeros(word ^ kOnes * '"') | zeros(word ^ kOnes * '\\')) != 0;
}

std::size_t plain_length(std::string_view text) {
  std::size_t at = 0;
  while (at + 8 <= text.size() && !has_special(text.data() + at)) at += 8;
  while (at < text.size() && !is_special(text[at])) ++at;
  return at;
}

void append_escaped(std::string& out, char c) {
  static constexpr char kDigits[] = "0123456789abcdef";
  constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  out += '\\';
  const std::size_t named = kNamed.find(c);
  if (named != std::string_view::npos) {
    out += kNames[named];
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "u00";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 0x0f];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const std::size_t plain = plain_length(text);
    out.append(text.data(), plain);
    if (plain == text.size()) break;
    append_escaped(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

}  // namespace mishap
