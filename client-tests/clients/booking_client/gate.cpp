#include "client-tests/clients/booking_client/gate.h"

#include <algorithm>

#include "client-tests/clients/booking_client/chance.h"

namespace booking {
namespace {

using std::chrono::steady_clock;

Failure turned_away(Category category, const char* what) {
  return {category, false, Effect::None, true, what};
}

// Whether the vendor works: a refusal for good is an answer like any other.
bool is_well(const Judgement& judgement) {
  const Failure* failure = std::get_if<Failure>(&judgement);
  return failure == nullptr || failure->category == Category::Permanent ||
         failure->category == Category::NotFoundYet || failure->category == Category::InProgress;
}

}  // namespace

Route route_of(CallKind kind) {
  return kind == CallKind::Read ? Route::Products : Route::Bookings;
}

Gate::Gate(const Habits& habits)
    : habits_(habits),
      breakers_{CircuitBreaker(habits), CircuitBreaker(habits)},
      budget_(std::max(0, habits.settings().retry_budget)) {}

Gate::Pass Gate::enter(Route route, TimePoint end, Habits& worker) {
  Pass pass;
  // A pause may have grown while it was waited for.
  while (const auto wait = pause(route, steady_clock::now())) {
    if (steady_clock::now() + *wait >= end) {
      pass.refused =
          turned_away(Category::Throttling, "told to wait for longer than there is time");
      return pass;
    }
    if (!worker.sleep(*wait)) {
      pass.refused = turned_away(Category::Throttling, "told to end");
      return pass;
    }
  }
  if (habits_.settings().breaker == milliseconds(0)) return pass;
  pass.leave = breakers_[static_cast<std::size_t>(route)].enter(steady_clock::now());
  if (!pass.leave) pass.refused = turned_away(Category::CircuitOpen, "circuit open");
  return pass;
}

// Each that waits comes back a little later, by a draw of its own: else all came at once.
std::optional<milliseconds> Gate::pause(Route route, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const TimePoint resumes = resumes_[static_cast<std::size_t>(route)];
  if (resumes <= now) return std::nullopt;
  return std::chrono::ceil<milliseconds>(resumes - now) +
         random_between(milliseconds(0), habits_.settings().max_delay);
}

void Gate::tell(Route route, const Pass& pass, const Judgement& judgement,
                std::optional<milliseconds> asked) {
  const TimePoint now = steady_clock::now();
  if (pass.leave)
    breakers_[static_cast<std::size_t>(route)].tell(*pass.leave, is_well(judgement), now);
  if (std::holds_alternative<Success>(judgement)) return budget_.earn();
  if (!habits_.settings().shares_throttling || !habits_.tells_siblings() || !asked) return;
  const std::lock_guard lock(mutex_);
  TimePoint& resumes = resumes_[static_cast<std::size_t>(route)];
  resumes = std::max(resumes, now + *asked);
}

bool Gate::may_retry() {
  if (habits_.settings().retry_budget < 0 || !habits_.spends_tokens()) return true;
  return budget_.spend(steady_clock::now());
}

bool Gate::is_shut(Route route) const {
  if (habits_.settings().breaker == milliseconds(0)) return false;
  return breakers_[static_cast<std::size_t>(route)].is_open(steady_clock::now());
}

}  // namespace booking
