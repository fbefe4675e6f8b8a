// The steps that end an exchange or its connection, and who of both sides did so.
#include <boost/asio/awaitable.hpp>

#include "server/wire/executor.h"

namespace mishap::server {

void Executor::notice_departure() {
  if (connection_.departure() == Departure::Rst) {
    receipt_.end(Ending::ClientLeft, connection_.departed());
  }
}

// Before every ending of ours. The client's FIN came before it: if it has not got its answer, it is
// the one who left. Whoever has got it may leave when it likes.
void Executor::settle_departure() {
  if (!receipt_.has_ended()) receipt_.unacknowledged(connection_.unacknowledged());
  if (receipt_.is_complete()) return;
  connection_.look_for_departure();
  if (connection_.departure() != Departure::None) {
    receipt_.end(Ending::ClientLeft, connection_.departed());
  }
}

Task<void> Executor::on(CloseConnection& step) {
  settle_departure();
  receipt_.end(receipt_.is_complete() ? Ending::Finished : Ending::Closed, now());
  connection_.send_fin(step.notifies);
  tell_early_ending();
  if (step.half) co_await connection_.await_departure(std::nullopt);
}

Task<void> Executor::on(ResetConnection&) {
  settle_departure();
  receipt_.end(Ending::Reset, now());
  connection_.send_reset();
  tell_early_ending();
  co_return;
}

Task<void> Executor::on(Stall&) {
  if (!connection_.can_send()) co_return;
  settle_departure();
  co_await connection_.await_departure(std::nullopt);
  receipt_.end(Ending::Stalled, now());
  if (!connection_.is_aborted()) connection_.send_fin();
}

bool Executor::may_keep_alive() const {
  // A client that has sent its FIN may have sent further requests before it.
  if (!connection_.can_send()) return false;
  if (reader_.is_rejected() || !reader_.is_body_over()) return false;
  const AnswerHead& answer = receipt_.head();
  if (!reader_.asks_for_keep_alive() || answer.close || receipt_.ends_with_connection()) {
    return false;
  }
  // An HTTP/1.0 client waits for the end unless it is told otherwise (RFC 9112 appendix C.2.2).
  return reader_.minor_version() >= 1 || answer.keep_alive;
}

void Executor::finish() {
  if (receipt_.has_ended()) return;
  settle_departure();
  // Unread bytes that are here already cost nothing to read over.
  if (!is_requested_ && !reader_.is_rejected()) reader_.skip_body();
  keeps_alive_ = may_keep_alive() && !receipt_.has_ended();
  if (keeps_alive_) return receipt_.end(Ending::KeptAlive, receipt_.last_write());
  receipt_.end(receipt_.is_complete() ? Ending::Finished : Ending::Closed, now());
  connection_.send_fin();
}

bool Executor::at_once(Finish& step) {
  rest_ = step.rest;
  if (exchange_) finish();
  pending_.clear();
  return true;
}

// A list that is over without an ending: as if Finish stood there, or without a whole answer a FIN.
void Executor::conclude() {
  notice_departure();
  if (!receipt_.has_ended() && !connection_.is_aborted() && exchange_) {
    settle_departure();
    if (receipt_.is_complete()) finish();
    receipt_.end(Ending::Closed, now());
    if (!keeps_alive_) connection_.send_fin();
  }
  close_the_book();
}

void Executor::close_the_book() {
  count_effect();
  connection_.on_departure({});
  receipt_.left(connection_.departure(), connection_.departed());
}

void Executor::fail() {
  pending_.clear();
  receipt_.end(Ending::Failed, now());
  connection_.send_reset();
  close_the_book();
}

}  // namespace mishap::server
