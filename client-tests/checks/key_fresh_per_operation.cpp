#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/keyed_operations.h"
#include "client-tests/checks/repeated.h"
#include "client-tests/checks/tally.h"

// Different intents, different keys.
namespace mishap::client_tests {

namespace {

// By api and key: what one vendor is told under a key is nothing to another.
using Place = std::pair<std::string_view, std::string_view>;
using OperationsByKey = std::map<Place, std::vector<const Operation*>>;

struct Keys {
  OperationsByKey shared;      // that several operations carry
  std::size_t distinct = 0;    // keys in all
  std::size_t operations = 0;  // that carry one
};

const std::string& api_of(const Operation& operation) {
  return operation.attempts.front().exchange->api;
}

// Most keys are carried by one operation, and a run may have a million: only those are put in order
// that may be carried by more.
Keys keys_of(const std::vector<const Operation*>& operations) {
  Keys keys;
  std::vector<std::pair<const Operation*, std::string_view>> carried;
  Repeated repeated;
  for (const Operation* operation : operations) {
    keys.operations += operation->keys.empty() ? 0 : 1;
    for (const std::string& key : operation->keys) {
      carried.emplace_back(operation, key);
      repeated.add(std::hash<std::string_view>{}(key)*31 +
                   std::hash<std::string_view>{}(api_of(*operation)));
    }
  }
  repeated.visit([&](std::size_t place) {
    const auto& [operation, key] = carried[place];
    keys.shared[{api_of(*operation), key}].push_back(operation);
  });
  keys.distinct = repeated.unique() + keys.shared.size();
  return keys;
}

// A key made from the content is meant to be equal where the content is.
bool has_one_content(const std::vector<const Operation*>& operations) {
  std::set<std::string> contents;
  for (const Operation* operation : operations) {
    for (const Attempt& attempt : operation->attempts) {
      contents.insert(attempt.exchange->request.content_hash);
    }
  }
  return contents.size() == 1;
}

Witness cite(std::string_view key, const std::vector<const Operation*>& operations) {
  Witness made;
  std::string names;
  for (const Operation* operation : operations) {
    names += (names.empty() ? "" : ", ") + operation->name;
    for (const auto& keyed : keyed_attempts(*operation)) {
      if (keyed.key == key) made.exchanges.push_back(keyed.attempt->exchange->number);
    }
  }
  made.operation = operations.front()->number;
  made.statement =
      fmt::format("key {} for {} operations ({})", shown_key(key), operations.size(), names);
  return made;
}

Finding evaluate(const Case& c, const Params& params) {
  const Keys keys = keys_of(keyable_operations(c.history));
  Tally tally;
  for (const auto& [place, operations] : keys.shared) {
    if (operations.size() < 2) continue;
    if (params.boolean("natural_key") && has_one_content(operations)) continue;
    tally.broke(cite(place.second, operations));
  }
  if (keys.operations < 2) return not_applicable("fewer than two operations carried a key");
  tally.held(said(fmt::format("{} keys for {} operations", keys.distinct, keys.operations)));
  return std::move(tally).settle(
      {.failed = "several operations share one key",
       .reason = "The vendor takes the second operation for a repetition of the "
                 "first and does not carry it out.",
       .held = "a key of its own for each of " + counted(keys.operations, "operation")});
}

}  // namespace

const CheckDescriptor kKeyFreshPerOperation = {
    .name = "key_fresh_per_operation",
    .summary = "different operations have different keys",
    .rule = "no key is carried by two operations, equal payloads included",
    .judged = "runs with two or more operations that carry keys",
    .why = "The second booking is answered with the first one and never made.",
    .change = "Make a new random key for each operation, not for each process, user or payload.",
    .source = "draft-ietf-httpapi-idempotency-key-header section 2.2",
    .since = "0.1",
    .params = {{.name = "natural_key",
                .type = ParamType::Boolean,
                .default_text = "false",
                .help = "keys are made from the content: equal content may share one"}},
    .on_control = true,
    .severity = 92,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
