#include "cli/url_candidates.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mishap/printable.h"

namespace mishap::cli {
namespace {

constexpr std::size_t kMost = 8;

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// Where the URL begins in the text; npos: there is none.
std::size_t url_in(const std::string& text) {
  return std::min(text.find("http://"), text.find("https://"));
}

// Without user, path, query and fragment.
std::string origin_of(const std::string& url) {
  const auto host = url.find("://") + 3;
  const auto end = std::min(url.find_first_of("/?#\"' ", host), url.size());
  const auto at = url.substr(host, end - host).rfind('@');
  const auto from = at == std::string::npos ? host : host + at + 1;
  return url.substr(0, host) + url.substr(from, end - from);
}

// Variables of the system that hold URLs of other things.
bool is_of_the_system(const std::string& name) {
  static constexpr std::array<std::string_view, 12> kBegins = {
      "MISHAP_", "XDG_", "DBUS_",   "PIP_", "NPM_",        "npm_",
      "GITHUB_", "CI_",  "GOPROXY", "UV_",  "DEBUGINFOD_", "LESS"};
  const auto all = upper(name);
  return all.ends_with("PROXY") || std::ranges::any_of(kBegins, [&](std::string_view begin) {
           return name.starts_with(begin);
         });
}

bool tells(const std::string& name) {
  static constexpr std::array<std::string_view, 6> kWords = {"URL",  "BASE",     "API",
                                                             "HOST", "ENDPOINT", "SERVER"};
  const auto all = upper(name);
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return all.find(word) != std::string::npos; });
}

}  // namespace

std::vector<UrlCandidate> url_candidates(const std::vector<std::string>& command,
                                         const std::vector<NameValue>& environment) {
  std::vector<UrlCandidate> candidates;
  for (const auto& word : command) {
    const auto at = url_in(word);
    if (at == std::string::npos || word.size() > 2000 || word.find('\n') != std::string::npos)
      continue;
    const auto origin = origin_of(word.substr(at));
    candidates.push_back({word.substr(0, std::min<std::size_t>(at, 40)) + origin, origin, false});
  }
  std::vector<UrlCandidate> variables;
  for (const auto& variable : environment) {
    const auto at = url_in(variable.value);
    // A free port is where the service itself will listen.
    const bool is_its_own = variable.value.find("{free_port}") != std::string::npos;
    if (at != 0 || is_its_own || is_of_the_system(variable.name)) continue;
    variables.push_back({variable.name, origin_of(variable.value), true});
  }
  std::ranges::stable_sort(variables, [](const UrlCandidate& a, const UrlCandidate& b) {
    return tells(a.name) && !tells(b.name);
  });
  std::ranges::move(variables, std::back_inserter(candidates));
  if (candidates.size() > kMost) candidates.resize(kMost);
  return candidates;
}

std::string candidates_text(const std::vector<UrlCandidate>& candidates) {
  std::string text;
  for (const auto& candidate : candidates) {
    text += printable(candidate.variable
                          ? fmt::format("          --env {}={{url}}   the variable {} is {} now",
                                        candidate.name, candidate.name, candidate.url)
                          : fmt::format("          {{url}} instead of {} in the argument {}",
                                        candidate.url, candidate.name)) +
            "\n";
  }
  return text.empty() ? text : "places that hold a URL now\n" + text;
}

std::vector<NameValue> own_environment() {
  std::vector<NameValue> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string::npos) {
      variables.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
  }
  return variables;
}

}  // namespace mishap::cli
