#include "client-tests/clients/booking_client/retry_budget.h"

#include <algorithm>

namespace booking {
namespace {

constexpr double kMostTokens = 20;
constexpr double kEarned = 0.2;  // one retry for five successes

}  // namespace

void RetryBudget::earn() {
  const std::lock_guard lock(mutex_);
  tokens_ = std::min(kMostTokens, tokens_ + kEarned);
}

bool RetryBudget::spend(TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (tokens_ >= 1) {
    tokens_ -= 1;
    return true;
  }
  if (rate_ == 0 || now < next_) return false;
  next_ = now + std::chrono::milliseconds(1000) / rate_;
  return true;
}

}  // namespace booking
