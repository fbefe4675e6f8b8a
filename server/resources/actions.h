#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mishap/ledger.h"
#include "mishap/scenario.h"
#include "server/plan/step.h"
#include "server/resources/content.h"
#include "server/resources/schema.h"
#include "server/resources/store.h"

namespace mishap::server {

// What is asked of a resource.
struct Action {
  const scenarios::Resource& resource;
  const ItemSchema* schema = nullptr;  // null: none
  scenarios::Verb verb = scenarios::Verb::List;
  std::string id;  // of Read, Replace, Patch, Delete
  const Content& content;
  const std::vector<NameValue>& query;
  bool head_only = false;
};

// What became of it: the answer, the change to the state where there was one, and the ids that the
// answer shows. `executed` tells an answer of the vendor's work (a conflict, too) from a refusal
// before it began: only the former is remembered for an idempotency key.
struct Outcome {
  SendAnswer answer;
  struct Change {
    EffectKind kind = EffectKind::Created;
    std::string id;
    std::string reference;
  };
  std::optional<Change> change;
  std::vector<std::string> shown;
  bool executed = true;
};

// Changes the collection and answers. The bytes depend on nothing but the state and the action.
Outcome perform(Collection& collection, const Action& action);

}  // namespace mishap::server
