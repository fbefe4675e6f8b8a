#include "mishap/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

// The numbers of the profiles, each with where it comes from: rows A.., B.. and C.. of mission.md,
// or the bound that the checks take where nothing is promised.
namespace mishap::scenarios {
namespace {

// clang-format off
constexpr ParamSpec kB2b[] = {
    {.name = "max_attempts", .type = ParamType::Integer, .default_text = "5", .help = "A52: 3 to 5 attempts; A19, C23: 5"},
    {.name = "attempt_timeout", .type = ParamType::Duration, .default_text = "10s", .help = "A06, B09: each attempt has one; B13: five of them fit into the deadline"},
    {.name = "deadline", .type = ParamType::Duration, .default_text = "120s", .help = "B28: a ceiling on the whole; the bound of the checks"},
    {.name = "max_delay", .type = ParamType::Duration, .default_text = "60s", .help = "A52: 30 to 60 s, the upper end"},
    {.name = "retries", .type = ParamType::Choice, .default_text = "declared", .choices = "none|declared", .help = "A33, B71: what may vanish is tried again"},
    {.name = "answer_within", .type = ParamType::Duration, .help = "B11: nobody waits for it"},
};

constexpr ParamSpec kInteractive[] = {
    {.name = "max_attempts", .type = ParamType::Integer, .default_text = "3", .help = "B33: few retries; A05: 3 to 8, the lower end"},
    {.name = "attempt_timeout", .type = ParamType::Duration, .default_text = "3s", .help = "B13: three of them fit into the deadline"},
    {.name = "deadline", .type = ParamType::Duration, .default_text = "10s", .help = "B11: a quick answer, be it \"pending\""},
    {.name = "max_delay", .type = ParamType::Duration, .default_text = "2s", .help = "B33: a pause that a person sits through"},
    {.name = "retries", .type = ParamType::Choice, .choices = "none|declared", .help = "B11, B33: trying again is allowed, not asked for"},
    {.name = "answer_within", .type = ParamType::Duration, .default_text = "10s", .help = "B11, A29: be it \"pending\"; then a queue takes over"},
};

constexpr ParamSpec kBackground[] = {
    {.name = "max_attempts", .type = ParamType::Integer, .default_text = "8", .help = "A05: 3 to 8, the upper end"},
    {.name = "attempt_timeout", .type = ParamType::Duration, .default_text = "30s", .help = "B12: longer but bounded; the bound of the checks"},
    {.name = "deadline", .type = ParamType::Duration, .default_text = "300s", .help = "B12, C27: a budget for the job"},
    {.name = "max_delay", .type = ParamType::Duration, .default_text = "120s", .help = "A18: 30 to 120 s, the upper end"},
    {.name = "retries", .type = ParamType::Choice, .default_text = "declared", .choices = "none|declared", .help = "C14: what may vanish is tried again"},
    {.name = "answer_within", .type = ParamType::Duration, .help = "B12: nobody waits for it"},
};

constexpr ParamSpec kStrict[] = {
    {.name = "max_attempts", .type = ParamType::Integer, .default_text = "3", .help = "A52: 3 to 5 attempts, the lower end"},
    {.name = "attempt_timeout", .type = ParamType::Duration, .default_text = "5s", .help = "B04: short; B13: three of them fit into the deadline"},
    {.name = "deadline", .type = ParamType::Duration, .default_text = "60s", .help = "A43: five waits cost nearly a minute"},
    {.name = "max_delay", .type = ParamType::Duration, .default_text = "30s", .help = "A18, A52: 30 s, the lower end; C23: cap 30"},
    {.name = "retries", .type = ParamType::Choice, .default_text = "declared", .choices = "none|declared", .help = "A33, B71: what may vanish is tried again"},
    {.name = "answer_within", .type = ParamType::Duration, .help = "B11: whether somebody waits is not said"},
};
// clang-format on

std::string_view written(const Profile& profile, std::string_view key) {
  const auto found = std::ranges::find(profile.numbers, key, &ParamSpec::name);
  assert(found != profile.numbers.end() && "a profile has every number");
  return found->default_text;
}

template <typename T>
void take(std::optional<T>& into, const std::optional<T>& from) {
  if (from) into = from;
}

void add(std::string& list, std::string_view key, const std::string& value) {
  list += fmt::format("{}{} {}", list.empty() ? "" : ", ", key, value);
}

}  // namespace

Promise Profile::promise() const {
  Promise promise;
  promise.profile = std::string(name);
  promise.max_attempts = *parse_integer(written(*this, "max_attempts"));
  promise.attempt_timeout = *parse_duration(written(*this, "attempt_timeout"));
  promise.deadline = *parse_duration(written(*this, "deadline"));
  promise.max_delay = *parse_duration(written(*this, "max_delay"));
  if (const auto retries = written(*this, "retries"); !retries.empty()) {
    promise.retries = retries == "declared";
  }
  if (const auto within = written(*this, "answer_within"); !within.empty()) {
    promise.answer_within = *parse_duration(within);
  }
  return promise;
}

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = {
      {"b2b", "a business integration: a few attempts, then a queue or a person takes over", kB2b},
      {"interactive", "a person waits: a quick answer; long work goes to a queue", kInteractive},
      {"background", "a job that nobody waits for: patient, but bounded", kBackground},
      {"strict", "the narrow end of every range, for a vendor that must not be leant on", kStrict},
  };
  return all;
}

