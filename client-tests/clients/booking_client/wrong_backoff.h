// Wrong about how long to wait when nobody asks for it, which only many copies show.
#pragma once

#include <algorithm>
#include <random>

#include "client-tests/clients/booking_client/chance.h"
#include "client-tests/clients/booking_client/habits.h"

namespace booking {

// Waits exactly as long as it may.
class NoJitter : public Habits {
 public:
  using Habits::Habits;
  milliseconds backoff(int failed_attempts) const override { return ceiling(failed_attempts); }

 protected:
  milliseconds ceiling(int failed_attempts) const {
    milliseconds wait = settings().base;
    for (int i = 1; i < failed_attempts && wait < settings().max_delay; ++i) wait *= 2;
    return std::min(wait, settings().max_delay);
  }
};

// Its generator has the seed that it was written with, so that all copies draw the same waits.
class SameSeed : public NoJitter {
 public:
  using NoJitter::NoJitter;
  milliseconds backoff(int failed_attempts) const override {
    const auto most = static_cast<std::uint_fast32_t>(ceiling(failed_attempts).count());
    return settings().min_delay / 2 + milliseconds(most / 2 + engine_() % (most / 2));
  }

 private:
  mutable std::mt19937 engine_{1};
};

// A few milliseconds on top of a wait of seconds.
class TinyJitter : public NoJitter {
 public:
  using NoJitter::NoJitter;
  milliseconds backoff(int failed_attempts) const override {
    return ceiling(failed_attempts) + random_between(milliseconds(0), milliseconds(25));
  }
};

// The same wait after every failure, a fifth more or less.
class ConstantDelay : public Habits {
 public:
  using Habits::Habits;
  milliseconds backoff(int /*failed_attempts*/) const override {
    return random_between(settings().base * 4 / 5, settings().base * 6 / 5);
  }
};

// Doubles without a cap.
class Uncapped : public Habits {
 public:
  explicit Uncapped(const Settings& settings) : Habits(without_cap(settings)) {}

 private:
  static Settings without_cap(Settings settings) {
    settings.max_delay = kForever;
    return settings;
  }
};

// A library that tries three times, called by a job that tries three times.
class NestedRetries : public Habits {
 public:
  explicit NestedRetries(const Settings& settings) : Habits(three_times_three(settings)) {}
  milliseconds backoff(int failed_attempts) const override {
    const int in_turn = failed_attempts % kTurn;
    if (in_turn == 0) return random_between(2 * settings().base, 3 * settings().base);
    return random_between(settings().base / 4, settings().base * in_turn / 2);
  }

 private:
  static constexpr int kTurn = 3;
  static Settings three_times_three(Settings settings) {
    settings.max_attempts = kTurn * kTurn;
    return settings;
  }
};

// Comes back the moment that Retry-After is over, as all the others do.
class AddsNothingToRetryAfter : public Habits {
 public:
  using Habits::Habits;
  std::optional<milliseconds> plan_wait(milliseconds backoff, std::optional<milliseconds> asked,
                                        milliseconds remaining) override {
    const bool asks = asked && asked->count() > 0;
    return Habits::plan_wait(asks ? milliseconds(0) : backoff, asked, remaining);
  }
};

}  // namespace booking
