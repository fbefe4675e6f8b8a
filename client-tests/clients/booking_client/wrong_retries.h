// Wrong about time and about which failures are worth another attempt.
#pragma once

#include <climits>
#include <utility>

#include "client-tests/clients/booking_client/habits.h"
#include "client-tests/clients/booking_client/httplib_transport.h"
#include "client-tests/clients/booking_client/leaky_transport.h"

namespace booking {

class NoTimeout : public Habits {
 public:
  using Habits::Habits;
  milliseconds attempt_limit(milliseconds /*remaining*/) const override { return kForever; }
};

// The limit of the operation is the only one.
class AttemptMayTakeAll : public Habits {
 public:
  using Habits::Habits;
  milliseconds attempt_limit(milliseconds remaining) const override { return remaining; }
};

class RenewsForEver : public Habits {
 public:
  using Habits::Habits;
  int renewals() const override { return INT_MAX; }
};

class KeepsPeopleWaiting : public Habits {
 public:
  using Habits::Habits;
  milliseconds patience() const override { return settings().deadline; }
};

class NoDeadline : public Habits {
 public:
  explicit NoDeadline(const Settings& settings) : Habits(without_limits(settings)) {}

 private:
  static Settings without_limits(Settings settings) {
    settings.deadline = 2 * kForever;  // longer than the longest wait that can be asked for
    settings.retry_after_limit = kForever;
    return settings;
  }
};

class PerReadTimeoutOnly : public Habits {
 public:
  using Habits::Habits;
  std::unique_ptr<Transport> make_transport(const std::string& origin) override {
    return make_httplib_transport(origin, ReadTimeout::PerRead);
  }
};

class LeaksConnection : public Habits {
 public:
  using Habits::Habits;
  std::unique_ptr<Transport> make_transport(const std::string& origin) override {
    return make_leaky_transport(origin, leaks_);
  }
  void after_work() override { wait_with_leaks_open(leaks_); }

 private:
  std::shared_ptr<LeakCount> leaks_ = std::make_shared<LeakCount>();
};

class NeverRetries : public Habits {
 public:
  explicit NeverRetries(const Settings& settings) : Habits(with_one_attempt(settings)) {}

 private:
  static Settings with_one_attempt(Settings settings) {
    settings.max_attempts = 1;
    return settings;
  }
};

class RetriesForever : public Habits {
 public:
  explicit RetriesForever(const Settings& settings) : Habits(without_end(settings)) {}

 private:
  static Settings without_end(Settings settings) {
    settings.max_attempts = INT_MAX;
    settings.deadline = kForever;
    return settings;
  }
};

class RetriesEverything : public Habits {
 public:
  using Habits::Habits;
  bool may_retry(CallKind, const std::vector<Failure>&) const override { return true; }
};

class ClassifiesOnce : public Habits {
 public:
  using Habits::Habits;
  bool may_retry(CallKind, const std::vector<Failure>& failures) const override {
    return failures.front().retryable;
  }
};

class NoBackoff : public Habits {
 public:
  using Habits::Habits;
  milliseconds backoff(int /*failed_attempts*/) const override { return milliseconds(0); }
};

}  // namespace booking
