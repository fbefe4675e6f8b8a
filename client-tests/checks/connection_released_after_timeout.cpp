#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/lazy.h"
#include "client-tests/checks/tally.h"

// Timing out frees the connection.
namespace mishap::client_tests {

namespace {

// Checks.md section 1, rule 7: the death of a process closes everything and proves nothing.
constexpr Duration kLivesOn = std::chrono::seconds(1);

std::optional<Duration> released_at(const History& history, const server::Exchange& exchange) {
  if (exchange.receipt.departed) return exchange.receipt.departed;
  const auto* connection = connections_by_number(history).find(exchange.connection);
  return connection ? connection->departed : std::nullopt;
}

// A request on the connection while this one's answer was still outstanding.
const server::Exchange* reused_by(const History& history, const server::Exchange& abandoned,
                                  Duration at) {
  return connection_line(history, abandoned.connection)
      .next_between(abandoned, at, abandoned.receipt.last_write);
}

// While it was still open our side ended it, which frees the client from closing.
std::optional<Duration> ended_by_us(const History& history, const server::Exchange& exchange) {
  const auto* connection = connections_by_number(history).find(exchange.connection);
  return connection ? connection->server_ended : std::nullopt;
}

// When each content was first sent by each operation that begins with it.
class Beginnings {
 public:
  explicit Beginnings(const History& history) {
    for (const Operation& operation : history.operations) {
      const server::Exchange& first = *operation.attempts.front().exchange;
      begun_[{operation.lane, first.request.content_hash}].push_back(
          {first.first_byte, operation.number});
    }
    for (auto& [content, all] : begun_) std::ranges::sort(all);
  }

  // The next by another operation; nothing: there is none.
  std::optional<Duration> next_of_another(const Operation& operation,
                                          const server::Exchange& exchange) const {
    const auto found = begun_.find({operation.lane, exchange.request.content_hash});
    if (found == begun_.end()) return std::nullopt;
    auto next = std::ranges::upper_bound(found->second, exchange.first_byte, {}, &Begun::first);
    while (next != found->second.end() && next->second == operation.number) ++next;
    return next == found->second.end() ? std::nullopt : std::optional(next->first);
  }

 private:
  using Begun = std::pair<Duration, std::uint64_t>;  // first byte, operation
  ByContent<std::vector<Begun>> begun_;
};

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
    const Duration let_go = *abandoned;
    const Duration own = own_until(case_.recording, operation.lane);
    if (const auto* reuse = reused_by(case_.history, *attempt.exchange, let_go)) {
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

  Finding settle() {
    return std::move(tally_).settle(
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
    return beginnings_.get([&] { return Beginnings(case_.history); })
        .next_of_another(operation, *attempt.exchange);
  }

  void judge_release(const Operation& operation, const Attempt& attempt, Duration let_go,
                     Duration own) {
    const auto released = released_at(case_.history, *attempt.exchange);
    const bool by_itself = released && *released < own;
    const auto ours = ended_by_us(case_.history, *attempt.exchange);
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
  Lazy<Beginnings> beginnings_;
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
