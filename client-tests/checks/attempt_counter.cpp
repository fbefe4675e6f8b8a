#include "client-tests/checks/attempt_counter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace mishap::client_tests {

namespace {

constexpr std::string_view kAmazon = "amz-sdk-request";
constexpr std::array<std::string_view, 4> kFields = {
    kAmazon, "x-stainless-retry-count", "grpc-previous-rpc-attempts", "x-envoy-attempt-count"};

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return made;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr == text.data()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> count_in(std::string_view name, std::string_view value) {
  if (name != kAmazon) return number(value);
  constexpr std::string_view kAttempt = "attempt=";
  const auto at = value.find(kAttempt);
  return at == std::string_view::npos ? std::nullopt : number(value.substr(at + kAttempt.size()));
}

}  // namespace

std::optional<AttemptCounter> attempt_counter(const server::RequestFacts& request) {
  for (const server::KeptField& field : request.headers) {
    const std::string name = lower(field.name);
    if (std::ranges::find(kFields, name) == kFields.end()) continue;
    const auto count = count_in(name, field.value);
    if (count) return AttemptCounter{field.name, field.value, *count};
  }
  return std::nullopt;
}

bool begins_anew(const AttemptCounter& before, const AttemptCounter& after) {
  return before.field == after.field && after.count < before.count;
}

}  // namespace mishap::client_tests
