#include "server/wire/client_socket.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/awaitable.hpp>

namespace mishap::server {

ClientSocket::ClientSocket(IoThread& io, RunClock clock, Descriptor socket)
    : io_(io),
      clock_(clock),
      alarm_(io.context(), clock),
      socket_(std::move(socket)),
      watch_(io.watch(socket_.get(), *this)) {}

ClientSocket::~ClientSocket() {
  close();
}

void ClientSocket::on_ready(const Readiness& readiness) {
  readable_ = readable_ || readiness.readable || readiness.peer_ended || readiness.failed;
  writable_ = writable_ || readiness.writable || readiness.failed;
  peer_ended_ = peer_ended_ || readiness.peer_ended;
  // A FIN makes a socket readable as well, so the bytes are counted.
  if (listening_ && !heard_ && readiness.readable && unread_bytes(socket_.get()) > unread_) {
    heard_ = clock_.now();
  }
  peer_gone_ = peer_gone_ || readiness.peer_ended || readiness.failed || readiness.hung_up;
  // Both directions over without a FIN of ours: the client's RST, its error already fetched.
  if (readiness.failed || (readiness.hung_up && !server_ended_)) {
    note_departure(Departure::Rst);
  } else if (readiness.peer_ended) {
    note_departure(Departure::Fin);
  }
  alarm_.wake();
}

void ClientSocket::note_departure(Departure departure) {
  if (server_ended_ || departure == Departure::None) return;
  if (departure_ == departure || departure_ == Departure::Rst) return;
  if (departure_ == Departure::None) departed_ = clock_.now();
  departure_ = departure;
  if (on_departure_) on_departure_();
}

void ClientSocket::look_for_departure() {
  if (socket_ && !server_ended_) note_departure(departure_of(socket_.get()));
}

std::optional<Transfer> ClientSocket::try_read(std::span<char> into) {
  const Duration at = clock_.now();
  if (!put_back_.empty()) {
    const std::size_t taken = put_back_.copy(into.data(), into.size());
    put_back_.erase(0, taken);
    return Transfer{Io::Done, taken, at};
  }
  if (!readable_) return std::nullopt;
  const IoResult result = receive(socket_.get(), into);
  switch (result.status) {
    case IoStatus::Done:
      // A short read has emptied the socket; only an end that was already told may follow.
      if (result.bytes < into.size()) readable_ = peer_ended_;
      return Transfer{Io::Done, result.bytes, at};
    case IoStatus::End:
      note_departure(Departure::Fin);
      return Transfer{departure_ == Departure::Rst ? Io::Left : Io::End, 0, at};
    case IoStatus::Reset:
      note_departure(Departure::Rst);
      return Transfer{Io::Left, 0, at};
    case IoStatus::Failed:
      return Transfer{Io::Failed, 0, at};
    case IoStatus::WouldBlock:
      break;
  }
  readable_ = false;
  return std::nullopt;
}

Task<Transfer> ClientSocket::read(std::span<char> into, std::optional<Duration> deadline) {
  for (;;) {
    if (aborted_) co_return Transfer{Io::Aborted};
    if (!socket_) co_return Transfer{Io::Left};
    const auto result = tls_ ? try_read_record(into) : try_read(into);
    if (result) co_return *result;
    if (deadline && clock_.now() >= *deadline) co_return Transfer{Io::TimedOut};
    co_await alarm_.sleep_until(deadline);
  }
}

std::optional<Transfer> ClientSocket::try_write(std::string_view bytes) {
  if (!writable_) return std::nullopt;
  const Duration at = clock_.now();
  const IoResult result = send_some(socket_.get(), bytes);
  switch (result.status) {
    case IoStatus::Done:
      if (result.bytes < bytes.size()) writable_ = false;
      return Transfer{Io::Done, result.bytes, at};
    case IoStatus::Failed:
      return Transfer{Io::Failed, 0, at};
    case IoStatus::WouldBlock:
      writable_ = false;
      return std::nullopt;
    case IoStatus::Reset:
    case IoStatus::End:
      break;
  }
  note_departure(Departure::Rst);
  return Transfer{Io::Left, 0, at};
}

Task<Transfer> ClientSocket::write(std::string_view bytes, Duration deadline) {
  if (tls_) {
    const Transfer put = co_await write_record(bytes, deadline);
    co_return put;
  }
  for (;;) {
    if (aborted_) co_return Transfer{Io::Aborted};
    if (!can_send()) co_return Transfer{Io::Left};
    const auto result = try_write(bytes);
    if (result) co_return *result;
    if (clock_.now() >= deadline) co_return Transfer{Io::TimedOut};
    co_await alarm_.sleep_until(deadline);
  }
}

Transfer ClientSocket::write_now(std::string_view bytes) {
  if (tls_ || aborted_ || !can_send()) return {};
  return try_write(bytes).value_or(Transfer{});
}

Task<void> ClientSocket::pause_until(Duration instant) {
  while (!aborted_ && clock_.now() < instant) co_await alarm_.sleep_until(instant);
}

Task<void> ClientSocket::await_departure(std::optional<Duration> instant) {
  look_for_departure();
  while (!aborted_ && socket_ && departure_ == Departure::None && !peer_gone_ &&
         (!instant || clock_.now() < *instant)) {
    co_await alarm_.sleep_until(instant);
  }
}

Task<void> ClientSocket::await_event(Events& events, std::uint64_t event, Duration deadline,
                                     WhenLeft when_left) {
  look_for_departure();
  const Events::Waiting waiting(events, event, [this] { alarm_.wake(); });
  const auto is_awaited = [&] {
    if (when_left == WhenLeft::GoOn) return true;
    return socket_ && departure_ == Departure::None && !peer_gone_;
  };
  while (!aborted_ && is_awaited() && !events.has_happened(event) && clock_.now() < deadline) {
    co_await alarm_.sleep_until(deadline);
  }
}

Task<bool> ClientSocket::acknowledged(Duration deadline) {
  // The kernel tells nobody when its queue runs empty, so it is asked: soon, then less often.
  constexpr Duration kFirst = std::chrono::microseconds(100);
  constexpr Duration kMost = std::chrono::milliseconds(5);
  for (Duration pause = kFirst;; pause = std::min(pause * 2, kMost)) {
    if (aborted_ || !socket_) co_return false;
    look_for_departure();
    if (departure_ == Departure::Rst) co_return false;
    if (unacknowledged() == 0U) co_return true;
    const Duration now = clock_.now();
    if (now >= deadline) co_return false;
    co_await alarm_.sleep_until(std::min(deadline, now + pause));
  }
}

std::optional<std::uint64_t> ClientSocket::unacknowledged() const {
  if (!socket_ || departure_ == Departure::Rst) return std::nullopt;
  return server::unacknowledged(socket_.get());
}

void ClientSocket::listen() {
  listening_ = true;
  heard_.reset();
  // After a short read the socket is known to be empty, which saves asking.
  unread_ = readable_ && socket_ ? unread_bytes(socket_.get()) : 0;
}

std::optional<Duration> ClientSocket::stop_listening() {
  listening_ = false;
  return std::exchange(heard_, std::nullopt);
}

Task<void> ClientSocket::discard_until_end(Duration deadline, std::uint64_t most) {
  std::array<char, 16 * 1024> scrap;
  std::uint64_t total = 0;
  while (total < most) {
    const Transfer got = co_await read_below(scrap, deadline);
    if (got.what != Io::Done) co_return;
    total += got.bytes;
  }
}

void ClientSocket::send_fin(bool notifies) {
  if (!socket_ || server_ended_) return;
  look_for_departure();
  if (departure_ == Departure::Rst) return;
  if (tls_ && notifies) send_close_notify();
  server_ended_ = clock_.now();
  server::send_fin(socket_.get());
}

void ClientSocket::send_reset() {
  if (!socket_) return;
  look_for_departure();
  if (!server_ended_ && departure_ != Departure::Rst) server_ended_ = clock_.now();
  io_.unwatch(socket_.get(), watch_);
  server::send_reset(std::move(socket_));
  alarm_.wake();
}

void ClientSocket::close() {
  if (!socket_) return;
  send_fin();
  io_.unwatch(socket_.get(), watch_);
  socket_.close();
  alarm_.wake();
}

void ClientSocket::abort() {
  aborted_ = true;
  if (on_abort_) on_abort_();
  alarm_.wake();
}

}  // namespace mishap::server
