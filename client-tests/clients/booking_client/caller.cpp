#include "client-tests/clients/booking_client/caller.h"

#include <algorithm>

#include "client-tests/clients/booking_client/log.h"

namespace booking {
namespace {

using std::chrono::duration_cast;
using std::chrono::steady_clock;

milliseconds until(TimePoint deadline) {
  return duration_cast<milliseconds>(deadline - steady_clock::now());
}

AttemptLine line_of(const Call& call, int attempt, const Answer& answer, TimePoint began) {
  AttemptLine line{call.operation, name_of(call.kind), attempt, answer.status, "none", "", {}, ""};
  line.took = duration_cast<milliseconds>(steady_clock::now() - began);
  return line;
}

}  // namespace

bool CallResult::may_have_had_effect() const {
  return std::any_of(failures.begin(), failures.end(),
                     [](const Failure& failure) { return failure.effect == Effect::Unknown; });
}

CallResult Caller::run(const Call& call, TimePoint deadline) {
  CallResult result;
  if (!wait_for_quota()) return result;
  while (until(deadline) > milliseconds(0) && !habits_.is_cancelled()) {
    const TimePoint began = steady_clock::now();
    Answer answer;
    const Judgement judgement =
        attempt(call, ++result.attempts, habits_.attempt_limit(until(deadline)), answer);
    AttemptLine line = line_of(call, result.attempts, answer, began);
    if (const Success* success = std::get_if<Success>(&judgement)) {
      line.next = "done";
      log_attempt(line);
      result.success = *success;
      break;
    }
    result.failures.push_back(std::get<Failure>(judgement));
    const auto wait = wait_before_next(call, result, answer, deadline);
    line.category = name_of(result.failures.back().category);
    line.what = result.failures.back().what;
    line.next = wait ? "again in " + std::to_string(wait->count()) + "ms" : "no further attempt";
    log_attempt(line);
    if (!wait) break;
    if (!habits_.sleep(*wait)) break;
    if (!call.may_resend(result)) break;
  }
  return result;
}

bool Caller::wait_for_quota() {
  const milliseconds left = until(quota_reset_);
  return left <= milliseconds(0) || habits_.sleep(left);
}

Judgement Caller::attempt(const Call& call, int attempt, milliseconds limit, Answer& answer) {
  answer = transport_.exchange(call.request(attempt), limit);
  if (const auto pause = habits_.quota_pause(answer)) quota_reset_ = steady_clock::now() + *pause;
  const Judgement judgement = habits_.believe(answer, call.judge(answer));
  // After any trouble the connection is not worth our trust.
  const Failure* failure = std::get_if<Failure>(&judgement);
  if (failure != nullptr && failure->category != Category::NotFoundYet) {
    transport_.drop_connection();
  }
  return judgement;
}

std::optional<milliseconds> Caller::wait_before_next(const Call& call, const CallResult& result,
                                                     const Answer& answer, TimePoint deadline) {
  if (result.attempts >= call.max_attempts) return std::nullopt;
  if (!habits_.may_retry(call.kind, result.failures)) return std::nullopt;
  const std::optional<milliseconds> asked = habits_.asked_wait(answer);
  milliseconds backoff = habits_.backoff(result.attempts);
  const bool is_running = result.failures.back().category == Category::InProgress;
  if (is_running && !asked) backoff += habits_.settings().in_progress_delay;
  return habits_.plan_wait(backoff, asked, until(deadline));
}

}  // namespace booking
