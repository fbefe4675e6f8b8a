#include "client-tests/launch/secrets.h"

#include <algorithm>

#include "mishap/line_pattern.h"

namespace mishap::client_tests {
namespace {

using scenarios::LinePattern;

constexpr std::size_t kShortest = 6;

const std::string kSecretWords =
    "token|secret|passw(?:or)?d|passphrase|api[-_]?key|access[-_]?key|secret[-_]?key|"
    "private[-_]?key|credentials?";
// Names that tell a secret only where they stand alone.
const std::string kShortWords = "pass|pw|pwd|auth|bearer|cookie|jwt|session|sid";
// What a value begins with: a name or a placeholder is no secret.
const std::string kValue = "[^&\\s'\"${][^&\\s'\"]*";

LinePattern pattern(const std::string& text) {
  return LinePattern::compile(text).value();
}

// A variable that is named like one: API_KEY, GITHUB_TOKEN; not MONKEY, TOKEN_URL, KEY_FILE.
bool tells_a_secret(const std::string& name) {
  static const LinePattern telling = pattern(
      "(?i)(token|secret|passw(or)?d|passphrase|credential)|(^|_|api|access|secret|private)keys?$|"
      "(^|_)(pass|pwd|auth)$");
  static const LinePattern about =
      pattern("(?i)_(url|uri|path|file|dir|host|endpoint|ttl|timeout)$");
  return !name.starts_with("MISHAP_") && telling.matches(name) && !about.matches(name);
}

// Where a secret stands in what somebody typed, whoever's it is: it is the second of three groups.
const std::vector<LinePattern>& places() {
  static const std::vector<LinePattern> all{
      // https://token@host, postgres://user:secret@host
      pattern("(https?://)([^/@\\s'\"${]+)(@)"),
      pattern("(\\w+://[^/:@\\s'\"${]+:)([^\\s'\"${]+)(@)"),
      // --token=X, DB_PASSWORD=X, ?sig=X
      pattern("(?i)([\\w.-]*(?:" + kSecretWords + ")=['\"]?)(" + kValue + ")()"),
      pattern("(?i)(^--(?:" + kShortWords + ")=)(" + kValue + ")()"),
      pattern("(?i)([?&;#](?:key|code|sig|signature|x-amz-signature|" + kShortWords + ")=)(" +
              kValue + ")()"),
      // {"client_secret": "X"}
      pattern("(?i)((?:" + kSecretWords + ")['\"]\\s*:\\s*\")([^\"${](?:[^\"\\\\]|\\\\.)*)()"),
      // Authorization: Bearer X
      pattern("(?i)((?:authorization|cookie|dpop|x-auth|x-session|[\\w-]*(?:" + kSecretWords +
              ")):\\s*(?:(?:bearer|basic|token)\\s+)?)([^\\s'\"${][^'\"\\r\\n]*)()"),
      // cli --token X, curl -u me:X, as words of a script
      pattern("(?i)(\\s--?(?:[\\w-]*(?:" + kSecretWords + ")|" + kShortWords +
              ")\\s+['\"]?)([^\\s'\"${-][^\\s'\"]*)()"),
      pattern("(\\s(?:-u|--user)\\s+['\"]?[^\\s:/'\"$]*[A-Za-z][^\\s:/'\"$]*:)([^\\s'\"${]+)()"),
      // -ume:X, --user=me:X
      pattern("(^(?:-u|--user=|--proxy-user=)[^\\s:/'\"$]*[A-Za-z][^\\s:/'\"$]*:)([^/${].*)()"),
  };
  return all;
}

void add_typed(std::string_view word, std::vector<std::string>& secrets) {
  for (const LinePattern& place : places()) {
    for (std::string& value : place.all(word, 2)) {
      if (value.size() >= kShortest) secrets.push_back(std::move(value));
    }
  }
}

bool is_option_of_secret(const std::string& word) {
  static const LinePattern option =
      pattern("^(?i)--?(?:[\\w-]*(?:" + kSecretWords + ")|" + kShortWords + ")$");
  return option.matches(word);
}

bool is_option_of_user(const std::string& word) {
  return word == "-u" || word == "--user" || word == "--proxy-user";
}

// What an option before it makes of a word: the part that is a secret.
std::string secret_by_option(const std::string& before, const std::string& word) {
  static const LinePattern password = pattern("^([^:/$]*[A-Za-z][^:/$]*:)([^/${].*)$");
  if (is_option_of_secret(before)) {
    const bool is_none = word.starts_with('$') || word.starts_with('-') || word.starts_with('{');
    return is_none ? std::string() : word;
  }
  if (!is_option_of_user(before)) return {};
  const auto found = password.all(word, 2);
  return found.empty() ? std::string() : found.front();
}

}  // namespace

std::vector<std::string> secrets_of(const std::vector<NameValue>& environment,
                                    std::string_view canary,
                                    const std::vector<std::string>& command) {
  std::vector<std::string> secrets;
  for (const auto& [name, value] : environment) {
    if (value == canary || name.starts_with("MISHAP_")) continue;
    const bool is_one = tells_a_secret(name) && value.find('{') == std::string::npos;
    if (is_one && value.size() >= kShortest) secrets.push_back(value);
    add_typed(value, secrets);
  }
  for (std::size_t i = 0; i < command.size(); ++i) {
    add_typed(command[i], secrets);
    auto typed = i == 0 ? std::string() : secret_by_option(command[i - 1], command[i]);
    if (typed.size() >= kShortest) secrets.push_back(std::move(typed));
  }
  std::erase(secrets, canary);
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
  return merged(std::move(found));
}

std::vector<Span> merged(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> all;
  for (const auto& span : spans) {
    if (!all.empty() && span.begin < all.back().end) {
      all.back().end = std::max(all.back().end, span.end);
    } else {
      all.push_back(span);
    }
  }
  return all;
}

std::string masked(std::string_view text, const std::vector<Span>& spans) {
  std::string shown;
  std::size_t at = 0;
  for (const auto& span : spans) {
    shown.append(text.substr(at, span.begin - at)).append(kMask);
    at = span.end;
  }
  return shown.append(text.substr(at));
}

std::string mask_secrets(std::string_view text, const std::vector<std::string>& secrets) {
  return masked(text, find_secrets(text, secrets));
}

std::string mask_word(std::string_view word, const std::vector<std::string>& secrets) {
  std::string masked = mask_secrets(word, secrets);
  for (const LinePattern& place : places()) masked = place.replace_all(masked, "\\1***\\3");
  return masked;
}

std::vector<std::string> mask_command(const std::vector<std::string>& command,
                                      const std::vector<std::string>& secrets) {
  std::vector<std::string> masked;
  for (std::size_t i = 0; i < command.size(); ++i) {
    std::string word = command[i];
    const auto typed = i == 0 ? std::string() : secret_by_option(command[i - 1], word);
    if (!typed.empty()) word.replace(word.size() - typed.size(), typed.size(), kMask);
    masked.push_back(mask_word(word, secrets));
  }
  return masked;
}

}  // namespace mishap::client_tests
