#include "client-tests/verdict/expectations.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <mishap/nearest_word.h>
#include <mishap/node.h>
#include <mishap/server.h>

namespace mishap::client_tests {

using scenarios::Expectation;
using scenarios::FaultRule;
using scenarios::Level;
using scenarios::Scenario;

namespace {

// What must be in a scenario before a check can have an occasion.
enum class Need { AnyFault, AmbiguousFault, RetryAfter };

struct NeedOfCheck {
  std::string_view check;
  Need need;
};

constexpr std::array<NeedOfCheck, 17> kNeeds{{
    {"fault_activated", Need::AnyFault},
    {"attempt_timeout_bounded", Need::AnyFault},
    {"connection_released_after_timeout", Need::AnyFault},
    {"recovers_from_transient", Need::AnyFault},
    {"no_retry_on_permanent_error", Need::AnyFault},
    {"stops_on_permanent_after_transient", Need::AnyFault},
    {"bounded_attempts", Need::AnyFault},
    {"no_immediate_retry", Need::AnyFault},
    {"no_duplicate_effects", Need::AmbiguousFault},
    {"no_blind_retry_of_unsafe", Need::AmbiguousFault},
    {"retries_on_fresh_connection", Need::AnyFault},
    {"in_progress_conflict_handled", Need::AnyFault},
    {"no_lost_effects", Need::AnyFault},
    {"reconciles_unknown_outcome", Need::AmbiguousFault},
    {"unknown_reported_as_pending", Need::AmbiguousFault},
    {"retry_after_honored", Need::RetryAfter},
    {"retry_after_robust", Need::RetryAfter},
}};

const CheckDescriptor* find_in(const Checks& checks, std::string_view name) {
  const auto found =
      std::find_if(checks.begin(), checks.end(), [&](const auto* c) { return c->name == name; });
  return found == checks.end() ? nullptr : *found;
}

std::vector<std::string> names_of(const Checks& checks) {
  std::vector<std::string> names;
  for (const auto* check : checks) names.emplace_back(check->name);
  return names;
}

// An unknown fault is an error elsewhere and no reason to complain here as well.
bool is_known_fault(const FaultRule& rule) {
  const auto catalogue = server::fault_catalogue();
  return rule.as_action || std::any_of(catalogue.begin(), catalogue.end(),
                                       [&](const auto& entry) { return entry.name == rule.fault; });
}

bool mentions_retry_after(const FaultRule& rule) {
  std::string text = to_json(rule.parameters);
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return text.find("retry-after") != std::string::npos;
}

bool meets(const FaultRule& rule, Need need) {
  if (need == Need::AnyFault || !is_known_fault(rule)) return true;
  return need == Need::AmbiguousFault ? server::may_be_ambiguous(rule) : mentions_retry_after(rule);
}

std::string_view words_of(Need need) {
  switch (need) {
    case Need::AnyFault:
      return "has no fault";
    case Need::AmbiguousFault:
      return "has no fault that leaves a client without knowledge of an effect";
    case Need::RetryAfter:
      return "has no fault that answers with Retry-After";
  }
  return "";
}

void warn_of_missing_occasion(const Scenario& scenario, const Expectation& expectation,
                              Diagnostics& diagnostics) {
  if (expectation.level != Level::Required) return;
  for (const auto& [check, need] : kNeeds) {
    if (check != expectation.check) continue;
    const bool met = std::any_of(scenario.rules.begin(), scenario.rules.end(),
                                 [&, n = need](const FaultRule& rule) { return meets(rule, n); });
    if (met) return;
    diagnostics.push_back(
        {Severity::Warning,
         fmt::format("\"{}\" is required, but this scenario {}: it will be inconclusive", check,
                     words_of(need)),
         expectation.span});
  }
}

void check_one(const Scenario& scenario, const Expectation& expectation, const Checks& checks,
               Diagnostics& diagnostics) {
  static constexpr std::array<std::string_view, 2> kNotParameters{"level", "off"};
  const CheckDescriptor* check = find_in(checks, expectation.check);
  if (!check) {
    diagnostics.push_back({Severity::Error,
                           unknown_word("check", expectation.check, names_of(checks)),
                           expectation.span});
    return;
  }
  read_params(expectation.parameters, check->params, fmt::format("check \"{}\"", check->name),
              kNotParameters, diagnostics);
  warn_of_missing_occasion(scenario, expectation, diagnostics);
}

}  // namespace

Diagnostics check_expectations_with(const Scenario& scenario, const Checks& checks) {
  Diagnostics diagnostics;
  for (const Expectation& expectation : scenario.expectations) {
    check_one(scenario, expectation, checks, diagnostics);
  }
  if (scenario.shipped && scenario.counts.any()) {
    diagnostics.push_back(
        {Severity::Error,
         "a shipped scenario names checks only: outcome, attempts, effects, seen and calls depend "
         "on what the client may rightly do",
         scenario.counts.span});
  }
  return diagnostics;
}

Diagnostics check_expectations(const Scenario& scenario) {
  return check_expectations_with(scenario, check_descriptors());
}

}  // namespace mishap::client_tests
