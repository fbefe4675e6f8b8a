#include <mishap/history.h>

#include <algorithm>
#include <future>
#include <map>
#include <set>
#include <string_view>

#include "client-tests/checks/history_attempts.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/operation_gathering.h"
#include "client-tests/checks/outcome_owners.h"

namespace mishap::client_tests {

using server::Exchange;

std::string_view to_string(OperationClass klass) {
  switch (klass) {
    case OperationClass::Safe:
      return "safe";
    case OperationClass::Idempotent:
      return "idempotent";
    case OperationClass::Keyed:
      return "keyed";
    case OperationClass::Unkeyed:
      return "unkeyed";
  }
  return "?";
}

std::string_view to_string(Knowable knowable) {
  switch (knowable) {
    case Knowable::NotProcessed:
      return "not_processed";
    case Knowable::Ambiguous:
      return "ambiguous";
    case Knowable::Processed:
      return "processed";
  }
  return "?";
}

std::string_view to_string(Truth truth) {
  switch (truth) {
    case Truth::NotReceived:
      return "not_received";
    case Truth::NoEffect:
      return "no_effect";
    case Truth::Effect:
      return "effect";
    case Truth::EffectLater:
      return "effect_later";
    case Truth::Unknown:
      return "unknown";
  }
  return "?";
}

std::string_view to_string(Result result) {
  switch (result) {
    case Result::Success:
      return "success";
    case Result::Spoiled:
      return "spoiled";
    case Result::Redirect:
      return "redirect";
    case Result::Throttled:
      return "throttled";
    case Result::ClientError:
      return "client_error";
    case Result::ServerError:
      return "server_error";
    case Result::Broken:
      return "broken";
    case Result::Abandoned:
      return "abandoned";
    case Result::Unanswered:
      return "unanswered";
  }
  return "?";
}

namespace {

OperationClass class_of(const Operation& operation) {
  const Exchange& first = *operation.attempts.front().exchange;
  if (first.safe) return OperationClass::Safe;
  if (first.idempotent) return OperationClass::Idempotent;
  return operation.keys.empty() ? OperationClass::Unkeyed : OperationClass::Keyed;
}

// Where there are several apis, a path alone says too little.
std::string call_of(const Recording& recording, const Operation& operation) {
  const std::string call = operation.method + " " + operation.path;
  const std::string& api = operation.attempts.front().exchange->api;
  return recording.scenario.apis.size() > 1 ? api + " " + call : call;
}

std::string name_of(const Recording& recording, const Operation& operation) {
  static constexpr std::size_t kShownOfKey = 8;
  if (!operation.reference.empty()) return operation.reference;
  if (!operation.keys.empty()) {
    const std::string& key = operation.keys.front();
    return key.size() <= kShownOfKey ? "key " + key : "key " + key.substr(0, kShownOfKey) + "…";
  }
  return call_of(recording, operation) + " #" + std::to_string(operation.ordinal);
}

bool is_ours(Stop stop) {
  return stop == Stop::Killed || stop == Stop::Interrupted;
}

// What the end of a copy of the client says about its attempts and its words.
class CopyEnds {
 public:
  explicit CopyEnds(const Recording& recording) : recording_(recording) {
    for (const ProcessFacts& process : recording.processes) {
      if (!is_ours(process.stop)) continue;
      ended_by_us_.insert(process.copy);
      if (!process.told_to_end) continue;
      const auto [told, is_new] = told_to_end_.try_emplace(process.copy, *process.told_to_end);
      if (!is_new) told->second = std::min(told->second, *process.told_to_end);
    }
  }

  bool was_ended_by_us(int copy) const { return ended_by_us_.contains(copy); }

  // What it says while the driver ends it, since it would not end by itself, is no act of its own:
  // by then it had said nothing.
  bool was_said_in_the_end(const OutcomeLine& line) const {
    const auto told = told_to_end_.find(line.copy);
    return told != told_to_end_.end() && line.at >= told->second;
  }

  // Of a copy that was met before.
  const Lives& lives_of(int copy) const { return lives_.at(copy); }
  void meet(int copy) { lives_.try_emplace(copy, recording_, copy); }

 private:
  const Recording& recording_;
  std::set<int> ended_by_us_;
  std::map<int, Duration> told_to_end_;
  std::map<int, Lives> lives_;
};

// A read has neither a reference nor a key: the client names it by its request.
bool names_a_read(const OutcomeLine& line) {
  return line.operation.starts_with("GET /") || line.operation.starts_with("HEAD /");
}

// A pending counts as an end only as the last line, and not from a client that then hung until it
// was killed: such a one may have written it while it went on waiting.
LastWords last_words_of(const Operation& operation, const CopyEnds& ends) {
  LastWords words;
  for (const OutcomeLine* line : operation.outcomes) {
    if (line->outcome != OutcomeKind::Pending) words.push_back(line->at);
  }
  if (!operation.outcomes.empty() && operation.outcomes.back()->outcome == OutcomeKind::Pending &&
      !ends.was_ended_by_us(operation.lane)) {
    words.push_back(operation.outcomes.back()->at);
  }
  std::ranges::sort(words);
  return words;
}

// Of one operation, by the exchange that made them.
class EffectsByExchange {
 public:
  explicit EffectsByExchange(const Operation& operation) : effects_(operation.effects) {
    std::ranges::stable_sort(effects_, {}, &server::Effect::exchange);
  }

  std::vector<Duration> instants(const Exchange& exchange) const {
    std::vector<Duration> instants;
    const auto made =
        std::ranges::equal_range(effects_, exchange.number, {}, &server::Effect::exchange);
    for (const server::Effect* effect : made) instants.push_back(effect->at);
    return instants;
  }

 private:
  std::vector<const server::Effect*> effects_;
};

void finish(const Recording& recording, const CopyEnds& ends, Operation& operation) {
  std::ranges::stable_sort(operation.attempts, {},
                           [](const Attempt& attempt) { return attempt.exchange->first_byte; });
  operation.klass = class_of(operation);
  operation.name = name_of(recording, operation);
  const EffectsByExchange effects(operation);
  judge_attempts(operation.attempts, last_words_of(operation, ends), ends.lives_of(operation.lane),
                 [&](const Exchange& exchange) { return effects.instants(exchange); });
  operation.policy_attempts = operation.attempts.back().policy_number;
}

// Each by itself: a large run by two threads.
void finish_all(const Recording& recording, CopyEnds& ends, std::vector<Operation>& operations) {
  constexpr std::size_t kWorthAThread = 5000;
  for (const Operation& operation : operations) ends.meet(operation.lane);
  const auto finish_part = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) finish(recording, ends, operations[i]);
  };
  const std::size_t half = operations.size() > kWorthAThread ? operations.size() / 2 : 0;
  std::future<void> first;
  if (half > 0) first = std::async(std::launch::async, finish_part, 0, half);
  finish_part(half, operations.size());
  if (first.valid()) first.get();
}

}  // namespace

History make_history(const Recording& recording) {
  History history;
  history.recording = &recording;
  history.index = empty_index();
  history.operations = gather_operations(recording, history);
  CopyEnds ends(recording);
  if (!recording.outcomes.empty()) {
    OutcomeOwners owners(history.operations);
    for (const OutcomeLine& line : recording.outcomes) {
      if (ends.was_said_in_the_end(line)) continue;
      if (owners.add(line)) continue;
      (names_a_read(line) ? history.read_outcomes : history.orphan_outcomes).push_back(&line);
    }
  }
  finish_all(recording, ends, history.operations);
  return history;
}

}  // namespace mishap::client_tests
