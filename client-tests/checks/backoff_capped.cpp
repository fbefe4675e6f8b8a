#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/tally.h"
#include "client-tests/checks/waits.h"

// Waits stop growing.
namespace mishap::client_tests {

namespace {

constexpr double kTolerance = 1.25;
constexpr double kLate = 0.25;  // seconds
// After a wait of half the cap a client that doubles without one is well beyond it two waits later.
constexpr std::size_t kFurther = 2;

class Judge {
 public:
  explicit Judge(const Case& c)
      : cap_(std::chrono::duration<double>(c.bounds.max_delay).count()),
        promised_(c.recording.scenario.promise.max_delay.has_value()) {}

  void look_at(const Waits& waits) {
    const double limit = kTolerance * cap_ + kLate;
    const auto longest = std::ranges::max_element(waits.seconds);
    if (longest == waits.seconds.end()) return;
    const bool kept = *longest <= limit;
    const auto index = static_cast<std::size_t>(longest - waits.seconds.begin());
    const Witness cited = witness(
        *waits.operation, {waits.attempts[index], waits.attempts[index + 1]},
        fmt::format("{}: wait {} {} {:.2f} x {} + {}", waits.operation->name, in_seconds(*longest),
                    kept ? "<=" : ">", kTolerance, in_seconds(cap_), in_seconds(kLate)));
    if (!kept) {
      tally_.broke(cited);
    } else if (promised_ && came_near(waits.seconds)) {
      tally_.held(cited);
    }
  }

  Finding settle() const {
    return tally_.settle(
        {.failed = "waits grow beyond their cap",
         .reason = fmt::format("A wait was longer than {}.", in_seconds(cap_)),
         .held = fmt::format("{} stayed below {}", counted(tally_.judged(), "operation"),
                             in_seconds(cap_)),
         .none = promised_ ? "no waits came near the promised longest one"
                           : "no longest wait is promised (--promise max_delay=2s)"});
  }

 private:
  bool came_near(const statistics::Sample& waits) const {
    const auto near = std::ranges::find_if(waits, [&](double wait) { return wait >= cap_ / 2; });
    return static_cast<std::size_t>(waits.end() - near) > kFurther;
  }

  double cap_;
  bool promised_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  Judge judge(c);
  for (const Operation& operation : c.history.operations) judge.look_at(own_waits(c, operation));
  return judge.settle();
}

}  // namespace

const CheckDescriptor kBackoffCapped = {
    .name = "backoff_capped",
    .summary = "waits stop growing at a longest one",
    .rule = "no wait > max_delay x 1.25 + 250 ms (120 s where nothing is promised)",
    .judged =
        "operations that waited by themselves; for a pass max_delay must be promised, and a wait "
        "of "
        "half of it be followed by two more",
    .why = "Ten doublings turn a second into a quarter of an hour, in which nothing recovers.",
    .change = "Take the smaller of the doubled wait and a cap, 30 to 120 s in a job.",
    .source = "AWS Architecture Blog, Exponential Backoff And Jitter (capped); gRPC proposal A6",
    .since = "0.1",
    .timing = true,
    .severity = 44,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
