#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/keyed_operations.h"
#include "client-tests/checks/tally.h"

// Different intents, different keys.
namespace mishap::client_tests {

namespace {

// By api and key: what one vendor is told under a key is nothing to another.
using OperationsByKey =
    std::map<std::pair<std::string, std::string>, std::vector<const Operation*>>;

OperationsByKey by_key(const std::vector<const Operation*>& operations) {
  OperationsByKey shared;
  for (const Operation* operation : operations) {
    std::set<std::string> own;
    for (const auto& keyed : keyed_attempts(*operation)) own.insert(keyed.key);
    const std::string& api = operation->attempts.front().exchange->api;
    for (const auto& key : own) shared[{api, key}].push_back(operation);
  }
  return shared;
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

Witness cite(const std::string& key, const std::vector<const Operation*>& operations) {
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
  const auto shared = by_key(keyable_operations(c.history));
  std::set<const Operation*> keyed;
  Tally tally;
  for (const auto& [place, operations] : shared) {
    keyed.insert(operations.begin(), operations.end());
    if (operations.size() < 2) continue;
    if (params.boolean("natural_key") && has_one_content(operations)) continue;
    tally.broke(cite(place.second, operations));
  }
  if (keyed.size() < 2) return not_applicable("fewer than two operations carried a key");
  tally.held(said(fmt::format("{} keys for {} operations", shared.size(), keyed.size())));
  return tally.settle(
      {.failed = "several operations share one key",
       .reason = "The vendor takes the second operation for a repetition of the "
                 "first and does not carry it out.",
       .held = "a key of its own for each of " + counted(keyed.size(), "operation")});
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
