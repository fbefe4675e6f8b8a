#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "client-tests/checks/attempt_counter.h"
#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/operation_end.h"
#include "client-tests/checks/tally.h"
#include "client-tests/checks/waits.h"
#include "client-tests/statistics/layers.h"

// Retries do not multiply.
namespace mishap::client_tests {

namespace {

constexpr std::size_t kAttempts = 4;  // two turns of two: the smallest nest
constexpr double kNoise = 0.02;       // seconds, between waits that are meant to be equal

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  // A counter that the client itself sends begins anew while the operation goes on: two loops.
  void look_at_counters(const Operation& operation) {
    const Attempt* before = nullptr;
    std::optional<AttemptCounter> last;
    for (const Attempt* attempt : policy_attempts(operation)) {
      const auto counter = attempt_counter(attempt->exchange->request);
      if (!counter) continue;
      counted_ = true;
      if (last && before->life == attempt->life && begins_anew(*last, *counter)) {
        tally_.broke(witness(operation, {before, attempt},
                             fmt::format("{}: {} begins anew: {} after {}", operation.name,
                                         counter->field, counter->text, last->text)));
        return;
      }
      last = counter;
      before = attempt;
    }
  }

  // More attempts than promised, by a whole factor.
  void look_at_product(const Operation& operation) {
    if (!case_.bounds.max_attempts_promised) return;
    const auto most = static_cast<std::uint64_t>(case_.bounds.max_attempts);
    const auto waits = own_waits(case_, operation);
    const std::uint64_t made = waits.attempts.size();
    if (most < 2 || made <= most || made % most != 0) return;
    // One that never gives up passes by every product.
    if (end_of(case_, operation).how == OperationEnd::How::StillOpen) return;
    tally_.broke(witness(operation, waits.attempts,
                         fmt::format("{}: {} attempts = {} x {} promised ones", operation.name,
                                     made, made / most, most)));
  }

  void look_at_waits() {
    const auto waits = all_waits(case_, kAttempts - 1);
    const auto table = table_of(waits);
    const bool is_many = waits.size() >= statistics::kLayerSample;
    if (waits.empty()) return;
    const auto layers =
        is_many ? statistics::find_layers(table) : statistics::find_repeating_layers(table, kNoise);
    const std::string measured =
        fmt::format("medians of {}: {}", counted(waits.size(), "operation"),
                    list_of_seconds(statistics::medians_by_column(table)));
    if (layers) {
      tally_.broke(
          witness_of(waits, fmt::format("{}; they fall back after every {} attempts: {} x {}",
                                        measured, layers->inner, layers->outer, layers->inner)));
    } else if (is_many || is_steady(table)) {
      tally_.held(witness_of(waits, measured + "; they never begin anew"));
    } else {
      none_ = fmt::format("{} waited, differently long: {} would tell",
                          counted(waits.size(), "operation"), statistics::kLayerSample);
    }
  }

  Finding settle() {
    if (counted_ && !tally_.any_broken()) {
      tally_.held(said("the client's own attempt counter never begins anew"));
    }
    return tally_.settle(
        {.failed = "one retry loop inside another",
         .reason = "What one layer gives up another begins anew, so that their attempts multiply.",
         .held = "one layer retries",
         .none = none_});
  }

 private:
  const Case& case_;
  bool counted_ = false;
  std::string none_ = fmt::format("no operation was tried {} times by itself", kAttempts);
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  Judge judge(c);
  for (const Operation& operation : c.history.operations) {
    judge.look_at_counters(operation);
    judge.look_at_product(operation);
  }
  judge.look_at_waits();
  return judge.settle();
}

}  // namespace

const CheckDescriptor kSingleRetryLayer = {
    .name = "single_retry_layer",
    .summary = "retries do not multiply: no retry loop inside another",
    .rule =
        "no product of promised attempts; waits do not fall back (< 60 %) at exactly the ends of "
        "equal turns; the client's own attempt counter does not begin anew within one operation",
    .judged =
        "operations with four attempts or more: 20 of them, or fewer whose waits are alike; those "
        "that send amz-sdk-request, x-stainless-retry-count or grpc-previous-rpc-attempts",
    .why = "Three attempts in a library, a job and a queue are twenty-seven for the vendor.",
    .change =
        "Retry in one deliberate place; switch the retries of the SDK or of the queue off, "
        "whichever "
        "is not that place.",
    .source =
        "AWS Builders' Library, Timeouts, retries and backoff with jitter; Google SRE book, "
        "chapter "
        "22; Azure, Retry Storm antipattern",
    .since = "0.1",
    .timing = true,
    .severity = 58,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
