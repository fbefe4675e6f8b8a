// Wrong about questions that are still open: what they mean, how they are closed, who is told.
#pragma once

#include <string>

#include "client-tests/clients/booking_client/habits.h"

namespace booking {

class AttemptInBody : public Habits {
 public:
  using Habits::Habits;
  std::string body_for(const Intent& intent, int attempt) const override {
    return intent.body.substr(0, intent.body.size() - 1) +
           ",\"attempt\":" + std::to_string(attempt) + '}';
  }
};

class ConflictIsFinal : public Habits {
 public:
  using Habits::Habits;
  bool may_retry(CallKind kind, const std::vector<Failure>& failures) const override {
    return !is_last_word(failures.back()) && Habits::may_retry(kind, failures);
  }
  bool is_last_word(const Failure& failure) const override {
    return failure.category == Category::InProgress;
  }
};

// Asks once, and takes a list that does not show the booking for the truth.
class LooksOnce : public Habits {
 public:
  using Habits::Habits;
  bool may_retry(CallKind kind, const std::vector<Failure>& failures) const override {
    const Failure& last = failures.back();
    const bool is_lost = last.unanswered && last.effect == Effect::Unknown;
    return !(kind == CallKind::Create && is_lost) && Habits::may_retry(kind, failures);
  }
  int lookups() const override { return 1; }
  bool believes_absence() const override { return true; }
};

class SwallowsFailures : public Habits {
 public:
  using Habits::Habits;
  bool reports(Outcome outcome) const override { return outcome == Outcome::Succeeded; }
};

class DropsExhausted : public SwallowsFailures {
 public:
  using SwallowsFailures::SwallowsFailures;
  int exit_code(bool /*all_succeeded*/) const override { return 0; }
};

// For --plain-vendor: there is nobody to ask, so it makes up an answer.
class UnknownIsFailed : public Habits {
 public:
  explicit UnknownIsFailed(const Settings& settings) : Habits(for_plain_vendor(settings)) {}
  bool reconciles() const override { return false; }

 private:
  static Settings for_plain_vendor(Settings settings) {
    settings.plain_vendor = true;
    return settings;
  }
};

}  // namespace booking
