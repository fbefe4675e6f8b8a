#include <fmt/format.h>

#include <string>
#include <unordered_set>

#include "client-tests/checks/breaker.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/tally.h"

// Half open is a trickle.
namespace mishap::client_tests {

namespace {

// What was sent behind an open time, until a call succeeded or the next one began.
struct Burst {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t operations = 0;
  std::optional<Duration> well_at;  // a call succeeded
};

Burst burst_behind(const CallLine& line, std::size_t first, std::size_t stop) {
  Burst burst{first, first, 0, {}};
  std::unordered_set<std::uint64_t> operations;
  for (; burst.end < stop; ++burst.end) {
    const Sent& sent = line.sent[burst.end];
    if (burst.well_at && sent.at >= *burst.well_at) break;
    operations.insert(sent.operation->number);
    const auto end = seen_to_end(*sent.attempt);
    if (sent.attempt->result == Result::Success && end &&
        (!burst.well_at || *end < *burst.well_at)) {
      burst.well_at = end;
    }
  }
  burst.operations = operations.size();
  return burst;
}

void judge(const BreakerStory& story, std::size_t probes, Tally& tally) {
  const CallLine& line = *story.line;
  for (std::size_t i = 0; i < story.silences.size(); ++i) {
    const Silence& silence = story.silences[i];
    if (!silence.looks_open() || silence.next == line.sent.size()) continue;
    const bool is_last = i + 1 == story.silences.size();
    const std::size_t stop = is_last ? line.sent.size() : story.silences[i + 1].next;
    const Burst burst = burst_behind(line, silence.next, stop);
    const bool kept = burst.operations <= probes;
    Witness cited = witness_of(
        line, burst.first, burst.end,
        fmt::format("{}: after {} without a call {} sent before the first success, {} {} {}",
                    line.name(), seconds(silence.to - silence.from),
                    counted(burst.operations, "operation"), burst.operations, kept ? "<=" : ">",
                    probes));
    if (silence.is_doubtful()) {
      tally.open(std::string(kDoubtful), std::move(cited));
    } else if (!kept) {
      tally.broke(std::move(cited));
    } else if (burst.well_at || !is_last) {
      tally.held(std::move(cited));
    } else {
      tally.open("the run ended before a probe was answered", std::move(cited));
    }
  }
}

Finding evaluate(const Case& c, const Params& params) {
  const auto& promised = c.recording.scenario.promise.breaker;
  if (!promised) return not_applicable("no breaker is promised (--promise breaker=5s)");
  const auto probes = static_cast<std::size_t>(params.integer("probes"));
  Tally tally;
  const CallLines lines(c.history);
  const Unsent unsent(c);
  for (const auto& story : tell_breakers(c, lines, unsent, *promised, 1)) {
    judge(story, probes, tally);
  }
  return std::move(tally).settle(
      {.failed = "the half-open breaker lets all through",
       .reason = "A vendor that may be back got every call that had waited for it.",
       .held = counted(tally.judged(), "half-open time") + " with a few probes",
       .none = "the breaker was never seen to try again"});
}

}  // namespace

const CheckDescriptor kCircuitBreakerProbes = {
    .name = "circuit_breaker_probes",
    .summary = "half open is a trickle",
    .rule =
        "operations sent between an open time and the first success, or the next open time, <= 10; "
        "the retries of one count once",
    .judged =
        "clients that promise a breaker, after times in which nothing was under way though "
        "operations were begun; where another route was in trouble as well it is open to doubt",
    .why = "All that waited, at once, is what brings a vendor down again that has just come back.",
    .change = "Let one call through, or a few, and the others only when it has succeeded.",
    .source = "Polly and Resilience4j, half-open state; Azure, Circuit Breaker pattern",
    .since = "0.1",
    .params = {{.name = "probes",
                .type = ParamType::Integer,
                .default_text = "10",
                .range = "1..100000",
                .help = "how many may be sent before one has succeeded"}},
    .severity = 43,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
