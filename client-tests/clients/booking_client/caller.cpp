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
  line.request_id = answer.request_id;
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
    const Gate::Pass pass = ask_gate(call, deadline);
    if (pass.refused) {
      result.failures.push_back(*pass.refused);
      break;
    }
    const TimePoint began = steady_clock::now();
    Answer answer;
    const Judgement judgement =
        attempt(call, ++result.attempts, habits_.attempt_limit(until(deadline)), answer);
    const auto asked = habits_.asked_wait(answer);
    if (asked) result.not_before = steady_clock::now() + *asked;
    if (gate_ != nullptr) gate_->tell(route_of(call.kind), pass, judgement, asked);
    AttemptLine line = line_of(call, result.attempts, answer, began);
    line.operation = habits_.name_in_log(line.operation);
    if (const Success* success = std::get_if<Success>(&judgement)) {
      line.next = "done";
      log_attempt(line);
      result.success = *success;
      break;
    }
    result.failures.push_back(std::get<Failure>(judgement));
    // A new token is an answer to a 401, and nothing to wait for.
    const bool is_renewed = renew(call, answer, result);
    const auto wait = is_renewed ? std::optional(milliseconds(0))
                                 : wait_before_next(call, result, answer, deadline);
    line.category = name_of(result.failures.back().category);
    line.what = result.failures.back().what;
    line.next = wait ? "again in " + std::to_string(wait->count()) + "ms" : "no further attempt";
    log_attempt(line);
    if (!wait) break;
    if (!habits_.sleep(*wait)) break;
    if (!call.may_resend(result)) break;
  }
  count(call, result);
  return result;
}

void Caller::count(const Call& call, const CallResult& result) {
  if (call.kind == CallKind::Lookup || result.attempts == 0) return;
  ++counters_.operations;
  counters_.attempts += result.attempts;
  counters_.retries += result.attempts - 1;
  const bool is_given_up =
      !result.success && !result.failures.empty() && result.failures.back().retryable;
  if (is_given_up) ++counters_.exhausted;
}

bool Caller::wait_for_quota() {
  const milliseconds left = until(quota_reset_);
  return left <= milliseconds(0) || habits_.sleep(left);
}

bool Caller::renew(const Call& call, const Answer& answer, CallResult& result) {
  const bool is_refused = answer.ending == Ending::Answered && answer.status == 401;
  if (!is_refused || result.renewals >= habits_.renewals()) return false;
  if (result.attempts >= call.max_attempts) return false;
  ++result.renewals;
  return call.renew_token();
}

Gate::Pass Caller::ask_gate(const Call& call, TimePoint deadline) {
  return gate_ == nullptr ? Gate::Pass{} : gate_->enter(route_of(call.kind), deadline, habits_);
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

// What is still at work gets more time than what has failed, within the longest wait.
milliseconds Caller::while_it_runs(milliseconds backoff) const {
  const Settings& settings = habits_.settings();
  const auto room = std::max(settings.max_delay - settings.in_progress_delay, milliseconds(0));
  return settings.in_progress_delay +
         backoff * room.count() / std::max<std::int64_t>(1, settings.max_delay.count());
}

std::optional<milliseconds> Caller::wait_before_next(const Call& call, const CallResult& result,
                                                     const Answer& answer, TimePoint deadline) {
  if (result.attempts >= call.max_attempts) return std::nullopt;
  if (!habits_.may_retry(call.kind, result.failures)) return std::nullopt;
  const std::optional<milliseconds> asked = habits_.asked_wait(answer);
  milliseconds backoff = habits_.backoff(result.attempts);
  const bool is_running = result.failures.back().category == Category::InProgress;
  if (is_running && !asked) backoff = while_it_runs(backoff);
  const auto wait = habits_.plan_wait(backoff, asked, until(deadline));
  if (wait && gate_ != nullptr && !gate_->may_retry()) return std::nullopt;
  return wait;
}

}  // namespace booking
