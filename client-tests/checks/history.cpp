#include <mishap/history.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "client-tests/checks/batch_exchange.h"
#include "client-tests/checks/history_attempts.h"

namespace mishap::client_tests {

using server::Exchange;
using server::Role;

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

using OperationsByNumber = std::map<std::uint64_t, Operation>;

std::string without_quotes(std::string_view key) {
  if (key.size() >= 2 && key.front() == '"' && key.back() == '"') {
    key = key.substr(1, key.size() - 2);
  }
  return std::string(key);
}

bool is_out_of_operations(const Exchange& exchange) {
  return exchange.role == Role::Unmatched || exchange.role == Role::Rejected ||
         !belongs_to_operations(exchange);
}

void begin_operation(Operation& operation, const Exchange& exchange) {
  operation.number = exchange.identity.operation;
  operation.ordinal = exchange.identity.ordinal;
  operation.lane = exchange.lane;
  operation.method = exchange.request.method;
  operation.path = exchange.request.path;
  operation.by = exchange.identity.by;
}

void add_attempt(Operation& operation, const Exchange& exchange) {
  if (operation.attempts.empty()) begin_operation(operation, exchange);
  if (operation.reference.empty()) operation.reference = exchange.request.reference;
  const std::string key = without_quotes(exchange.request.key);
  auto& keys = operation.keys;
  if (!key.empty() && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  operation.overlapping = operation.overlapping || exchange.identity.overlapping;
  operation.polled = operation.polled || exchange.role == Role::Poll;
  Attempt attempt;
  attempt.exchange = &exchange;
  operation.attempts.push_back(attempt);
}

OperationsByNumber gather(const Recording& recording, History& history) {
  OperationsByNumber operations;
  for (const Exchange& exchange : recording.journal.exchanges) {
    if (is_out_of_operations(exchange)) {
      history.unmatched.push_back(&exchange);
    } else if (exchange.items.empty()) {
      add_attempt(operations[exchange.identity.operation], exchange);
    }
    for (Exchange& item : items_as_calls(exchange)) {
      const Exchange& call = history.items.emplace_back(std::move(item));
      add_attempt(operations[call.identity.operation], call);
    }
  }
  return operations;
}

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

void add_lookups(const Recording& recording, OperationsByNumber& operations) {
  for (const Exchange& exchange : recording.journal.exchanges) {
    for (const std::uint64_t number : exchange.looked_up) {
      const auto found = operations.find(number);
      if (found != operations.end()) found->second.lookups.push_back(&exchange);
    }
  }
}

void add_effects(const Recording& recording, OperationsByNumber& operations) {
  for (const server::Effect& effect : recording.journal.effects) {
    const auto found = operations.find(effect.operation);
    if (found != operations.end()) found->second.effects.push_back(&effect);
  }
}

// The reference is the stronger name: a line that is one operation's reference and by chance
// another's key belongs to the first. A key that several operations share names each of them.
bool add_outcome(const OutcomeLine& line, OperationsByNumber& operations) {
  const std::string name = without_quotes(line.operation);
  bool found = false;
  for (auto& [number, operation] : operations) {
    if (operation.lane != line.copy || operation.reference.empty()) continue;
    if (operation.reference != line.operation && operation.reference != name) continue;
    operation.outcomes.push_back(&line);
    found = true;
  }
  if (found) return true;
  for (auto& [number, operation] : operations) {
    if (operation.lane != line.copy) continue;
    if (std::find(operation.keys.begin(), operation.keys.end(), name) == operation.keys.end()) {
      continue;
    }
    operation.outcomes.push_back(&line);
    found = true;
  }
  return found;
}

bool was_ended_by_us(const Recording& recording, int copy) {
  return std::any_of(recording.processes.begin(), recording.processes.end(),
                     [&](const ProcessFacts& process) {
                       return process.copy == copy &&
                              (process.stop == Stop::Killed || process.stop == Stop::Interrupted);
                     });
}

// What it says while the driver ends it, since it would not end by itself, is no act of its own: by
// then it had said nothing.
bool was_said_in_the_end(const Recording& recording, const OutcomeLine& line) {
  return std::any_of(
      recording.processes.begin(), recording.processes.end(), [&](const ProcessFacts& process) {
        const bool by_us = process.stop == Stop::Killed || process.stop == Stop::Interrupted;
        return by_us && process.copy == line.copy && process.told_to_end &&
               line.at >= *process.told_to_end;
      });
}

// A pending counts as an end only as the last line, and not from a client that then hung until it
// was killed: such a one may have written it while it went on waiting.
LastWords last_words_of(const Recording& recording, const Operation& operation) {
  LastWords words;
  for (const OutcomeLine* line : operation.outcomes) {
    if (line->outcome != OutcomeKind::Pending) words.push_back(line->at);
  }
  if (!operation.outcomes.empty() && operation.outcomes.back()->outcome == OutcomeKind::Pending &&
      !was_ended_by_us(recording, operation.lane)) {
    words.push_back(operation.outcomes.back()->at);
  }
  return words;
}

std::vector<Duration> effect_instants(const Operation& operation, const Exchange& exchange) {
  std::vector<Duration> instants;
  for (const server::Effect* effect : operation.effects) {
    if (effect->exchange == exchange.number) instants.push_back(effect->at);
  }
  return instants;
}

void finish(const Recording& recording, Operation& operation) {
  std::stable_sort(operation.attempts.begin(), operation.attempts.end(),
                   [](const Attempt& a, const Attempt& b) {
                     return a.exchange->first_byte < b.exchange->first_byte;
                   });
  operation.klass = class_of(operation);
  operation.name = name_of(recording, operation);
  judge_attempts(operation.attempts, last_words_of(recording, operation),
                 Lives(recording, operation.lane),
                 [&](const Exchange& exchange) { return effect_instants(operation, exchange); });
  operation.policy_attempts = operation.attempts.back().policy_number;
}

}  // namespace

History make_history(const Recording& recording) {
  History history;
  OperationsByNumber operations = gather(recording, history);
  add_lookups(recording, operations);
  add_effects(recording, operations);
  for (const OutcomeLine& line : recording.outcomes) {
    if (was_said_in_the_end(recording, line)) continue;
    if (!add_outcome(line, operations)) history.orphan_outcomes.push_back(&line);
  }
  history.operations.reserve(operations.size());
  for (auto& [number, operation] : operations) {
    finish(recording, operation);
    history.operations.push_back(std::move(operation));
  }
  return history;
}

}  // namespace mishap::client_tests
