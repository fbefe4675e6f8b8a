#include "client-tests/launch/secret_forms.h"

#include <algorithm>
#include <optional>

namespace mishap::client_tests {
namespace {

constexpr std::string_view kInClear = "in clear";
constexpr std::string_view kAsBase64 = "as base64";
constexpr std::string_view kInHex = "in hexadecimal";
constexpr std::string_view kBehindEscapes = "behind escapes";

// The longest escape of one character: \u0041.
constexpr std::size_t kLongestEscape = 6;

std::size_t first_two(std::string_view text) {
  return static_cast<std::size_t>(static_cast<unsigned char>(text[0])) << 8U |
         static_cast<unsigned char>(text[1]);
}

// RFC 4648 section 4, of what lies wholly within the secret when `shift` bytes of something else
// stand before it.
std::string base64_within(std::string_view secret, std::size_t shift, std::string_view alphabet) {
  const std::size_t first = shift * 8;
  const std::size_t last = first + secret.size() * 8;
  std::string text;
  for (std::size_t bit = (first + 5) / 6 * 6; bit + 6 <= last; bit += 6) {
    unsigned value = 0;
    for (std::size_t i = bit; i < bit + 6; ++i) {
      const auto byte = static_cast<unsigned char>(secret[i / 8 - shift]);
      value = value << 1U | (static_cast<unsigned>(byte) >> (7 - i % 8) & 1U);
    }
    text += alphabet[value];
  }
  return text;
}

std::string hex_of(std::string_view secret, std::string_view digits) {
  std::string text;
  for (const char c : secret) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::optional<unsigned> hex_at(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  unsigned value = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    const int digit = digit_of(text[i]);
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(digit);
  }
  return value;
}

struct Unescaped {
  char value = 0;
  std::size_t length = 1;
};

// %41 (RFC 3986 section 2.1), \u0041 and \/ (RFC 8259 section 7), and \x41 of many logs.
Unescaped unescape_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '%') {
    if (const auto value = hex_at(text, at + 1, 2)) return {static_cast<char>(*value), 3};
  } else if (c == '\\' && at + 1 < text.size()) {
    const char kind = text[at + 1];
    if (kind == '/' || kind == '"' || kind == '\\') return {kind, 2};
    if (kind == 'u') {
      const auto value = hex_at(text, at + 2, 4);
      if (value && *value < 128) return {static_cast<char>(*value), 6};
    }
    if (kind == 'x') {
      if (const auto value = hex_at(text, at + 2, 2)) return {static_cast<char>(*value), 4};
    }
  }
  return {c, 1};
}

// With the place of each character in what it was read from, and the end of the last.
std::string unescape(std::string_view text, std::vector<std::size_t>& places) {
  std::string plain;
  plain.reserve(text.size());
  places.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const Unescaped one = unescape_at(text, at);
    plain += one.value;
    places.push_back(at);
    at += one.length;
  }
  places.push_back(text.size());
  return plain;
}

void merge(std::vector<SecretForms::Sighting>& found) {
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.at.begin; });
  std::vector<SecretForms::Sighting> merged;
  for (const auto& one : found) {
    if (!merged.empty() && one.at.begin < merged.back().at.end) {
      merged.back().at.end = std::max(merged.back().at.end, one.at.end);
    } else {
      merged.push_back(one);
    }
  }
  found = std::move(merged);
}

}  // namespace

SecretForms::SecretForms(std::string_view secret, Match match) {
  if (secret.empty()) return;
  const std::size_t part =
      match == Match::Parts ? std::min(kTellingPart, secret.size()) : secret.size();
  add(kInClear, secret, part);
  add(kInHex, hex_of(secret, "0123456789abcdef"), 2 * part);
  add(kInHex, hex_of(secret, "0123456789ABCDEF"), 2 * part);
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (const char* signs : {"+/", "-_"}) {
    const std::string alphabet = std::string(kLetters) + signs;
    for (std::size_t shift = 0; shift < 3; ++shift) {
      const std::string text = base64_within(secret, shift, alphabet);
      // Whatever its alignment, a part holds as many whole characters of base64.
      const std::size_t whole = (part * 8 - 5) / 6;
      add(kAsBase64, text, match == Match::Parts ? std::min(whole, text.size()) : text.size());
    }
  }
}

void SecretForms::add(std::string_view form, std::string_view text, std::size_t window) {
  if (window < 2 || text.size() < window) return;
  auto same = std::ranges::find_if(
      groups_, [&](const Group& group) { return group.form == form && group.length == window; });
  if (same == groups_.end()) same = groups_.insert(groups_.end(), {form, window, {}});
  for (std::size_t at = 0; at + window <= text.size(); ++at) {
    same->windows.emplace(text.substr(at, window));
    begins_.set(first_two(text.substr(at)));
  }
  reach_ = std::max(reach_, (window + 1) * kLongestEscape);
}

void SecretForms::find_in(std::string_view text, const std::vector<std::size_t>* places,
                          std::vector<Sighting>& found) const {
  for (std::size_t at = 0; at + 2 <= text.size(); ++at) {
    if (!begins_.test(first_two(text.substr(at, 2)))) continue;
    for (const Group& group : groups_) {
      if (at + group.length > text.size()) continue;
      if (group.windows.find(text.substr(at, group.length)) == group.windows.end()) continue;
      Sighting seen{{at, at + group.length}, group.form};
      if (places != nullptr) {
        seen.at = {(*places)[at], (*places)[at + group.length]};
        const bool is_longer = seen.at.end - seen.at.begin > group.length;
        if (is_longer && group.form == kInClear) seen.form = kBehindEscapes;
      }
      found.push_back(seen);
    }
  }
}

std::vector<SecretForms::Sighting> SecretForms::find(std::string_view text) const {
  std::vector<Sighting> found;
  if (groups_.empty()) return found;
  find_in(text, nullptr, found);
  if (text.find_first_of("%\\") != std::string_view::npos) {
    std::vector<std::size_t> places;
    const std::string plain = unescape(text, places);
    find_in(plain, &places, found);
  }
  merge(found);
  return found;
}

SecretMask::SecretMask(const std::vector<std::string>& secrets, const std::string& canary,
                       const std::vector<NameValue>& sensitive) {
  if (!canary.empty()) add(canary, SecretForms::Match::Parts);
  for (const auto& secret : secrets) add(secret, SecretForms::Match::Whole);
  for (const auto& [name, text] : sensitive) add(text, SecretForms::Match::Whole);
}

void SecretMask::add(std::string_view text, SecretForms::Match match) {
  forms_.emplace_back(text, match);
  reach_ = std::max(reach_, forms_.back().reach());
}

std::vector<Span> SecretMask::find(std::string_view text) const {
  std::vector<Span> all;
  for (const SecretForms& forms : forms_) {
    for (const auto& seen : forms.find(text)) all.push_back(seen.at);
  }
  return merged(std::move(all));
}

std::string SecretMask::operator()(std::string_view text) const {
  return masked(text, find(text));
}

void SecretWatch::take(std::string_view chunk) {
  const std::uint64_t begins_at = taken_ - carry_.size();
  carry_.append(chunk);
  taken_ += chunk.size();
  for (const auto& seen : forms_.find(carry_)) {
    const std::uint64_t begin = begins_at + seen.at.begin;
    if (begin >= counted_to_) {
      ++hits_;
      seen_.emplace(seen.form);
    }
    counted_to_ = std::max(counted_to_, begins_at + seen.at.end);
  }
  carry_.erase(0, carry_.size() - std::min(carry_.size(), forms_.reach()));
}

}  // namespace mishap::client_tests
