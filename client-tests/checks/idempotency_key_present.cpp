#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/keyed_operations.h"
#include "client-tests/checks/tally.h"

// A client that uses keys uses them on every attempt of every such call.
namespace mishap::client_tests {

namespace {

bool is_required(const Recording& recording) {
  const auto& all = recording.scenario.expectations;
  return std::any_of(all.begin(), all.end(), [](const scenarios::Expectation& expectation) {
    return expectation.check == kIdempotencyKeyPresent.name &&
           expectation.level == scenarios::Level::Required;
  });
}

using Place = std::pair<std::string, std::string>;  // api and path

Place place_of(const Operation& operation) {
  return {operation.attempts.front().exchange->api, operation.path};
}

// Where the client sends keys: another kind of call may need none.
std::set<Place> keyed_places(const std::vector<const Operation*>& operations) {
  std::set<Place> places;
  for (const Operation* operation : operations) {
    if (operation->klass == OperationClass::Keyed) places.insert(place_of(*operation));
  }
  return places;
}

void judge(const Operation& operation, Tally& tally) {
  const auto keyed = keyed_attempts(operation).size();
  const std::string text = fmt::format("{}: a key on {} of {} attempts", operation.name, keyed,
                                       operation.attempts.size());
  if (keyed == operation.attempts.size()) {
    tally.held(witness(operation, text));
    return;
  }
  std::vector<const Attempt*> bare;
  for (const Attempt& attempt : operation.attempts) {
    if (attempt.exchange->request.key.empty()) bare.push_back(&attempt);
  }
  tally.broke(witness(operation, bare, text));
}

Finding evaluate(const Case& c, const Params&) {
  if (!c.recording.scenario.offers_keys) return not_applicable("the API takes no keys");
  const auto operations = keyable_operations(c.history);
  const auto places = keyed_places(operations);
  const bool required = is_required(c.recording);
  if (places.empty() && !required) return not_applicable("your client sends no keys");
  Tally tally;
  for (const Operation* operation : operations) {
    if (operation->method != "POST") continue;
    if (required || places.contains(place_of(*operation))) judge(*operation, tally);
  }
  return std::move(tally).settle(
      {.failed = "a create went out without its key",
       .reason = "An attempt without the key cannot be recognised by the vendor.",
       .held = "a key on every attempt of " + counted(tally.judged(), "create"),
       .none = "your client made no create whose attempts can be told apart"});
}

}  // namespace

const CheckDescriptor kIdempotencyKeyPresent = {
    .name = "idempotency_key_present",
    .summary = "creates carry a key on every attempt",
    .rule = "every attempt of a create has a non-empty idempotency key",
    .judged =
        "creates on paths to which the client sends keys at all; with `required` every create",
    .why =
        "The first attempt is the one that may have taken effect: a key that comes later is too "
        "late.",
    .change = "Make the key before the first attempt and send it with all of them.",
    .source = "draft-ietf-httpapi-idempotency-key-header section 2",
    .since = "0.1",
    .on_control = true,
    .severity = 80,
    .families = {Family::SecondEffect},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
