#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// Timing out frees the connection.
namespace mishap::client_tests {

namespace {

// Checks.md section 1, rule 7: the death of a process closes everything and proves nothing.
constexpr Duration kLivesOn = std::chrono::seconds(1);

const server::Connection* connection_of(const Recording& recording,
                                        const server::Exchange& exchange) {
  for (const auto& connection : recording.journal.connections) {
    if (connection.number == exchange.connection) return &connection;
  }
  return nullptr;
}

std::optional<Duration> released_at(const Recording& recording, const server::Exchange& exchange) {
  if (exchange.receipt.departed) return exchange.receipt.departed;
  const server::Connection* connection = connection_of(recording, exchange);
  return connection ? connection->departed : std::nullopt;
}

// A request on the connection while this one's answer was still outstanding.
const server::Exchange* reused_by(const Recording& recording, const server::Exchange& abandoned,
                                  Duration at) {
  for (const auto& exchange : recording.journal.exchanges) {
    if (exchange.connection != abandoned.connection || exchange.number <= abandoned.number)
      continue;
    const auto& done = abandoned.receipt.last_write;
    if (exchange.first_byte > at && (!done || exchange.first_byte < *done)) return &exchange;
  }
  return nullptr;
}

// While it was still open our side ended it, which frees the client from closing.
std::optional<Duration> ended_by_us(const Recording& recording, const server::Exchange& exchange) {
  const server::Connection* connection = connection_of(recording, exchange);
  return connection ? connection->server_ended : std::nullopt;
}

class Judge {
 public:
  Judge(const Case& c, const Params& params)
      : case_(c), soon_(params.duration("release")), still_open_(params.duration("still_open")) {}

  void look_at(const Operation& operation, const Attempt& attempt) {
    auto abandoned = came_back(operation, attempt);
    if (!abandoned || (attempt.abandoned_at && *attempt.abandoned_at < *abandoned)) {
      abandoned = attempt.abandoned_at;
    }
    if (!abandoned) return;
    const Recording& recording = case_.recording;
    const Duration let_go = *abandoned;
    const Duration own = own_until(recording, operation.lane);
    if (const auto* reuse = reused_by(recording, *attempt.exchange, let_go)) {
      Witness cited = witness(operation, {&attempt},
                              fmt::format("{}: request #{} on the connection that still owed the "
                                          "answer to #{}",
                                          operation.name, reuse->number, attempt.exchange->number));
      cited.exchanges.push_back(reuse->number);
      tally_.broke(std::move(cited));
      return;
    }
    if (own - let_go < kLivesOn) return;  // its end released everything: nothing to see
    judge_release(operation, attempt, let_go, own);
  }

  Finding settle() const {
    return tally_.settle(
        {.failed = "a timed-out request kept its connection",
         .reason = "The client had let go of an attempt but left its connection "
                   "open.",
         .held = counted(tally_.judged(), "connection") + " closed at once",
         .none = "no attempt was given up by a client that lived on for a second"});
  }

 private:
  // An equal call while this one is still owed its answer is an operation of its own to whoever
  // goes by content. From a client that makes the call once on a good day it is the retry.
  std::optional<Duration> came_back(const Operation& operation, const Attempt& attempt) const {
    if (!operation.overlapping || equal_calls(case_, operation) != 1 || !case_.control) return {};
    if (attempt.exchange->receipt.delivery == server::Delivery::Complete) return {};
    std::optional<Duration> earliest;
    for (const Operation& other : case_.history.operations) {
      const server::Exchange& next = *other.attempts.front().exchange;
      const bool is_equal = other.lane == operation.lane && other.number != operation.number &&
                            next.request.content_hash == attempt.exchange->request.content_hash;
      if (!is_equal || next.first_byte <= attempt.exchange->first_byte) continue;
      if (!earliest || next.first_byte < *earliest) earliest = next.first_byte;
    }
    return earliest;
  }

  void judge_release(const Operation& operation, const Attempt& attempt, Duration let_go,
                     Duration own) {
    const auto released = released_at(case_.recording, *attempt.exchange);
    const bool by_itself = released && *released < own;
    const auto ours = ended_by_us(case_.recording, *attempt.exchange);
    Duration until = by_itself ? *released : own;
    if (ours) until = std::min(until, *ours);
    const Duration open = std::max(Duration{}, until - let_go);
    const Witness cited = witness(
        operation, {&attempt},
        fmt::format("{}: connection {} after the client let go (<= {} asked)", operation.name,
                    by_itself ? "closed " + seconds(open) : "open for " + seconds(open),
                    seconds(soon_)));
    if (by_itself && open <= soon_) {
      tally_.held(cited);
    } else if (open >= still_open_) {
      tally_.broke(cited);
    } else if (!ours || *ours - let_go > soon_) {
      tally_.open(fmt::format("{}: the connection was still open {} after the client let go; a "
                              "fail asks for {}",
                              operation.name, seconds(open), seconds(still_open_)),
                  cited);
    }
  }

  const Case& case_;
  Duration soon_;
  Duration still_open_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  Judge judge(c, params);
  for (const auto& operation : c.history.operations) {
    for (const auto& attempt : operation.attempts) judge.look_at(operation, attempt);
  }
  return judge.settle();
}

}  // namespace

const CheckDescriptor kConnectionReleasedAfterTimeout = {
    .name = "connection_released_after_timeout",
    .summary = "timing out frees the connection",
    .rule =
        "client's FIN or RST <= 500 ms after it let go; still open 5 s later, or used again "
        "while the answer is outstanding: fail",
    .judged = "attempts given up by a client that lived on for at least 1 s",
    .why = "Requests that nobody waits for any more pile up as sockets, threads and load.",
    .change = "Cancel the request when its time is over, and close its connection.",
    .source = "RFC 9112 sections 9.3, 9.5 and 9.6",
    .since = "0.1",
    .params = {{.name = "release",
                .type = ParamType::Duration,
                .default_text = "500ms",
                .help = "how soon the connection must be closed"},
               {.name = "still_open",
                .type = ParamType::Duration,
                .default_text = "5s",
                .help = "open for that long is a fail; between the two nothing can be said"}},
    .timing = true,
    .severity = 58,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
