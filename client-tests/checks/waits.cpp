#include "client-tests/checks/waits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/retry_after.h"

namespace mishap::client_tests {

namespace {

constexpr double kAlike = 0.10;
constexpr double kAlikeAtLeast = 0.02;  // seconds

double number(Duration value) {
  return std::chrono::duration<double>(value).count();
}

bool is_retried_operation(const Case& c, const Operation& operation) {
  return !operation.polled && !polls(c, operation) && !is_lookup(operation) &&
         !repeats_by_habit(c, operation) && hidden_calls(c, operation) == 0;
}

bool waited_by_itself(const Case& c, const Attempt& before, const Attempt& attempt) {
  return attempt.gap && attempt.life == before.life && !retry_after(c.recording, *before.exchange);
}

Duration failed_first(const Waits& waits) {
  return waits.attempts.front()->failed_at.value_or(waits.attempts.front()->exchange->first_byte);
}

std::vector<Waits> of_most_common_method(std::vector<Waits> all) {
  std::map<std::string, std::size_t> counts;
  for (const Waits& waits : all) ++counts[waits.operation->method];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  std::erase_if(all, [&](const Waits& waits) { return waits.operation->method != most->first; });
  return all;
}

}  // namespace

Waits own_waits(const Case& c, const Operation& operation) {
  Waits waits;
  waits.operation = &operation;
  if (!is_retried_operation(c, operation)) return waits;
  const auto attempts = policy_attempts(operation);
  waits.attempts.push_back(attempts.front());
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    if (!waited_by_itself(c, *attempts[i - 1], *attempts[i])) break;
    waits.attempts.push_back(attempts[i]);
    waits.seconds.push_back(number(*attempts[i]->gap));
  }
  return waits;
}

std::vector<Waits> all_waits(const Case& c, std::size_t at_least) {
  std::vector<Waits> all;
  for (const Operation& operation : c.history.operations) {
    Waits waits = own_waits(c, operation);
    if (waits.seconds.size() >= at_least) all.push_back(std::move(waits));
  }
  return all.empty() ? all : of_most_common_method(std::move(all));
}

std::vector<Waits> parallel_waits(const Case& c, std::size_t at_least) {
  std::vector<Waits> all = all_waits(c, at_least);
  std::ranges::stable_sort(all, {}, failed_first);
  std::map<int, Duration> back_at;  // by copy: when its first one tried again
  std::vector<Waits> parallel;
  for (Waits& waits : all) {
    const int lane = waits.operation->lane;
    const auto first = back_at.find(lane);
    if (first == back_at.end()) {
      const bool has_retry = waits.attempts.size() > 1;
      back_at[lane] = has_retry ? waits.attempts[1]->exchange->first_byte : failed_first(waits);
    } else if (failed_first(waits) >= first->second) {
      continue;
    }
    parallel.push_back(std::move(waits));
  }
  return parallel;
}

statistics::Table table_of(const std::vector<Waits>& waits) {
  statistics::Table table;
  for (const Waits& of_one : waits) table.push_back(of_one.seconds);
  const std::size_t columns = statistics::common_columns(table);
  for (statistics::Sample& row : table) row.resize(columns);
  return table;
}

bool is_steady(const statistics::Table& waits) {
  for (std::size_t i = 0; i < statistics::common_columns(waits); ++i) {
    const statistics::Sample at_index = statistics::column(waits, i);
    const auto [least, most] = std::ranges::minmax_element(at_index);
    if (*most - *least > std::max(kAlikeAtLeast, kAlike * statistics::median(at_index))) {
      return false;
    }
  }
  return waits.size() > 1;
}

Witness witness_of(const std::vector<Waits>& waits, std::string statement) {
  constexpr std::size_t kCited = 3;
  Witness made;
  made.statement = std::move(statement);
  if (waits.empty()) return made;
  made.operation = waits.front().operation->number;
  for (std::size_t i = 0; i < std::min(kCited, waits.size()); ++i) {
    for (const Attempt* attempt : waits[i].attempts) {
      made.exchanges.push_back(attempt->exchange->number);
    }
  }
  return made;
}

std::string in_seconds(double value) {
  return seconds(Duration(static_cast<Duration::rep>(std::llround(value * 1e9))));
}

std::string list_of_seconds(const statistics::Sample& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + in_seconds(value);
  return text;
}

}  // namespace mishap::client_tests
