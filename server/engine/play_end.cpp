// How exchanges, connections and the play come to their end.
#include <algorithm>
#include <utility>

#include "server/engine/play.h"
#include "server/engine/request_facts.h"
#include "server/journal/fingerprint.h"
#include "server/journal/secrets.h"
#include "server/resources/problem.h"

namespace mishap::server {
namespace {

// An answer that was written whole after the client had gone has not been delivered.
bool reached_client(const Receipt& receipt) {
  if (receipt.delivery != Delivery::Complete) return false;
  return !receipt.departed || (receipt.last_write && *receipt.last_write <= *receipt.departed);
}

bool is_cut(const Receipt& receipt) {
  return receipt.ending == Ending::Closed || receipt.ending == Ending::Reset;
}

// The answer to what is no request, then FIN: the client's framing cannot be trusted any more.
Steps rejecting_steps(const Rejection& rejection, bool head_only) {
  SendAnswer answer = problem_answer(rejection.status, problems::kBadRequest, rejection.reason);
  answer.headers.push_back({"Connection", "close"});
  answer.head_only = head_only;
  return encode({std::move(answer), CloseConnection{}});
}

void keep_rejection(Exchange& kept, const Rejection& rejection, const Steps& steps) {
  kept.role = Role::Rejected;
  kept.identity = {};
  kept.note = rejection.reason;
  kept.answer.status = rejection.status;
  kept.answer.headers = {{"Content-Type", "application/problem+json"}, {"Connection", "close"}};
  const SendAnswer body = problem_answer(rejection.status, problems::kBadRequest, rejection.reason);
  kept.answer.body_bytes = body.body.size();
  kept.answer.body_hash = fingerprint(body.body).text();
  kept.answer.healthy = sends_answer(steps);  // no rule had a say
}

}  // namespace

Decision Play::rejected(std::uint64_t connection, const Rejection& rejection, Duration first_byte,
                        Duration now) {
  const std::shared_ptr<LiveExchange> live = begin(connection, first_byte, now);
  Exchange& kept = record(*live);
  kept.head_read.reset();
  kept.request = rejected_facts(rejection, salt_);
  // A target over the limit is never read whole, so its method stands in the raw bytes only.
  const bool head_only = kept.request.method == "HEAD" || rejection.raw.starts_with("HEAD ");
  Steps steps = rejecting_steps(rejection, head_only);
  keep_rejection(kept, rejection, steps);
  return {live->number, std::move(steps)};
}

Steps Play::rejected_body(LiveExchange& live, const Rejection& rejection) {
  Exchange& kept = record(live);
  kept.request.raw = kept_raw(rejection.raw, salt_);
  Steps steps = rejecting_steps(rejection, live.view.method == "HEAD");
  keep_rejection(kept, rejection, steps);
  return steps;
}

void Play::client_left(std::uint64_t exchange, Duration at) {
  if (const auto live = find(exchange)) live->lane->operations.let_go(exchange, at);
}

const Exchange* Play::end(std::uint64_t exchange, std::uint64_t body_bytes_read, Receipt told) {
  const std::shared_ptr<LiveExchange> live = find(exchange);
  if (!live) return nullptr;
  Exchange& kept = record(*live);
  kept.receipt = std::move(told);
  const Receipt& receipt = kept.receipt;
  if (!kept.request.complete) kept.request.body_bytes = body_bytes_read;
  if (kept.role != Role::Unmatched && kept.role != Role::Rejected) {
    join_late(*live, receipt.ended.value_or(kept.first_byte));
    const Duration ended = receipt.ended.value_or(kept.first_byte);
    if (is_cut(receipt)) {
      live->lane->operations.connection_cut(exchange, ended, receipt.bytes_written == 0);
    }
    const bool delivered = reached_client(receipt);
    const bool success = kept.answer.healthy && kept.answer.success && delivered;
    live->lane->operations.ended({exchange}, success);
    items_ended(*live, delivered);
  }
  give_up_keys(*live);
  tell_models(*live);
  keep_hits(kept.rules, live->met);
  prove(kept.rules, live->met, kept, nullptr);
  keep_resting(*live);
  return &kept;
}

// What will not be carried out holds no key, also while its answer is still under way.
void Play::give_up_keys(LiveExchange& live) {
  if (!std::exchange(live.reserved, false)) return;
  live.vendor->release(*live.state, call_of(live));
  release_items(live);
}

void Play::forget(std::uint64_t exchange) {
  exchanges_.erase(exchange);
  log_.exchange_ended(exchange);
}

void Play::keep_resting(const LiveExchange& live) {
  const bool rests = std::ranges::any_of(live.met, [](const MetRule& met) {
    return met.planned && met.rule->compiled.fault->ends_connection;
  });
  if (rests) connections_.at(live.connection).resting.emplace_back(live.number, live.met);
}

Connection Play::connection_ended(std::uint64_t connection, const Engine::ConnectionEnd& end) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return {};
  Connection& kept = log_.connection(connection);
  kept.closed = end.closed;
  kept.departure = end.departure;
  kept.departed = end.departed;
  kept.server_ended = end.server_ended;
  kept.tls = end.tls;
  const LiveConnection& live = found->second;
  if (!live.met.empty()) {
    const Exchange* first = log_.find_exchange(live.first_exchange);
    prove(kept.rules, live.met, first == nullptr ? Exchange{} : *first, &kept);
  }
  for (const auto& [number, met] : live.resting) {
    Exchange* exchange = log_.find_exchange(number);
    if (exchange != nullptr) prove(exchange->rules, met, *exchange, &kept);
  }
  Connection copy = kept;
  connections_.erase(found);
  log_.connection_ended(connection);
  return copy;
}

void Play::close(Duration now) {
  for (const auto& [number, live] : connections_) {
    Connection& kept = log_.connection(number);
    if (!kept.closed) kept.closed = now;
  }
}

}  // namespace mishap::server
