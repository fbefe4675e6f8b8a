#include "client-tests/checks/rate_limit.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace mishap::client_tests {

namespace {

constexpr std::int64_t kMostSeconds = 3'000'000'000;  // longer is all alike

bool is_rate_limit(const NameValue& field) {
  static constexpr std::string_view kName = "ratelimit";
  return std::ranges::equal(field.name, kName, [](char a, char b) { return (a | 0x20) == b; });
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_all = result.ec == std::errc{} && result.ptr == text.data() + text.size();
  return is_all && !text.empty() && value >= 0 ? std::optional(value) : std::nullopt;
}

// `"default";r=0;t=2`
std::optional<RateLimit> policy_in(std::string_view item) {
  std::optional<std::int64_t> remaining, reset;
  for (auto semicolon = item.find(';'); semicolon != std::string_view::npos;
       semicolon = item.find(';')) {
    item.remove_prefix(semicolon + 1);
    const std::string_view parameter = trimmed(item.substr(0, item.find(';')));
    if (parameter.starts_with("r=")) remaining = whole_number(parameter.substr(2));
    if (parameter.starts_with("t=")) reset = whole_number(parameter.substr(2));
  }
  if (!remaining || !reset) return std::nullopt;
  return RateLimit{*remaining, std::chrono::seconds(std::min(*reset, kMostSeconds))};
}

}  // namespace

std::optional<RateLimit> rate_limit(const server::Exchange& exchange) {
  const auto& headers = exchange.answer.headers;
  if (std::ranges::count_if(headers, is_rate_limit) != 1) return std::nullopt;
  std::string_view list = std::ranges::find_if(headers, is_rate_limit)->value;
  std::optional<RateLimit> tightest;
  while (!list.empty()) {
    const auto comma = list.find(',');
    const auto policy = policy_in(list.substr(0, comma));
    if (policy && (!tightest || policy->remaining < tightest->remaining ||
                   (policy->remaining == tightest->remaining && policy->reset > tightest->reset))) {
      tightest = policy;
    }
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return tightest;
}

}  // namespace mishap::client_tests
