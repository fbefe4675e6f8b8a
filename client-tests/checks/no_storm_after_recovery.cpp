#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/call_lines.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/tally.h"

// The system settles when a fault is over.
namespace mishap::client_tests {

namespace {

constexpr double kMost = 1.5;
constexpr double kServed = 0.95;
constexpr std::size_t kFailed = 20;  // operations that the fault met
constexpr std::size_t kEnough = 20;  // requests to be expected behind it
constexpr Duration kMoment = std::chrono::seconds(1);

// What the vendor does under load is no fault that ends.
bool is_load(const server::RuleHit& hit) {
  return hit.fault == "capacity" || hit.fault == "quota";
}

bool met_a_fault(const server::Exchange& exchange) {
  return std::ranges::any_of(exchange.rules,
                             [](const auto& hit) { return hit.fired && !is_load(hit); });
}

double ratio(std::size_t of, std::size_t to) {
  return static_cast<double>(of) / static_cast<double>(to);
}

struct Outage {
  Duration from{};
  Duration to{};          // the last request that it met
  Duration last_begun{};  // the last operation that was begun
};

// Of one copy; nothing where the fault met too few.
std::optional<Outage> outage_of(const std::vector<const Operation*>& operations) {
  Outage outage{.from = Duration::max()};
  std::size_t failed = 0;
  for (const Operation* operation : operations) {
    if (operation->attempts.empty() || is_lookup(*operation)) continue;
    const Duration begun = operation->attempts.front().exchange->first_byte;
    outage.last_begun = std::max(outage.last_begun, begun);
    bool was_met = false;
    for (const Attempt& attempt : operation->attempts) {
      if (!met_a_fault(*attempt.exchange) || !is_transient(attempt)) continue;
      outage.from = std::min(outage.from, attempt.exchange->first_byte);
      outage.to = std::max(outage.to, attempt.exchange->first_byte);
      was_met = true;
    }
    failed += was_met ? 1 : 0;
  }
  return failed < kFailed ? std::nullopt : std::optional(outage);
}

// A lane on the good day: when its requests came, in order, and how many there were for each
// operation.
struct Usual {
  std::vector<Duration> instants;
  double each = 1;
};

Usual usual_of(const Case& c, int lane) {
  Usual usual;
  std::set<std::uint64_t> operations;
  for (const auto* exchange :
       lane_lines(*c.control_history).of(lane_in_control(c, lane)).exchanges()) {
    usual.instants.push_back(exchange->first_byte);
    operations.insert(exchange->identity.operation);
  }
  std::ranges::sort(usual.instants);
  if (!operations.empty()) usual.each = ratio(usual.instants.size(), operations.size());
  return usual;
}

struct Load {
  std::size_t came = 0;
  std::size_t served = 0;
  std::set<std::uint64_t> operations;
  std::vector<std::uint64_t> first;  // a few of them
};

// Whatever the answer says, the vendor took it up: a lookup that finds nothing is served as well.
bool was_served(const server::Exchange& exchange) {
  const StatusCode status = exchange.answer.status;
  return exchange.receipt.delivery == server::Delivery::Complete && status < 500 && status != 429;
}

Load load_between(const Case& c, int lane, Duration from, Duration to) {
  constexpr std::size_t kCited = 4;
  Load load;
  for (const server::Exchange* exchange : lane_lines(c.history).of(lane).exchanges()) {
    if (exchange->first_byte < from || exchange->first_byte >= to) continue;
    ++load.came;
    load.operations.insert(exchange->identity.operation);
    if (load.first.size() < kCited) load.first.push_back(exchange->number);
    if (was_served(*exchange)) ++load.served;
  }
  return load;
}

bool was_well_again(const Case& c, int lane, Duration after) {
  const auto& all = lane_lines(c.history).of(lane).exchanges();
  return std::ranges::any_of(all, [&](const server::Exchange* exchange) {
    return exchange->first_byte > after && exchange->answer.success &&
           exchange->receipt.delivery == server::Delivery::Complete;
  });
}

// Why there is no settling to be seen; empty: there is.
std::string_view no_occasion(const Case& c, int lane, const Outage& outage, Duration gap,
                             const Usual& usual) {
  const Duration window = outage.last_begun - outage.to - 2 * gap;
  if (!was_well_again(c, lane, outage.to)) return "no call shows that the fault was over";
  if (outage.to - outage.from < 3 * gap) return "the fault was shorter than three waits";
  if (window < kMoment) return "too few operations were begun after the fault";
  const auto most = stretches_of(usual.instants, window).most;
  if (most == 0) return "the healthy control shows no rate for so long";
  return most >= kEnough ? "" : "too few operations were begun after the fault";
}

std::string_view judge(const Case& c, int lane, const Outage& outage, Tally& tally) {
  const Duration gap = largest_gap(c.history, lane);
  const Duration from = outage.to + 2 * gap;
  const Duration window = outage.last_begun - from;
  const Usual usual = usual_of(c, lane);
  const auto why = no_occasion(c, lane, outage, gap, usual);
  if (!why.empty()) return why;
  const auto most = stretches_of(usual.instants, window).most;
  const Load load = load_between(c, lane, from, outage.last_begun);
  const double share = load.came == 0 ? 1.0 : ratio(load.served, load.came);
  const double each = load.came == 0 ? 0.0 : ratio(load.came, load.operations.size());
  const bool is_calm = ratio(load.came, most) <= kMost;
  const bool is_spared = each <= kMost * usual.each;
  const bool is_served = share >= kServed;
  Witness cited = said(fmt::format(
      "{} requests in {}, from {} behind the fault on, {} {} x {} on a good day; {:.2f} for each "
      "operation {} {} x {:.2f}; {:.1f} % of them served {} {:.0f} %",
      load.came, seconds(window), seconds(2 * gap), is_calm ? "<=" : ">", kMost, most, each,
      is_spared ? "<=" : ">", kMost, usual.each, 100 * share, is_served ? ">=" : "<",
      100 * kServed));
  cited.exchanges = load.first;
  if (!is_served || (!is_calm && !is_spared)) {
    tally.broke(std::move(cited));
    return {};
  }
  // A backlog that is worked off, each item once and served, is what a queue is for.
  if (!is_calm)
    tally.warn("more came than on a good day, each once and served: " + cited.statement);
  tally.held(std::move(cited));
  return {};
}

Finding evaluate(const Case& c, const Params&) {
  if (!c.control_history) return not_applicable("there is no healthy control to compare with");
  std::set<int> lanes;
  for (const Operation& operation : c.history.operations) lanes.insert(operation.lane);
  Tally tally;
  std::string_view none = "no fault met twenty operations of one copy";
  for (const int lane : lanes) {
    const auto outage = outage_of(operations_of(c.history, lane));
    const auto why = outage ? judge(c, lane, *outage, tally) : std::string_view();
    if (!why.empty()) none = why;
  }
  return std::move(tally).settle(
      {.failed = "a storm after the fault",
       .reason = "The vendor was well again, and what had failed kept coming back all at once.",
       .held = "the usual load when the fault is over",
       .none = std::string(none)});
}

}  // namespace

const CheckDescriptor kNoStormAfterRecovery = {
    .name = "no_storm_after_recovery",
    .summary = "load is as usual when a fault is over",
    .rule =
        "from twice the longest wait behind the last failure on: 95 % of the requests served (not "
        "5xx, not 429, whole), and <= 1.5 x those of the control's fullest stretch of that length "
        "or <= 1.5 x the control's for each operation",
    .judged =
        "faults that met twenty operations of one copy, lasted three times as long as its longest "
        "wait and were seen to end while it went on beginning operations",
    .why = "What comes back all at once brings the vendor down again, and so on without an end.",
    .change = "Spread what is overdue with jitter, bound it, and let retries cost tokens.",
    .source =
        "Azure, Retry Storm antipattern; Bronson et al., Metastable Failures in Distributed "
        "Systems (HotOS 2021)",
    .since = "0.1",
    .timing = true,
    .severity = 47,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
