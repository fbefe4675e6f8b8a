#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <utility>
#include <vector>

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

// What stands beside an exchange: on its connection, and in its copy of the client.
class Order {
 public:
  explicit Order(const Recording& recording) {
    for (const Exchange& exchange : recording.journal.exchanges) {
      auto& line = lines_[exchange.connection];
      auto& lane = lanes_[exchange.lane];
      places_[exchange.number] = {line.size(), nullptr};
      line.push_back(&exchange);
      lane.push_back(&exchange);
    }
    for (const auto& [number, lane] : lanes_) find_elsewhere(lane);
  }

  const Exchange* before(const Exchange& exchange) const {
    const std::size_t place = places_.at(exchange.number).in_line;
    return place == 0 ? nullptr : lines_.at(exchange.connection)[place - 1];
  }
  const Exchange* next(const Exchange& exchange) const {
    const auto& line = lines_.at(exchange.connection);
    const std::size_t place = places_.at(exchange.number).in_line + 1;
    return place < line.size() ? line[place] : nullptr;
  }
  const Exchange* next_elsewhere(const Exchange& exchange) const {
    return places_.at(exchange.number).elsewhere;
  }

 private:
  struct Place {
    std::size_t in_line = 0;
    const Exchange* elsewhere = nullptr;  // the next of its lane on another connection
  };
  using Exchanges = std::vector<const Exchange*>;

  void find_elsewhere(const Exchanges& lane) {
    const Exchange* after = nullptr;
    for (const Exchange* exchange : lane | std::views::reverse) {
      Place& place = places_.at(exchange->number);
      if (after != nullptr) {
        const bool goes_on = after->connection == exchange->connection;
        place.elsewhere = goes_on ? places_.at(after->number).elsewhere : after;
      }
      after = exchange;
    }
  }

  std::unordered_map<std::uint64_t, Exchanges> lines_;  // by connection
  std::unordered_map<int, Exchanges> lanes_;
  std::unordered_map<std::uint64_t, Place> places_;
};

// Whether the request crossed the answer, or the rest of it, to the one before on its connection.
bool crosses(const Exchange& next, const Exchange& before) {
  return before.request_read && (!is_whole(before) || next.first_byte < *before.receipt.last_write);
}

const Exchange* crossing(const Order& order, const Exchange& before) {
  const Exchange* next = order.next(before);
  return next != nullptr && crosses(*next, before) ? next : nullptr;
}

// Who sends its next request at once does not wait for answers at all. A request that crosses an
// answer is read when that is through, and then the client may just have taken it for its own: of
// such a one it is only known when it came.
bool pipelines(const Recording& recording, const Order& order) {
  static constexpr Duration kAtOnce = std::chrono::milliseconds(50);
  return std::ranges::any_of(recording.journal.exchanges, [&](const Exchange& exchange) {
    const Exchange* next = crossing(order, exchange);
    if (!next) return false;
    const Exchange* before = order.before(exchange);
    const bool was_read_late = before != nullptr && crosses(exchange, *before);
    const Duration sent = was_read_late ? exchange.first_byte : *exchange.request_read;
    return next->first_byte - sent < kAtOnce;
  });
}

bool pipelines(const Recording& recording) {
  return pipelines(recording, Order(recording));
}

class Judge {
 public:
  explicit Judge(const Order& order) : order_(order) {}

  void look_at(const Operation& operation, const Attempt& attempt) {
    const Exchange& exchange = *attempt.exchange;
    if (!exchange.request.complete) return;
    if (const Exchange* reuse = crossing(order_, exchange)) {
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

  Finding settle() {
    return std::move(tally_).settle(
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
    const Exchange* next = order_.next_elsewhere(exchange);
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

  const Order& order_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  const Order order(c.recording);
  if (pipelines(c.recording, order) || (c.control && pipelines(*c.control))) {
    return not_applicable("the client sends requests before the answers to those before came");
  }
  Judge judge(order);
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
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