const Profile* find_profile(std::string_view name) {
  const auto found = std::ranges::find(profiles(), name, &Profile::name);
  return found == profiles().end() ? nullptr : &*found;
}

std::vector<CatalogueEntry> profile_catalogue() {
  std::vector<CatalogueEntry> entries;
  for (const Profile& profile : profiles()) {
    entries.push_back({profile.name,
                       profile.summary,
                       profile.numbers,
                       "0.2",
                       {{"use",
                         "--promise NAME, or promise: NAME in a scenario or mishap.yaml; "
                         "single values beside it win"}}});
  }
  return entries;
}

std::string profile_table_markdown() {
  std::string table = "| profile | for |";
  for (const ParamSpec& number : profiles().front().numbers) {
    table += fmt::format(" {} |", number.name);
  }
  table += "\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Profile& profile : profiles()) {
    table += fmt::format("| `{}` | {} |", profile.name, profile.summary);
    for (const ParamSpec& number : profile.numbers) {
      table += fmt::format(" {} |", number.default_text.empty() ? "not said" : number.default_text);
    }
    table += "\n";
  }
  return table;
}

Promise laid_over(Promise base, const Promise& over) {
  if (!over.profile.empty()) base.profile = over.profile;
  take(base.max_attempts, over.max_attempts);
  take(base.attempt_timeout, over.attempt_timeout);
  take(base.deadline, over.deadline);
  take(base.max_delay, over.max_delay);
  take(base.retries, over.retries);
  take(base.answer_within, over.answer_within);
  take(base.breaker, over.breaker);
  take(base.retry_budget, over.retry_budget);
  return base;
}

std::string describe(const Promise& promise) {
  std::string list;
  if (promise.max_attempts) add(list, "max_attempts", std::to_string(*promise.max_attempts));
  if (promise.attempt_timeout) {
    add(list, "attempt_timeout", format_duration(*promise.attempt_timeout));
  }
  if (promise.deadline) add(list, "deadline", format_duration(*promise.deadline));
  if (promise.max_delay) add(list, "max_delay", format_duration(*promise.max_delay));
  if (promise.retries) add(list, "retries", *promise.retries ? "declared" : "none");
  if (promise.answer_within) add(list, "answer_within", format_duration(*promise.answer_within));
  if (promise.breaker) add(list, "breaker", format_duration(*promise.breaker));
  if (promise.retry_budget) add(list, "retry_budget", std::to_string(*promise.retry_budget));
  return promise.profile.empty() ? list : fmt::format("{}: {}", promise.profile, list);
}

}  // namespace mishap::scenarios
