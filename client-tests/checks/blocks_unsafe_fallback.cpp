#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/tally.h"

// What is critical fails closed: it is not done in another, lesser way.
namespace mishap::client_tests {

namespace {

using server::Exchange;

// "POST /v1/bookings/:id": a method, or `any`, and a path of which ":id" is one segment.
class CallPattern {
 public:
  explicit CallPattern(std::string_view text) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    method_ = text.substr(0, blank);
    path_ = text.substr(std::min(blank + 1, text.size()));
  }

  bool is_whole() const { return !method_.empty() && path_.starts_with('/'); }

  bool matches(const std::string& method, std::string_view path) const {
    if (method_ != "any" && method_ != method) return false;
    std::string_view pattern = path_;
    while (!pattern.empty() && !path.empty()) {
      const std::string_view wanted = pattern.substr(0, pattern.find('/', 1));
      const std::string_view found = path.substr(0, path.find('/', 1));
      const bool takes_any = wanted.starts_with("/:") && found.size() > 1;
      if (!takes_any && wanted != found) return false;
      pattern.remove_prefix(wanted.size());
      path.remove_prefix(found.size());
    }
    return pattern.empty() && path.empty();
  }

 private:
  std::string_view method_;
  std::string_view path_;
};

// Calls of each copy, in order of time.
using Calls = std::map<int, std::vector<const Exchange*>>;

Calls calls_of(const Recording& recording, const CallPattern& pattern) {
  Calls calls;
  for (const Exchange& exchange : recording.journal.exchanges) {
    if (pattern.matches(exchange.request.method, exchange.request.path)) {
      calls[exchange.lane].push_back(&exchange);
    }
  }
  for (auto& [lane, of_lane] : calls) {
    std::ranges::stable_sort(of_lane, {}, &Exchange::first_byte);
  }
  return calls;
}

std::optional<Duration> first_failure(const Operation& operation) {
  for (const Attempt& attempt : operation.attempts) {
    if (attempt.failed_at) return attempt.failed_at;
  }
  return std::nullopt;
}

class Judge {
 public:
  Judge(const Case& c, const CallPattern& fallback)
      : case_(c), fallbacks_(calls_of(c.recording, fallback)) {}

  // In order of their first failures: a fallback stands for the last that had failed by then.
  void look_at_all(std::vector<const Operation*> critical) {
    std::erase_if(critical, [](const Operation* one) { return !first_failure(*one); });
    std::ranges::stable_sort(critical, {}, [](const Operation* one) {
      return std::pair(one->lane, *first_failure(*one));
    });
    for (std::size_t i = 0; i < critical.size(); ++i) {
      const bool has_next = i + 1 < critical.size() && critical[i + 1]->lane == critical[i]->lane;
      look_at(*critical[i], has_next ? first_failure(*critical[i + 1]) : std::nullopt);
    }
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "a critical call was done another way",
         .reason = "The call failed, and the client fell back to what must not stand for it.",
         .held = counted(tally_.judged(), "critical operation") + " failed closed",
         .none = "no critical operation failed for good"});
  }

 private:
  void look_at(const Operation& operation, std::optional<Duration> next) {
    const Duration failed = *first_failure(operation);
    const auto confirmed = confirmed_at(operation);
    const auto told = fallback_between(operation.lane, failed, next, confirmed);
    const std::string after = story_of(operation);
    if (told) {
      Witness cited =
          witness(operation, fmt::format("{}: {} {} came {} after it failed ({})", operation.name,
                                         told->request.method, told->request.path,
                                         seconds(told->first_byte - failed), after));
      cited.exchanges.push_back(told->number);
      return tally_.broke(std::move(cited));
    }
    if (confirmed) return;
    Witness cited =
        witness(operation, fmt::format("{}: nothing in its place after {}", operation.name, after));
    if (is_closed_after(case_, operation.lane, failed)) return tally_.held(std::move(cited));
    if (was_ended_by_scenario(case_.recording, operation.lane)) return;
    tally_.open(fmt::format("{} was still open: {}", operation.name,
                            how_it_ended(case_.recording, operation.lane)),
                std::move(cited));
  }

  const Exchange* fallback_between(int lane, Duration since, std::optional<Duration> next,
                                   std::optional<Duration> confirmed) const {
    const auto own = fallbacks_.find(lane);
    if (own == fallbacks_.end()) return nullptr;
    const auto call = std::ranges::lower_bound(own->second, since, {}, &Exchange::first_byte);
    if (call == own->second.end()) return nullptr;
    const Duration at = (*call)->first_byte;
    const bool is_of_it = (!next || at < *next) && (!confirmed || at < *confirmed);
    return is_of_it ? *call : nullptr;
  }

  const Case& case_;
  Calls fallbacks_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  const bool is_told = params.has("critical") && params.has("fallback");
  const CallPattern critical(is_told ? params.text("critical") : std::string_view());
  const CallPattern fallback(is_told ? params.text("fallback") : std::string_view());
  if (!critical.is_whole() || !fallback.is_whole()) {
    return not_applicable("the scenario names no critical call and no fallback");
  }
  if (c.control && !calls_of(*c.control, fallback).empty()) {
    return not_applicable("the client makes the other call on the good day as well");
  }
  std::vector<const Operation*> operations;
  for (const Operation& operation : c.history.operations) {
    if (critical.matches(operation.method, operation.path)) operations.push_back(&operation);
  }
  Judge judge(c, fallback);
  judge.look_at_all(std::move(operations));
  return judge.settle();
}

}  // namespace

const CheckDescriptor kBlocksUnsafeFallback = {
    .name = "blocks_unsafe_fallback",
    .summary = "a critical call that fails is not done in a lesser way",
    .rule = "after a critical operation failed, and as long as it did: calls of the fallback = 0",
    .judged =
        "operations that match `critical` and failed, in scenarios that name it and a `fallback` "
        "that is there to be called; not where the client calls that on the good day as well",
    .why =
        "A payment without its check, or a booking by a side door, is worse than one that is not "
        "made.",
    .change =
        "Say of each call whether it may be replaced; what is critical is reported as failed or "
        "blocked, and nothing is written elsewhere.",
    .source = "mission B44 (critical operations are blocked)",
    .since = "0.1",
    .params = {{.name = "critical",
                .type = ParamType::Text,
                .help = "the call that nothing may stand for, as \"POST /v1/bookings\""},
               {.name = "fallback",
                .type = ParamType::Text,
                .help = "the call that tempts, as \"POST /v1/notes\""}},
    .advisory = true,
    .severity = 45,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
