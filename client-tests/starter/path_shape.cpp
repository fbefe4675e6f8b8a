#include "client-tests/starter/path_shape.h"

#include <algorithm>
#include <array>

namespace mishap::client_tests {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool all(std::string_view text, bool (*is)(char)) {
  return !text.empty() && std::ranges::all_of(text, is);
}

bool is_mixed(std::string_view text) {
  return std::ranges::any_of(text, is_digit) && std::ranges::any_of(text, is_letter);
}

// 8-4-4-4-12 (RFC 9562 section 4).
bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

// "cus_9s6XKz", "ord-1993", "r-1": letters, one mark, then digits or a mixed word.
bool has_prefix(std::string_view text) {
  const auto mark = text.find_last_of("_-");
  if (mark == std::string_view::npos || mark == 0) return false;
  const auto head = text.substr(0, mark);
  const auto tail = text.substr(mark + 1);
  if (!std::ranges::any_of(head, is_letter)) return false;
  return all(tail, is_digit) || (tail.size() >= 6 && is_mixed(tail));
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

template <std::size_t N>
bool last_is_one_of(const std::vector<std::string>& segments,
                    const std::array<std::string_view, N>& words) {
  if (segments.empty()) return false;
  const std::string last = lower(segments.back());
  return std::ranges::find(words, last) != words.end();
}

}  // namespace

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.empty()) return segments;
  while (true) {
    const auto slash = path.find('/');
    segments.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

std::string path_of(const std::vector<std::string>& segments) {
  std::string path;
  for (const auto& segment : segments) path += '/' + segment;
  return path.empty() ? "/" : path;
}

bool looks_like_id(std::string_view segment) {
  if (all(segment, is_digit) || is_uuid(segment) || has_prefix(segment)) return true;
  if (segment.size() >= 8 && all(segment, is_hex) && is_mixed(segment)) return true;
  const auto wordy = [](char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '-'; };
  return segment.size() >= 16 && std::ranges::all_of(segment, wordy) && is_mixed(segment);
}

bool is_prefix_word(std::string_view segment) {
  if (segment == "api" || segment == "rest") return true;
  if (segment.size() < 2 || segment[0] != 'v') return false;
  return std::ranges::all_of(segment.substr(1), [](char c) { return is_digit(c) || c == '.'; });
}

bool is_plain_path(std::string_view path) {
  const auto plain = [](char c) {
    return is_digit(c) || is_letter(c) ||
           std::string_view("/-._~@+,=").find(c) != std::string_view::npos;
  };
  return path.starts_with('/') && path.size() <= 500 && std::ranges::all_of(path, plain) &&
         path.find("//") == std::string_view::npos && (path.size() == 1 || !path.ends_with('/'));
}

// The first segment of several is the vendor's version where it is a number ("/1/boards").
std::string with_ids_collapsed(const std::vector<std::string>& segments) {
  auto collapsed = segments;
  for (std::size_t i = segments.size() > 1 ? 1 : 0; i < collapsed.size(); ++i) {
    if (looks_like_id(collapsed[i])) collapsed[i] = ":id";
  }
  return path_of(collapsed);
}

bool gives_token(const std::vector<std::string>& segments) {
  static constexpr std::array<std::string_view, 8> kWords = {
      "token", "tokens", "access_token", "login", "signin", "authenticate", "auth", "refresh"};
  return last_is_one_of(segments, kWords);
}

bool only_reads(const std::vector<std::string>& segments) {
  static constexpr std::array<std::string_view, 12> kWords = {
      "search", "_search",    "query",      "graphql",   "filter",    "find",
      "lookup", "batch-read", "batch_read", "batch-get", "batch_get", "count"};
  return last_is_one_of(segments, kWords);
}

}  // namespace mishap::client_tests
