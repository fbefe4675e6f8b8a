// Wrong about what many workers share.
#pragma once

#include <chrono>
#include <climits>

#include "client-tests/clients/booking_client/habits.h"

namespace booking {

class NeverTrips : public Habits {
 public:
  using Habits::Habits;
  bool trips(std::size_t /*calls*/, std::size_t /*failures*/) const override { return false; }
};

class FloodsHalfOpen : public Habits {
 public:
  using Habits::Habits;
  int probes() const override { return INT_MAX; }
};

class StaysOpen : public Habits {
 public:
  using Habits::Habits;
  milliseconds stays_open() const override { return kForever; }
};

class OnePool : public Habits {
 public:
  using Habits::Habits;
  bool separates_routes() const override { return false; }
};

class ThrottledAlone : public Habits {
 public:
  using Habits::Habits;
  bool tells_siblings() const override { return false; }
};

class SpendsWithoutEnd : public Habits {
 public:
  using Habits::Habits;
  bool spends_tokens() const override { return false; }
};

// A queue of what failed, emptied by a timer.
class OverdueAtOnce : public Habits {
 public:
  explicit OverdueAtOnce(const Settings& settings) : Habits(patient(settings)) {}
  milliseconds backoff(int /*failed_attempts*/) const override {
    using std::chrono::steady_clock;
    const auto now = std::chrono::floor<milliseconds>(steady_clock::now().time_since_epoch());
    return milliseconds(1000) - now % milliseconds(1000);
  }
  bool spends_tokens() const override { return false; }

 private:
  static Settings patient(Settings settings) {
    settings.max_attempts = INT_MAX;
    settings.deadline = std::chrono::minutes(1);
    return settings;
  }
};

}  // namespace booking
