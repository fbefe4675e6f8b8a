#include "client-tests/starter/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mishap::client_tests {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word_of_yaml(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kWords = {
      "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan"};
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::ranges::find(kWords, lower) != kWords.end();
}

}  // namespace

std::string yaml_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string yaml_word(std::string_view text) {
  const auto plain = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') ||
           std::string_view("/-_.").find(c) != std::string_view::npos;
  };
  const bool begins =
      !text.empty() && (is_letter(text.front()) || text.front() == '/' || text.starts_with("./"));
  if (begins && std::ranges::all_of(text, plain) && !is_word_of_yaml(text))
    return std::string(text);
  return yaml_text(text);
}

}  // namespace mishap::client_tests
