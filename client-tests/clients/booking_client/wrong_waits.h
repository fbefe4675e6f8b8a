// Wrong about Retry-After.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "client-tests/clients/booking_client/chance.h"
#include "client-tests/clients/booking_client/habits.h"
#include "client-tests/clients/booking_client/retry_after.h"

namespace booking {

// A sleep that no signal ends.
class SleepsThroughSigterm : public Habits {
 public:
  using Habits::Habits;
  bool is_cancelled() const override { return false; }
  bool sleep(milliseconds length) override {
    std::this_thread::sleep_for(length);
    return true;
  }
};

// Looks at the clock until the wait is over.
class SpinsWhileWaiting : public Habits {
 public:
  using Habits::Habits;
  bool sleep(milliseconds length) override {
    const auto end = std::chrono::steady_clock::now() + length;
    while (std::chrono::steady_clock::now() < end) {
      if (is_cancelled()) return false;
    }
    return true;
  }
};

class IgnoresQuota : public Habits {
 public:
  using Habits::Habits;
  std::optional<milliseconds> quota_pause(const Answer& /*answer*/) const override {
    return std::nullopt;
  }
};

class IgnoresRetryAfter : public Habits {
 public:
  using Habits::Habits;
  std::optional<milliseconds> asked_wait(const Answer& /*answer*/) const override {
    return std::nullopt;
  }
};

// Jitter of up to a fifth to both sides of the asked wait, instead of on top of it. The first draw
// is below it, the next above, and so on: on average right, and caught in every run.
class JittersAroundRetryAfter : public Habits {
 public:
  using Habits::Habits;
  std::optional<milliseconds> plan_wait(milliseconds backoff, std::optional<milliseconds> asked,
                                        milliseconds remaining) override {
    if (!Habits::plan_wait(backoff, asked, remaining)) return std::nullopt;
    if (!asked || asked->count() == 0) return Habits::plan_wait(backoff, asked, remaining);
    const milliseconds jitter = random_between(*asked / 20, *asked / 5);
    is_below_ = !is_below_;
    return is_below_ ? *asked - jitter : *asked + jitter;
  }

 private:
  bool is_below_ = false;
};

class TakesTheShorterWait : public Habits {
 public:
  using Habits::Habits;
  std::optional<milliseconds> plan_wait(milliseconds backoff, std::optional<milliseconds> asked,
                                        milliseconds remaining) override {
    const bool asks = asked && asked->count() > 0;
    return Habits::plan_wait(asks ? std::min(backoff, *asked) : backoff, std::nullopt, remaining);
  }
};

class ReadsSecondsOnly : public Habits {
 public:
  using Habits::Habits;
  std::optional<milliseconds> asked_wait(const Answer& answer) const override {
    if (answer.retry_after.size() != 1) return std::nullopt;
    return parse_delay_seconds(answer.retry_after.front());
  }
};

class HonoursRetryAfterOn429Only : public Habits {
 public:
  using Habits::Habits;
  std::optional<milliseconds> asked_wait(const Answer& answer) const override {
    return answer.status == 429 ? Habits::asked_wait(answer) : std::nullopt;
  }
};

class CrashesOnOddRetryAfter : public Habits {
 public:
  using Habits::Habits;
  std::optional<milliseconds> asked_wait(const Answer& answer) const override {
    const auto asked = Habits::asked_wait(answer);
    // Nobody catches this: the program aborts.
    if (!asked && !answer.retry_after.empty()) throw std::invalid_argument("Retry-After");
    return asked;
  }
};

// A negative wait, as a past date gives one, ends up in an unsigned number.
class WrapsNegativeRetryAfter : public Habits {
 public:
  using Habits::Habits;
  std::optional<milliseconds> asked_wait(const Answer& answer) const override {
    if (answer.retry_after.size() != 1) return std::nullopt;
    const std::string& field = answer.retry_after.front();
    if (const auto negative = parse_negative(field)) return negative;
    const auto now = std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
    const auto date = parse_http_date(field, std::chrono::floor<std::chrono::seconds>(now));
    return date ? milliseconds(*date - now) : Habits::asked_wait(answer);
  }

  std::optional<milliseconds> plan_wait(milliseconds backoff, std::optional<milliseconds> asked,
                                        milliseconds remaining) override {
    if (asked && asked->count() < 0) return kForever;
    return Habits::plan_wait(backoff, asked, remaining);
  }

 private:
  static std::optional<milliseconds> parse_negative(const std::string& text) {
    int value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end || value >= 0) return std::nullopt;
    return std::chrono::seconds(value);
  }
};

}  // namespace booking
