#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "mishap/journal.h"
#include "server/plan/step.h"
#include "server/wire/alarm.h"
#include "server/wire/events.h"
#include "server/wire/io_thread.h"
#include "server/wire/os_linux.h"
#include "server/wire/run_clock.h"
#include "server/wire/task.h"
#include "server/wire/tls_stream.h"

namespace mishap::server {

enum class Io {
  Done,
  End,       // the client's FIN (reading)
  Left,      // RST, or the connection is already ended by us
  TimedOut,  // the deadline passed
  Aborted,   // the run ended
  Failed,    // our own error
};
struct Transfer {
  Io what = Io::Failed;
  std::size_t bytes = 0;
  Duration at{};  // immediately before the system call that moved them
};

// One accepted socket and everything that can be waited for on it. One waiter at a time; I/O thread
// only. Whoever waits is also told when the client leaves (by FIN or RST, read or unread) and when
// the run ends.
class ClientSocket final : public Watched {
 public:
  ClientSocket(IoThread& io, RunClock clock, Descriptor socket);
  ~ClientSocket();
  ClientSocket(const ClientSocket&) = delete;
  ClientSocket& operator=(const ClientSocket&) = delete;

  // From here on TLS is spoken. Done: the handshake is finished, or as much of it was done as the
  // step wants; then tls()->finished tells which. The client may begin when it likes; once it has,
  // no silence may be longer than `silence`.
  Task<Transfer> handshake(std::unique_ptr<TlsStream> stream, const Handshake& step,
                           Duration silence);
  // What is known of it; nothing where plain HTTP is spoken.
  const Boxed<TlsFacts>& tls() const { return facts_; }

  // Bytes that were read too far: they come again, first.
  void put_back(std::string bytes) { put_back_ = std::move(bytes); }

  // Some bytes. Without a deadline it ends with the client or the run.
  Task<Transfer> read(std::span<char> into, std::optional<Duration> deadline);
  // Of TLS at most a record, which counts once the kernel has all of it: a part of one is of no use
  // to the client.
  Task<Transfer> write(std::string_view bytes, Duration deadline);
  // What of plain bytes the kernel takes at once. Anything but Done: nothing was written, and
  // write() will tell why.
  Transfer write_now(std::string_view bytes);
  // Whether there may be something to read.
  bool is_readable() const { return readable_ || !put_back_.empty(); }

  // Time passes, whether or not the client stays. Cut short by the end of the run alone.
  Task<void> pause_until(Duration instant);
  // Until the client leaves or the run ends; where an instant is given, no longer than until then.
  Task<void> await_departure(std::optional<Duration> instant);
  // The same, and no longer than until the event happens or the deadline is over.
  enum class WhenLeft { Ends, GoOn };
  Task<void> await_event(Events& events, std::uint64_t event, Duration deadline,
                         WhenLeft when_left = WhenLeft::Ends);
  // Until all that was sent is acknowledged (true), or the client is gone or the deadline over.
  Task<bool> acknowledged(Duration deadline);
  // From here on nothing is read for a while; when the first bytes come all the same is noted, and
  // told by the second call.
  void listen();
  std::optional<Duration> stop_listening();

  // Reads and throws away until the client's end; what comes is bounded by both.
  Task<void> discard_until_end(Duration deadline, std::uint64_t most);

  // In TLS close_notify goes before it, where `notifies` and a handshake was finished.
  void send_fin(bool notifies = true);
  void send_reset();
  void close();
  void abort();

  // Asks the kernel now, for what the epoll set has not told yet.
  void look_for_departure();
  void note_departure(Departure departure);
  // Told at once of every change of departure(), whatever is being waited for; empty: nobody is.
  void on_departure(std::function<void()> callback) { on_departure_ = std::move(callback); }

  // Told when the run ends, for what is waited for elsewhere meanwhile; empty: nothing is.
  void on_abort(std::function<void()> callback) { on_abort_ = std::move(callback); }

  // Bytes that the client's kernel has not acknowledged; nothing where the connection is gone.
  std::optional<std::uint64_t> unacknowledged() const;

  bool is_aborted() const { return aborted_; }
  bool can_send() const { return socket_ && !server_ended_ && departure_ != Departure::Rst; }
  bool is_open() const { return static_cast<bool>(socket_); }
  // How the client left, where it did so before us. A FIN may become a RST; the instant stays.
  Departure departure() const { return departure_; }
  std::optional<Duration> departed() const { return departed_; }
  std::optional<Duration> server_ended() const { return server_ended_; }

  void on_ready(const Readiness& readiness) override;

 private:
  // Below TLS, where there is any.
  std::optional<Transfer> try_read(std::span<char> into);
  std::optional<Transfer> try_write(std::string_view bytes);
  Task<Transfer> read_below(std::span<char> into, std::optional<Duration> deadline);
  Task<Transfer> write_below(std::string bytes, Duration deadline);

  std::optional<Transfer> try_read_record(std::span<char> into);
  Task<Transfer> write_record(std::string_view bytes, Duration deadline);
  Task<Transfer> send_flight(std::string flight, const Handshake& step, Duration deadline);
  void note_handshake(TlsStream::Progress progress);
  void flush_tls();
  void send_close_notify();

  IoThread& io_;
  RunClock clock_;
  Alarm alarm_;
  Descriptor socket_;
  std::uint64_t watch_ = 0;
  bool readable_ = true;  // as far as is known: edge-triggered, so true until EAGAIN
  bool writable_ = true;
  bool peer_ended_ = false;
  bool peer_gone_ = false;  // its FIN or RST, also behind ours, which is no departure
  bool listening_ = false;
  std::size_t unread_ = 0;  // what lay there when listening began
  std::optional<Duration> heard_;
  bool aborted_ = false;
  Departure departure_ = Departure::None;
  std::optional<Duration> departed_;
  std::optional<Duration> server_ended_;
  std::unique_ptr<TlsStream> tls_;
  Boxed<TlsFacts> facts_;
  std::string put_back_;
  std::string unsent_;  // of TLS, in front of the next record
  std::function<void()> on_departure_;
  std::function<void()> on_abort_;
};

}  // namespace mishap::server
