#include "client-tests/launch/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "mishap/line_pattern.h"

namespace mishap::client_tests {
namespace {

using scenarios::LinePattern;

constexpr std::size_t kShortest = 6;
constexpr std::array<std::string_view, 4> kTellingNames{"KEY", "TOKEN", "SECRET", "PASSWORD"};

bool tells_a_secret(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (name.starts_with("MISHAP_")) return false;
  return std::any_of(kTellingNames.begin(), kTellingNames.end(),
                     [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

const std::string kSecretWords =
    "token|secret|passw(?:or)?d|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|credentials?";

LinePattern pattern(const std::string& text) {
  return LinePattern::compile(text).value();
}

// Where a secret stands in what somebody typed, between what is kept as groups.
const std::vector<LinePattern>& places() {
  static const std::vector<LinePattern> all{
      pattern("(://)[^/@\\s'\"$]+(@)"),
      pattern("(?i)([\\w.-]*(?:" + kSecretWords + ")=['\"]?)[^&\\s'\"$][^&\\s'\"]*()"),
      pattern("(?i)((?:" + kSecretWords + ")['\"]\\s*:\\s*['\"])[^'\"$][^'\"]*()"),
      pattern("(?i)((?:authorization|cookie|[\\w-]*(?:" + kSecretWords +
              ")):\\s*(?:(?:bearer|basic|token)\\s+)?)[^\\s'\"$][^'\"\\r\\n]*()"),
  };
  return all;
}

}  // namespace

std::vector<std::string> secrets_of(const std::vector<NameValue>& environment,
                                    std::string_view canary) {
  std::vector<std::string> secrets;
  for (const auto& [name, value] : environment) {
    if (value.size() >= kShortest && value != canary && tells_a_secret(name)) {
      secrets.push_back(value);
    }
  }
  std::sort(secrets.begin(), secrets.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  secrets.erase(std::unique(secrets.begin(), secrets.end()), secrets.end());
  return secrets;
}

std::vector<Span> find_secrets(std::string_view text, const std::vector<std::string>& secrets) {
  std::vector<Span> found;
  for (const auto& secret : secrets) {
    std::size_t at = text.find(secret);
    while (at != std::string_view::npos) {
      found.push_back({at, at + secret.size()});
      at = text.find(secret, at + 1);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> merged;
  for (const auto& span : found) {
    if (!merged.empty() && span.begin < merged.back().end) {
      merged.back().end = std::max(merged.back().end, span.end);
    } else {
      merged.push_back(span);
    }
  }
  return merged;
}

std::string mask_secrets(std::string_view text, const std::vector<std::string>& secrets) {
  std::string masked;
  std::size_t at = 0;
  for (const auto& span : find_secrets(text, secrets)) {
    masked.append(text.substr(at, span.begin - at)).append(kMask);
    at = span.end;
  }
  return masked.append(text.substr(at));
}

std::string mask_word(std::string_view word, const std::vector<std::string>& secrets) {
  std::string masked = mask_secrets(word, secrets);
  for (const LinePattern& place : places()) masked = place.replace_all(masked, "\\1***\\2");
  return masked;
}

std::vector<std::string> mask_command(const std::vector<std::string>& command,
                                      const std::vector<std::string>& secrets) {
  static const LinePattern option_of_secret = pattern("^(?i)--?[\\w-]*(?:" + kSecretWords + ")$");
  static const LinePattern option_of_user = pattern("^(?:-u|--user|--proxy-user)$");
  static const LinePattern password = pattern("^([^:/$]+:)[^/$].*");
  std::vector<std::string> masked;
  const std::string* before = nullptr;
  for (const auto& word : command) {
    masked.push_back(mask_word(word, secrets));
    if (before != nullptr && option_of_secret.matches(*before)) {
      if (!word.starts_with('$') && !word.starts_with('-')) masked.back() = kMask;
    } else if (before != nullptr && option_of_user.matches(*before)) {
      masked.back() = password.replace_all(masked.back(), "\\1***");
    }
    before = &word;
  }
  return masked;
}

}  // namespace mishap::client_tests
