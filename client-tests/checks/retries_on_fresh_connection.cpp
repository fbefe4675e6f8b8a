#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/tally.h"

// A connection whose last answer never came whole is not used again.
namespace mishap::client_tests {

namespace {

using server::Exchange;

bool is_whole(const Exchange& exchange) {
  return exchange.receipt.delivery == server::Delivery::Complete && exchange.receipt.last_write;
}

// Of the same copy of the client, begun later: the first on that connection, or on any other.
const Exchange* next_request(const Recording& recording, const Exchange& before, bool same) {
  for (const Exchange& exchange : recording.journal.exchanges) {
    const bool is_later = exchange.lane == before.lane && exchange.number > before.number;
    if (is_later && (exchange.connection == before.connection) == same) return &exchange;
  }
  return nullptr;
}

// A request on a connection that owes (the rest of) the answer to the one before.
const Exchange* crossing(const Recording& recording, const Exchange& before) {
  const Exchange* next = next_request(recording, before, true);
  if (!next || !before.request_read) return nullptr;
  const bool is_owed = !is_whole(before) || next->first_byte < *before.receipt.last_write;
  return is_owed ? next : nullptr;
}

const Exchange* crossed(const Recording& recording, const Exchange& exchange) {
  for (const Exchange& before : recording.journal.exchanges) {
    if (before.on_connection + 1 == exchange.on_connection &&
        crossing(recording, before) == &exchange) {
      return &before;
    }
  }
  return nullptr;
}

// Who sends its next request at once does not wait for answers at all. A request that crosses an
// answer is read when that is through, and then the client may just have taken it for its own: of
// such a one it is only known when it came.
bool pipelines(const Recording& recording) {
  static constexpr Duration kAtOnce = std::chrono::milliseconds(50);
  return std::ranges::any_of(recording.journal.exchanges, [&](const Exchange& exchange) {
    const Exchange* next = crossing(recording, exchange);
    if (!next) return false;
    const bool was_read_late = crossed(recording, exchange) != nullptr;
    const Duration sent = was_read_late ? exchange.first_byte : *exchange.request_read;
    return next->first_byte - sent < kAtOnce;
  });
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(const Operation& operation, const Attempt& attempt) {
    const Exchange& exchange = *attempt.exchange;
    if (!exchange.request.complete) return;
    if (const Exchange* reuse = crossing(case_.recording, exchange)) {
      tally_.broke(cite(operation, attempt, *reuse,
                        fmt::format("{}: request #{} {} after #{} on connection {}, which owed the "
                                    "answer to #{}",
                                    operation.name, reuse->number,
                                    seconds(reuse->first_byte - *exchange.request_read),
                                    exchange.number, exchange.connection, exchange.number)));
    } else if (was_given_up(attempt)) {
      judge_next(operation, attempt);
    }
  }

  Finding settle() const {
    return tally_.settle(
        {.failed = "a spoilt connection was used again",
         .reason = "The next answer on it may be the late one to the request before.",
         .held = "a fresh connection after " + counted(tally_.judged(), "spoilt one"),
         .none = "no attempt was given up on a connection that our side left open"});
  }

 private:
  // The client had a choice: our side had ended nothing when it let go.
  static bool was_given_up(const Attempt& attempt) {
    const bool is_spoilt = attempt.result == Result::Abandoned || !is_whole(*attempt.exchange);
    const auto ending = attempt.exchange->receipt.ending;
    return is_spoilt && ending != server::Ending::Closed && ending != server::Ending::Reset &&
           ending != server::Ending::Failed;
  }

  void judge_next(const Operation& operation, const Attempt& attempt) {
    const Exchange& exchange = *attempt.exchange;
    const Exchange* next = next_request(case_.recording, exchange, false);
    if (!next) return;
    tally_.held(cite(
        operation, attempt, *next,
        fmt::format("{}: {} on connection {}, the next request on connection {}", operation.name,
                    ending_of(attempt), exchange.connection, next->connection)));
  }

  static Witness cite(const Operation& operation, const Attempt& attempt, const Exchange& next,
                      std::string statement) {
    Witness made = witness(operation, {&attempt}, std::move(statement));
    made.exchanges.push_back(next.number);
    return made;
  }

  const Case& case_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  if (pipelines(c.recording) || (c.control && pipelines(*c.control))) {
    return not_applicable("the client sends requests before the answers to those before came");
  }
  Judge judge(c);
  for (const Operation& operation : c.history.operations) {
    for (const Attempt& attempt : operation.attempts) judge.look_at(operation, attempt);
  }
  return judge.settle();
}

}  // namespace

const CheckDescriptor kRetriesOnFreshConnection = {
    .name = "retries_on_fresh_connection",
    .summary = "a spoilt connection is not used again",
    .rule = "no further request on a connection that owes an answer, or the rest of one",
    .judged =
        "attempts given up while the server left the connection open, where the client sent more "
        "requests; a connection that the server ended leaves no choice, one that stalls for good "
        "is not read any more, and a client that pipelines is not judged",
    .why = "The late answer to one request is taken for the answer to the next.",
    .change =
        "Close the connection when a request on it fails or times out, and honour Connection: "
        "close; never give it back to a pool.",
    .source = "RFC 9112 sections 6.3, 9.3 and 9.6",
    .since = "0.1",
    .severity = 62,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
