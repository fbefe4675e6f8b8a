#include "mishap/printable.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace mishap {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;  // 0: not UTF-8
};

// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

bool is_hostile(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x61C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  if (text.size() < most && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string result;
  while (!text.empty()) {
    if (result.size() >= most) return result + "…";
    const auto character = decode(text);
    if (character.length == 0) {
      result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    if (!is_hostile(character.code)) {
      result += text.substr(0, character.length);
    } else if (character.code < 0x80) {
      result += fmt::format("\\x{:02x}", character.code);
    } else {
      result += fmt::format("\\u{{{:04x}}}", character.code);
    }
    text.remove_prefix(character.length);
  }
  return result;
}

}  // namespace mishap
