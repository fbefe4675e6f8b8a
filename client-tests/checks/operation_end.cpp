#include "client-tests/checks/operation_end.h"

#include <algorithm>

#include "client-tests/checks/client_life.h"
#include "client-tests/checks/history_index.h"

namespace mishap::client_tests {

Duration last_activity_of(const Operation& operation) {
  Duration last = operation.attempts.front().exchange->first_byte;
  for (const Attempt& attempt : operation.attempts) {
    last = std::max(last, attempt.exchange->first_byte);
  }
  for (const server::Exchange* lookup : operation.lookups) {
    last = std::max(last, lookup->first_byte);
  }
  return last;
}

std::optional<Duration> moved_on_at(const Case& c, const Operation& operation) {
  const server::Exchange* next = lane_lines(c.history)
                                     .of(operation.lane)
                                     .first_after(last_activity_of(operation), operation.number);
  return next ? std::optional(next->first_byte) : std::nullopt;
}

namespace {

// The last that was seen of it, be it only that an attempt failed.
Duration last_word_on(const Operation& operation) {
  Duration last = last_activity_of(operation);
  for (const Attempt& attempt : operation.attempts) {
    for (const auto& instant : {attempt.failed_at, attempt.abandoned_at}) {
      if (instant) last = std::max(last, *instant);
    }
  }
  return last;
}

// A service lives on, so that its silence is all there is; and the end of what drove it, by which
// it has told somebody.
OperationEnd end_in_service(const Case& c, const Operation& operation) {
  using How = OperationEnd::How;
  const Duration last = last_word_on(operation);
  const bool waits = operation.attempts.back().result == Result::Unanswered;
  if (waits || !is_closed_after(c, operation.lane, last)) {
    return {How::StillOpen, own_until(c.recording, operation.lane)};
  }
  if (const auto moved_on = moved_on_at(c, operation)) return {How::MovedOn, *moved_on};
  const auto driven = drive_ended_at(c.recording, operation.lane);
  if (driven && *driven >= last) return {How::DriveEnded, *driven};
  return {How::FellSilent, last};
}

}  // namespace

OperationEnd end_of(const Case& c, const Operation& operation) {
  using How = OperationEnd::How;
  const bool killed = was_killed(c.recording, operation.lane);
  const Duration own = own_until(c.recording, operation.lane);
  if (!operation.outcomes.empty()) {
    const OutcomeLine& last = *operation.outcomes.back();
    // A client that hung until it was killed may have said pending while it went on trying.
    if (last.outcome != OutcomeKind::Pending || !killed) {
      return {How::Told, std::max(last.at, last_activity_of(operation))};
    }
  }
  const Attempt& last = operation.attempts.back();
  if (last.result == Result::Success && last.exchange->receipt.last_write) {
    return {How::Answered, *last.exchange->receipt.last_write};
  }
  if (was_stopped(c.recording, operation.lane)) return end_in_service(c, operation);
  if (const auto moved_on = moved_on_at(c, operation)) return {How::MovedOn, *moved_on};
  if (ended_by_itself(c.recording, operation.lane)) return {How::Ended, own};
  return {How::StillOpen, own};
}

}  // namespace mishap::client_tests
