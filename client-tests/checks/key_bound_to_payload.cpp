#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/keyed_operations.h"
#include "client-tests/checks/repeated.h"
#include "client-tests/checks/request_format.h"
#include "client-tests/checks/tally.h"

// A key never travels with changed content.
namespace mishap::client_tests {

namespace {

struct Use {
  const Operation* operation = nullptr;
  const Attempt* attempt = nullptr;

  const server::RequestFacts& request() const { return attempt->exchange->request; }
};

// A key counts within a copy of the client, a method and a path, as it does for the vendor.
using Scope = std::tuple<int, std::string_view, std::string_view, std::string_view>;
using UsesByKey = std::map<Scope, std::vector<Use>>;

std::size_t hash_of(const Scope& scope) {
  const std::hash<std::string_view> hash;
  return ((hash(std::get<3>(scope)) * 31 + hash(std::get<2>(scope))) * 31 +
          hash(std::get<1>(scope))) *
             31 +
         static_cast<std::size_t>(std::get<0>(scope));
}

// Most keys are used once, and a run may have a million: only those are put in order that may have
// been used again.
UsesByKey uses_of_repeated_keys(const History& history) {
  std::vector<std::pair<Use, std::string_view>> all;
  Repeated repeated;
  const auto scope_of = [](const Use& use, std::string_view key) {
    return Scope(use.operation->lane, use.request().method, use.request().path, key);
  };
  for (const Operation* operation : keyable_operations(history)) {
    for (const auto& [attempt, key] : keyed_attempts(*operation)) {
      const Use use{operation, attempt};
      if (!use.request().complete) continue;
      all.emplace_back(use, key);
      repeated.add(hash_of(scope_of(use, key)));
    }
  }
  UsesByKey uses;
  repeated.visit([&](std::size_t place) {
    const auto& [use, key] = all[place];
    uses[scope_of(use, key)].push_back(use);
  });
  for (auto& [scope, of_one] : uses) {
    std::ranges::stable_sort(of_one, {},
                             [](const Use& use) { return use.attempt->exchange->first_byte; });
  }
  return uses;
}

// Two things that the client itself names differently: its key is not fresh, which is another rule.
bool are_two_intents(const Use& a, const Use& b) {
  const std::string& one = a.operation->reference;
  const std::string& other = b.operation->reference;
  return a.operation != b.operation && !one.empty() && !other.empty() && one != other;
}

Witness cite(const Use& before, const Use& after, std::string statement) {
  return witness(*after.operation, {before.attempt, after.attempt}, std::move(statement));
}

class Judge {
 public:
  void look_at(std::string_view key, const std::vector<Use>& uses) {
    bool is_bound = uses.size() > 1;
    for (std::size_t i = 1; i < uses.size(); ++i) {
      is_bound = compare(key, uses[i - 1], uses[i]) && is_bound;
    }
    if (!is_bound) return;
    std::vector<const Attempt*> cited;
    for (const Use& use : uses) cited.push_back(use.attempt);
    tally_.held(
        witness(*uses.front().operation, cited,
                fmt::format("key {}: the same content {} times", shown_key(key), uses.size())));
  }

  // A batch is no operation of its own, but its key is one.
  void look_at_batches(const Recording& recording) {
    std::map<Scope, const server::Exchange*> last;
    for (const server::Exchange& exchange : recording.journal.exchanges) {
      const auto& request = exchange.request;
      if (exchange.items.empty() || request.key.empty() || !request.complete) continue;
      auto& before = last[{exchange.lane, request.method, request.path, request.key}];
      if (before != nullptr) compare_batches(*before, exchange);
      before = &exchange;
    }
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "one key travelled with changed content",
         .reason = "A vendor that compares refuses the repetition (422), and the "
                   "operation stays in doubt.",
         .held = "unchanged content under " + counted(tally_.judged(), "key"),
         .none = "no key was sent twice"});
  }

 private:
  // Whether the pair shows a key that stayed with its content.
  bool compare(std::string_view key, const Use& before, const Use& after) {
    const auto& was = before.request();
    const auto& is = after.request();
    if (was.content_hash == is.content_hash) {
      const bool is_known = !was.body_hash.empty() && !is.body_hash.empty();  // no item of a batch
      if (is_known && was.body_hash != is.body_hash && !is_multipart(is)) {
        warn_once(
            fmt::format("key {}: the same content in other bytes; a vendor that compares "
                        "bytes refuses it",
                        shown_key(key)));
      }
      return true;
    }
    if (are_two_intents(before, after)) return false;
    const std::string text = fmt::format(
        "{}: key {} with other content than before, after {}; answered {}", after.operation->name,
        shown_key(key), ending_of(*before.attempt), ending_of(*after.attempt));
    if (is_permanent(*before.attempt)) {
      warn_once(text + "; a vendor that keeps refusals would repeat its own");
    } else if (!is_comparable(was) || !is_comparable(is)) {
      tally_.open("the bodies under one key differ in a format that cannot be compared by meaning",
                  cite(before, after, text));
    } else {
      tally_.broke(cite(before, after, text));
    }
    return false;
  }

  void compare_batches(const server::Exchange& before, const server::Exchange& after) {
    const bool is_same = before.request.content_hash == after.request.content_hash;
    Witness cited = said(fmt::format("key {} of a batch: {} content than before; answered {}",
                                     shown_key(after.request.key), is_same ? "no other" : "other",
                                     after.answer.status));
    cited.exchanges = {before.number, after.number};
    is_same ? tally_.held(std::move(cited)) : tally_.broke(std::move(cited));
  }

  void warn_once(const std::string& warning) {
    if (!warned_) tally_.warn(warning);
    warned_ = true;
  }

  Tally tally_;
  bool warned_ = false;
};

Finding evaluate(const Case& c, const Params&) {
  Judge judge;
  for (const auto& [scope, uses] : uses_of_repeated_keys(c.history)) {
    judge.look_at(std::get<3>(scope), uses);
  }
  judge.look_at_batches(c.recording);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kKeyBoundToPayload = {
    .name = "key_bound_to_payload",
    .summary = "a key never travels with changed content",
    .rule =
        "one content (method, path, query, body; JSON key order, white space and multipart "
        "boundary aside) for each key; other bytes with the same meaning: a warning",
    .judged =
        "keys that were sent twice or more; a request corrected after a refusal is a warning, "
        "compressed and opaque bodies cannot be compared",
    .why =
        "The vendor takes it for a mistake and refuses; whether the first one took effect stays "
        "unknown.",
    .change =
        "Build the body once for each operation and send the same bytes on every attempt; put "
        "attempt numbers and time stamps into headers.",
    .source = "draft-ietf-httpapi-idempotency-key-header section 2.7",
    .since = "0.1",
    .on_control = true,
    .severity = 84,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
