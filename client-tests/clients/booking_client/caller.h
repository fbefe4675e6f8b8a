// One call, made until it succeeds or until trying again makes no sense.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client-tests/clients/booking_client/gate.h"
#include "client-tests/clients/booking_client/habits.h"

namespace booking {

using TimePoint = std::chrono::steady_clock::time_point;

struct CallResult {
  std::optional<Success> success;
  std::vector<Failure> failures;  // one per attempt that failed
  int renewals = 0;               // of the token
  int attempts = 0;
  TimePoint not_before{};  // what the vendor asked for, whoever sends next

  // Whether any attempt may have had an effect that we were not told of.
  bool may_have_had_effect() const;
};

struct Call {
  CallKind kind = CallKind::Read;
  std::string operation;  // for the log
  int max_attempts = 1;
  std::function<Request(int attempt)> request;
  std::function<Judgement(const Answer&)> judge;
  // Asked after the wait; false ends the call. It may have found a success elsewhere.
  std::function<bool(CallResult&)> may_resend = [](CallResult&) { return true; };
  // Gets a new token for the attempts to come; false: there is none.
  std::function<bool()> renew_token = [] { return false; };
};

class Caller {
 public:
  // `gate` is what many workers share; null where there is one.
  Caller(Habits& habits, Transport& transport, Gate* gate = nullptr)
      : habits_(habits), transport_(transport), gate_(gate) {}

  CallResult run(const Call& call, TimePoint deadline);

  const Counters& counters() const { return counters_; }

 private:
  void count(const Call& call, const CallResult& result);
  bool wait_for_quota();  // false: told to end meanwhile
  bool renew(const Call& call, const Answer& answer, CallResult& result);
  Gate::Pass ask_gate(const Call& call, TimePoint deadline);
  Judgement attempt(const Call& call, int attempt, milliseconds limit, Answer& answer);
  milliseconds while_it_runs(milliseconds backoff) const;
  std::optional<milliseconds> wait_before_next(const Call& call, const CallResult& result,
                                               const Answer& answer, TimePoint deadline);

  Habits& habits_;
  Transport& transport_;
  Gate* gate_;
  TimePoint quota_reset_{};  // nothing is left of it before
  Counters counters_;
};

}  // namespace booking
