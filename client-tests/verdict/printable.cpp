#include "client-tests/verdict/printable.h"

#include <cstdint>

#include <fmt/format.h>

namespace mishap::client_tests {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Length of the sequence that begins here by its first byte; 0: none begins with it.
std::size_t sequence_length(unsigned first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

bool is_shown(std::uint32_t point, std::size_t length) {
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < kLeast[length] || point > 0x10FFFF) return false;       // overlong, out of range
  if (point >= 0xD800 && point <= 0xDFFF) return false;               // surrogates
  if (point < 0x20 || (point >= 0x7F && point < 0xA0)) return false;  // controls
  if (point == 0x200E || point == 0x200F) return false;               // direction marks
  if (point >= 0x2028 && point <= 0x202E) return false;               // line ends, embeddings
  return point < 0x2066 || point > 0x2069;                            // isolates
}

// The length of a character that may be shown at `at`, else 0.
std::size_t shown_length(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  const std::size_t length = sequence_length(first);
  if (length == 0 || at + length > text.size()) return 0;
  static constexpr unsigned kFirstMask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t point = first & kFirstMask[length];
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & 0xC0) != 0x80) return 0;
    point = (point << 6) | (next & 0x3F);
  }
  return is_shown(point, length) ? length : 0;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    if (shown.size() >= most) return shown + "…";
    const std::size_t length = shown_length(text, at);
    if (length == 0) {
      shown += fmt::format("\\x{:02x}", byte_at(text, at));
      ++at;
    } else {
      shown += text.substr(at, length);
      at += length;
    }
  }
  return shown;
}

}  // namespace mishap::client_tests
