#include "server/journal/secrets.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

#include <fmt/format.h>

#include "server/journal/fingerprint.h"
#include "server/journal/hash.h"

namespace mishap::server {
namespace {

constexpr std::size_t kValueCap = 2 * 1024;
constexpr std::size_t kTargetCap = 8 * 1024;

char lower_of(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// `word` is in lower case.
bool equal_in_any_case(std::string_view text, std::string_view word) {
  return text.size() == word.size() && std::equal(text.begin(), text.end(), word.begin(),
                                                  [](char a, char b) { return lower_of(a) == b; });
}

bool contains_in_any_case(std::string_view text, std::string_view word) {
  const auto found = std::search(text.begin(), text.end(), word.begin(), word.end(),
                                 [](char a, char b) { return lower_of(a) == b; });
  return found != text.end();
}

std::string capped(std::string_view text, std::size_t cap) {
  if (text.size() <= cap) return std::string(text);
  return fmt::format("{}... ({} bytes)", text.substr(0, cap), text.size());
}

// The word before the credentials ("Bearer"), where there is one.
std::string_view scheme_of(std::string_view name, std::string_view value) {
  if (!equal_in_any_case(name, "authorization") &&
      !equal_in_any_case(name, "proxy-authorization")) {
    return {};
  }
  const std::size_t space = value.find(' ');
  return space == std::string_view::npos ? std::string_view{} : value.substr(0, space);
}

std::string masked_parameter(std::string_view parameter, std::string_view salt) {
  const std::size_t equals = parameter.find('=');
  if (equals == std::string_view::npos || !is_secret_name(parameter.substr(0, equals))) {
    return std::string(parameter);
  }
  const std::string_view value = parameter.substr(equals + 1);
  // In a query: no blanks.
  return fmt::format("{}=sha256:{}-length-{}", parameter.substr(0, equals),
                     sha256_hex(joined_for_hash({salt, value})).substr(0, 12), value.size());
}

// The target with its secrets masked, whole.
std::string masked_query(std::string_view target, std::string_view salt) {
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) return std::string(target);
  std::string result(target.substr(0, question + 1));
  std::string_view rest = target.substr(question + 1);
  while (true) {
    const std::size_t ampersand = rest.find('&');
    result += masked_parameter(rest.substr(0, ampersand), salt);
    if (ampersand == std::string_view::npos) return result;
    result += '&';
    rest.remove_prefix(ampersand + 1);
  }
}

std::string masked_line(std::string_view line, std::string_view salt) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_secret_name(line.substr(0, colon))) {
    return masked_query(line, salt);
  }
  std::string_view value = line.substr(colon + 1);
  std::string_view end;
  if (value.ends_with('\r')) {
    end = "\r";
    value.remove_suffix(1);
  }
  while (value.starts_with(' ')) value.remove_prefix(1);
  const KeptField kept = kept_header(line.substr(0, colon), value, salt);
  return fmt::format("{}: {}{}", kept.name, kept.value, end);
}

bool reads_like_a_secret(std::string_view name) {
  // Some are names of parameters of a query only: ?key=, ?sig=, ?code=.
  static constexpr std::array<std::string_view, 20> kWhole = {
      "authorization", "proxy-authorization",
      "cookie",        "set-cookie",
      "x-api-key",     "x-auth",
      "x-session",     "dpop",
      "key",           "sig",
      "code",          "pass",
      "pwd",           "passwd",
      "auth",          "jwt",
      "session",       "sessionid",
      "sid",           "bearer"};
  static constexpr std::array<std::string_view, 9> kPart = {
      "token",  "secret",     "password",         "api-key",  "api_key",
      "apikey", "credential", "subscription-key", "signature"};
  const bool is_whole = std::ranges::any_of(
      kWhole, [&](std::string_view whole) { return equal_in_any_case(name, whole); });
  return is_whole || std::ranges::any_of(kPart, [&](std::string_view part) {
           return contains_in_any_case(name, part);
         });
}

// What was asked last about some words. Every request brings the same few names of fields and the
// same credential, and each costs a search or a SHA-256. A thread has its own.
template <typename Key, typename Answer>
class Memo {
 public:
  template <typename Find>
  const Answer& of(const Key& key, std::size_t hash, Find find) {
    Entry& entry = entries_[hash % entries_.size()];
    if (!entry.is_set || entry.key != key) entry = {key, find(), true};
    return entry.answer;
  }

 private:
  struct Entry {
    Key key{};
    Answer answer{};
    bool is_set = false;
  };
  std::array<Entry, 64> entries_;
};

}  // namespace

bool is_secret_name(std::string_view name) {
  thread_local Memo<std::string, bool> memo;
  constexpr std::size_t kLongest = 64;
  if (name.size() > kLongest) return reads_like_a_secret(name);
  return memo.of(std::string(name), std::hash<std::string_view>{}(name),
                 [&] { return reads_like_a_secret(name); });
}

std::string masked(std::string_view secret, std::string_view salt) {
  // Known by its fingerprint, so that no secret stays behind.
  thread_local Memo<Fingerprint, std::string> memo;
  const Fingerprint print = fingerprint_of({salt, secret});
  return memo.of(print, FingerprintHash{}(print), [&] {
    return fmt::format("sha256:{} length {}",
                       sha256_hex(joined_for_hash({salt, secret})).substr(0, 12), secret.size());
  });
}

KeptField kept_header(std::string_view name, std::string_view value, std::string_view salt) {
  if (!is_secret_name(name)) return {std::string(name), capped(value, kValueCap), false};
  const std::string_view scheme = scheme_of(name, value);
  if (scheme.empty()) return {std::string(name), masked(value, salt), true};
  std::string hidden = capped(scheme, 32);
  hidden += ' ';
  hidden += masked(value.substr(scheme.size() + 1), salt);
  return {std::string(name), std::move(hidden), true};
}

std::string kept_header_value(std::string_view name, std::string value, std::string_view salt) {
  if (value.size() <= kValueCap && !is_secret_name(name)) return value;
  return kept_header(name, value, salt).value;
}

std::string kept_target(std::string_view target, std::string_view salt) {
  return capped(masked_query(target, salt), kTargetCap);
}

std::string kept_raw(std::string_view raw, std::string_view salt) {
  std::string result;
  while (true) {
    const std::size_t newline = raw.find('\n');
    result += masked_line(raw.substr(0, newline), salt);
    if (newline == std::string_view::npos) return result;
    result += '\n';
    raw.remove_prefix(newline + 1);
  }
}

}  // namespace mishap::server
