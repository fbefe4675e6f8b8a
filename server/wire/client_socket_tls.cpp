// TLS between the session and the socket. The bytes of a handshake pass through here, so that each
// of them can be held back or replaced.
#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "server/wire/client_socket.h"

namespace mishap::server {
namespace {

// A record and what belongs around it (RFC 8446 section 5.2).
constexpr std::size_t kRoom = TlsStream::kRecord + 512;

}  // namespace

Task<Transfer> ClientSocket::read_below(std::span<char> into, std::optional<Duration> deadline) {
  for (;;) {
    if (aborted_) co_return Transfer{Io::Aborted};
    if (!socket_) co_return Transfer{Io::Left};
    const auto result = try_read(into);
    if (result) co_return *result;
    if (deadline && clock_.now() >= *deadline) co_return Transfer{Io::TimedOut};
    co_await alarm_.sleep_until(deadline);
  }
}

// All of it; `bytes` of the result also tells how much went where it ended early.
Task<Transfer> ClientSocket::write_below(std::string bytes, Duration deadline) {
  Transfer sum{Io::Done, 0, clock_.now()};
  while (sum.bytes < bytes.size()) {
    if (aborted_) sum.what = Io::Aborted;
    if (!can_send()) sum.what = Io::Left;
    if (sum.what != Io::Done) co_return sum;
    const auto put = try_write(std::string_view(bytes).substr(sum.bytes));
    if (put) {
      sum.what = put->what;
      sum.bytes += put->bytes;
      if (sum.what != Io::Done) co_return sum;
      continue;
    }
    if (clock_.now() >= deadline) {
      sum.what = Io::TimedOut;
      co_return sum;
    }
    co_await alarm_.sleep_until(deadline);
  }
  co_return sum;
}

std::optional<Transfer> ClientSocket::try_read_record(std::span<char> into) {
  std::array<char, kRoom> below;
  for (;;) {
    const Duration at = clock_.now();
    const TlsStream::Moved got = tls_->read(into);
    flush_tls();
    switch (got.progress) {
      case TlsStream::Progress::Done:
        return Transfer{Io::Done, got.bytes, at};
      case TlsStream::Progress::Closed:
        note_handshake(got.progress);
        note_departure(Departure::Fin);
        return Transfer{Io::End, 0, at};
      case TlsStream::Progress::Failed:
        note_handshake(got.progress);
        return Transfer{Io::Left, 0, at};
      case TlsStream::Progress::NeedInput:
        break;
    }
    const auto raw = try_read(below);
    if (!raw || raw->what != Io::Done) return raw;
    tls_->feed({below.data(), raw->bytes});
  }
}

Task<Transfer> ClientSocket::write_record(std::string_view bytes, Duration deadline) {
  if (aborted_) co_return Transfer{Io::Aborted};
  if (!can_send()) co_return Transfer{Io::Left};
  const std::size_t length = std::min(bytes.size(), TlsStream::kRecord);
  if (!tls_->write(bytes.substr(0, length))) {
    note_handshake(TlsStream::Progress::Failed);
    co_return Transfer{Io::Failed};
  }
  std::string record = std::exchange(unsent_, {});
  record += tls_->take_output();
  Transfer put = co_await write_below(std::move(record), deadline);
  put.bytes = put.what == Io::Done ? length : 0;
  co_return put;
}

// What TLS says by itself: an alert, the answer to an update of keys.
void ClientSocket::flush_tls() {
  unsent_ += tls_->take_output();
  while (!unsent_.empty() && can_send()) {
    const auto put = try_write(unsent_);
    if (!put || put->what != Io::Done) return;
    unsent_.erase(0, put->bytes);
  }
}

void ClientSocket::send_close_notify() {
  // Behind a part of a record it would be read as the rest of it.
  if (!unsent_.empty() || !tls_->is_established()) return;
  tls_->close_notify();
  const Duration at = clock_.now();
  flush_tls();
  if (unsent_.empty()) facts_->close_notify = at;
}

void ClientSocket::note_handshake(TlsStream::Progress progress) {
  facts_->client_alert = tls_->client_alert();
  if (progress == TlsStream::Progress::Failed) {
    facts_->failure = tls_->failure();
    facts_->plain_http = tls_->got_plain_http();
  }
  if (!facts_->hello) return;
  facts_->server_name = tls_->server_name();
  facts_->version = tls_->version();
  if (progress == TlsStream::Progress::Done && !facts_->finished) facts_->finished = clock_.now();
}

// As much of it as the step wants, or what it wants instead.
Task<Transfer> ClientSocket::send_flight(std::string flight, const Handshake& step,
                                         Duration deadline) {
  if (step.instead) flight = *step.instead;
  facts_->flight_planned += flight.size();
  if (step.cut) flight.resize(bytes_before(*step.cut, flight.size()));
  const Transfer put = co_await write_below(std::move(flight), deadline);
  facts_->flight_sent += put.bytes;
  co_return put;
}

Task<Transfer> ClientSocket::handshake(std::unique_ptr<TlsStream> stream, const Handshake& step,
                                       Duration silence) {
  tls_ = std::move(stream);
  facts_.emplace().certificate = to_string(step.certificate);
  const bool goes_no_further = step.cut || step.instead;
  std::array<char, kRoom> below;
  std::optional<Duration> deadline;
  for (;;) {
    const TlsStream::Progress progress = tls_->handshake();
    std::string flight = tls_->take_output();
    // Before the whole hello was read there is nothing to say.
    const bool is_answer = !flight.empty() && progress != TlsStream::Progress::Failed;
    if (is_answer && !facts_->hello) facts_->hello = clock_.now();
    note_handshake(progress);
    if (is_answer) {
      const Transfer put = co_await send_flight(std::move(flight), step, clock_.now() + silence);
      if (put.what != Io::Done || goes_no_further) co_return put;
    } else {
      unsent_ += flight;
    }
    if (progress == TlsStream::Progress::Done) co_return Transfer{Io::Done};
    if (progress != TlsStream::Progress::NeedInput) {
      flush_tls();
      co_return Transfer{Io::Failed};
    }
    const Transfer got = co_await read_below(below, deadline);
    if (got.what != Io::Done) {
      if (deadline) facts_->failure = "it was not brought to its end";
      co_return got;
    }
    tls_->feed({below.data(), got.bytes});
    deadline = clock_.now() + silence;
  }
}

}  // namespace mishap::server
