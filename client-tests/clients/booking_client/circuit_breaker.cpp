#include "client-tests/clients/booking_client/circuit_breaker.h"

namespace booking {

std::optional<CircuitBreaker::Leave> CircuitBreaker::enter(TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::Open && now >= opens_until_) change(State::HalfOpen);
  if (state_ == State::Open) return std::nullopt;
  if (state_ == State::HalfOpen) {
    if (probes_ >= habits_.probes()) return std::nullopt;
    ++probes_;
  }
  return Leave{period_};
}

void CircuitBreaker::tell(Leave leave, bool succeeded, TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (leave.period != period_) return;
  if (state_ == State::HalfOpen && succeeded) return change(State::Closed);
  latest_.push_back(succeeded);
  if (!succeeded) ++failures_;
  if (latest_.size() > habits_.breaker_calls()) {
    if (!latest_.front()) --failures_;
    latest_.pop_front();
  }
  if (state_ == State::Closed && !habits_.trips(latest_.size(), failures_)) return;
  change(State::Open);
  opens_until_ = now + habits_.stays_open();
}

bool CircuitBreaker::is_open(TimePoint now) const {
  const std::lock_guard lock(mutex_);
  if (state_ == State::Open) return now < opens_until_;
  return state_ == State::HalfOpen && probes_ >= habits_.probes();
}

void CircuitBreaker::change(State state) {
  state_ = state;
  ++period_;
  latest_.clear();
  failures_ = 0;
  probes_ = 0;
}

}  // namespace booking
