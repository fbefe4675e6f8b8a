#include "server/wire/executor.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "server/wire/client_desk.h"
#include "server/wire/tls_server.h"

namespace mishap::server {

Executor::Executor(Context context, std::optional<std::uint64_t> exchange)
    : connection_(context.connection),
      reader_(context.reader),
      engine_(context.engine),
      clock_(context.clock),
      limits_(context.limits),
      patience_(context.patience),
      effects_(context.effects),
      events_(context.events),
      desk_(context.desk),
      upstreams_(context.upstreams),
      tls_(context.tls),
      exchange_(exchange),
      receipt_(context.reader.is_head_method()),
      due_(context.clock.now()) {
  if (!exchange_) return;
  expect_effect();
  connection_.on_departure([this] { tell_departure(); });
  tell_departure();
}

Executor::~Executor() {
  pending_.clear();
  close_the_book();
}

void Executor::tell_departure() {
  if (connection_.departure() == Departure::None) return;
  engine_.client_left(*exchange_, connection_.departure(), *connection_.departed());
}

// The client can try again from now on, though steps of this exchange are still to come.
void Executor::tell_early_ending() {
  if (exchange_ && !pending_.empty()) engine_.client_left(*exchange_, Departure::None, now());
}

bool Executor::may_still_apply() const {
  return std::any_of(pending_.begin(), pending_.end(), [](const Step& step) {
    return std::holds_alternative<Apply>(step) || std::holds_alternative<ReadBody>(step);
  });
}

void Executor::expect_effect() {
  if (is_counted_) return;
  is_counted_ = true;
  effects_.add();
}

void Executor::count_effect() {
  if (!is_counted_ || may_still_apply()) return;
  is_counted_ = false;
  effects_.remove();
}

struct Executor::AtOnce {
  Executor& executor;
  bool operator()(ReadBody& step) const { return executor.at_once(step); }
  bool operator()(Apply& step) const { return executor.at_once(step); }
  bool operator()(Send& step) const { return executor.at_once(step); }
  bool operator()(Finish& step) const { return executor.at_once(step); }
  template <typename S>
  bool operator()(S&) const {
    return false;
  }
};

struct Executor::Dispatch {
  Executor& executor;
  Task<void> operator()(Finish&) const { co_return; }  // was done at once
  template <typename S>
  Task<void> operator()(S& step) const {
    return executor.on(step);
  }
};

Task<void> Executor::perform(Steps steps) {
  prepend(std::move(steps));
  while (!pending_.empty() && !connection_.is_aborted()) {
    count_effect();
    Step step = std::move(pending_.back());
    pending_.pop_back();
    if (!std::visit(AtOnce{*this}, step)) {
      Task<void> task = std::visit(Dispatch{*this}, step);
      co_await std::move(task);
    }
    notice_departure();
  }
  conclude();
}

void Executor::prepend(Steps steps) {
  pending_.insert(pending_.end(), std::make_move_iterator(steps.rbegin()),
                  std::make_move_iterator(steps.rend()));
}

// At accept.

Task<void> Executor::on(Handshake& step) {
  if (exchange_ || tls_ == nullptr) co_return;
  std::unique_ptr<TlsStream> stream = tls_->accept(step.certificate);
  const Transfer done =
      co_await connection_.handshake(std::move(stream), step, patience_.mid_request);
  due_ = now();
  if (done.what == Io::Done || done.what == Io::Aborted) co_return;
  // Without it there is nothing to be said on this connection.
  pending_.clear();
  notice_departure();
  receipt_.end(connection_.departure() == Departure::None ? Ending::Closed : Ending::ClientLeft,
               now());
  connection_.send_fin();
}

// Reading.

bool Executor::is_body_too_long() const {
  const auto length = reader_.content_length();
  return length && *length > limits_.body;
}

bool Executor::at_once(ReadBody& step) {
  if (!exchange_ || is_requested_) return true;
  if (step.slice != 0 || step.limit != ReadBody{}.limit || is_body_too_long()) return false;
  if (reader_.parse_body(step.limit) != RequestReader::Progress::Done) return false;
  if (!reader_.is_body_over()) return false;
  body_is_read(step);
  return true;
}

Task<void> Executor::on(ReadBody& step) {
  using Progress = RequestReader::Progress;
  if (!exchange_ || is_requested_) co_return;
  if (is_body_too_long() && step.limit > limits_.body) {
    reader_.reject(413, "the body is longer than the limit");
  }
  const Duration start = now();
  std::uint64_t allowed = step.slice == 0 ? step.limit : std::min(step.limit, step.slice);
  for (Duration::rep slices = 1;;) {
    const Progress progress = reader_.parse_body(allowed);
    if (progress == Progress::Done && reader_.is_body_over()) body_is_read(step);
    if (progress == Progress::Rejected) {
      reject_body();
      co_return;
    }
    if (progress == Progress::NeedMore) {
      const bool goes_on = co_await read_some(step);
      if (!goes_on) co_return;
      continue;
    }
    if (is_requested_ || allowed >= step.limit) co_return;
    const bool is_here = co_await rest_until(start + slices++ * step.gap);
    if (!is_here) co_return;
    allowed = std::min(step.limit, allowed + step.slice);
  }
}

// Between two slices. Whoever waits for so long may leave; then nobody reads on.
Task<bool> Executor::rest_until(Duration instant) {
  co_await connection_.await_departure(instant);
  if (connection_.is_aborted()) co_return false;
  if (connection_.departure() == Departure::None) co_return true;
  receipt_.end(Ending::ClientLeft, connection_.departed());
  pending_.clear();
  co_return false;
}

// In slices no more is taken from the kernel than the slice has room for, so that its queue fills.
Task<bool> Executor::read_some(const ReadBody& step) {
  std::span<char> room = reader_.room();
  if (step.slice != 0) room = room.first(std::min<std::uint64_t>(room.size(), step.slice));
  const Transfer got = co_await connection_.read(room, now() + patience_.mid_request);
  reader_.commit(got.what == Io::Done ? got.bytes : 0, now());
  if (got.what == Io::TimedOut) reader_.reject(408, "the request's body did not come");
  if (got.what == Io::Failed) fail();
  if (got.what == Io::Done || got.what == Io::TimedOut) co_return true;
  if (got.what != Io::Aborted) receipt_.end(Ending::ClientLeft, connection_.departed());
  co_return false;
}

void Executor::body_is_read(const ReadBody& step) {
  is_requested_ = true;
  connection_.listen();
  // What stood behind a limit was for a body that is longer.
  if (step.limit != ReadBody{}.limit) pending_.clear();
  Steps steps = engine_.request(*exchange_, reader_.take_body(), now());
  due_ = now();
  prepend(std::move(steps));
}

void Executor::reject_body() {
  pending_.clear();
  is_requested_ = true;
  Steps steps = engine_.rejected_body(*exchange_, reader_.rejection(), now());
  due_ = now();
  prepend(std::move(steps));
}

bool Executor::is_body_uninvited() const {
  return reader_.expects_continue() && !is_invited_;
}

Task<void> Executor::on(Drain&) {
  // What is no request has no end to read up to; a body that was not invited may never come. The
  // close that follows in both cases reads on until the client's end.
  if (!exchange_ || reader_.is_rejected() || is_body_uninvited()) co_return;
  const Duration deadline = now() + patience_.drain;
  std::uint64_t total = 0;
  while (total < patience_.drain_bytes) {
    if (reader_.skip_body() != RequestReader::Progress::NeedMore) break;
    const Transfer got = co_await connection_.read(reader_.room(), deadline);
    reader_.commit(got.what == Io::Done ? got.bytes : 0, now());
    if (got.what != Io::Done) break;
    total += got.bytes;
  }
  due_ = now();
}

// Time and effect.

Task<void> Executor::on(Wait& step) {
  due_ = now() + step.length;
  co_await connection_.pause_until(due_);
  if (!connection_.is_aborted()) receipt_.late(now() - due_);
}

// How long others take to come is not our lateness. Nor is its effect one that is sure to come:
// while its client waits as well, the end of the run need not wait for others.
Task<void> Executor::on(WaitForEvent& step) {
  if (std::exchange(is_counted_, false)) effects_.remove();
  co_await connection_.await_event(events_, step.event, now() + step.most);
  if (exchange_ && may_still_apply() && !connection_.is_aborted()) expect_effect();
  due_ = now();
}

// Also when the client leaves: that it does is what was asked for.
Task<void> Executor::on(SignalClient& step) {
  if (!exchange_) co_return;
  ClientSignal signal;
  signal.name = step.signal;
  signal.asked = now();
  signal.restarts = step.restart_after.has_value();
  if (const auto order = desk_.order(engine_.lane_of(*exchange_), step)) {
    co_await connection_.await_event(events_, ClientDesk::event_of(*order),
                                     now() + patience_.signal, ClientSocket::WhenLeft::GoOn);
    if (const auto done = desk_.outcome(*order)) {
      signal.sent = done->at;
      signal.gone = done->gone;
    }
  }
  receipt_.signalled(std::move(signal));
  due_ = now();
}

bool Executor::at_once(Apply& step) {
  if (!exchange_) return true;
  if (step.upstream && upstreams_ != nullptr) return false;
  apply_here();
  return true;
}

void Executor::apply_here() {
  Steps steps = engine_.apply(*exchange_, now());
  due_ = now();
  prepend(std::move(steps));
}

Task<void> Executor::on(Apply&) {
  std::optional<UpstreamRequest> request = engine_.call_upstream(*exchange_, now());
  if (!request) {
    apply_here();
    co_return;
  }
  Steps steps = co_await call_upstream(std::move(*request));
  // What an upstream takes is its own time, not our lateness.
  due_ = now();
  prepend(std::move(steps));
}

namespace {

// Ends a call with the run. The call is borrowed, and let go of before it ends.
class AbortWatch {
 public:
  AbortWatch(ClientSocket& connection, OutboundCall& call) : connection_(connection) {
    connection_.on_abort([&call] { call.cancel(); });
  }
  ~AbortWatch() { connection_.on_abort({}); }
  AbortWatch(const AbortWatch&) = delete;
  AbortWatch& operator=(const AbortWatch&) = delete;

 private:
  ClientSocket& connection_;
};

}  // namespace

Task<Steps> Executor::call_upstream(UpstreamRequest request) {
  const std::unique_ptr<OutboundCall> call = upstreams_->call(std::move(request));
  const AbortWatch watch(connection_, *call);
  UpstreamResult result = co_await call->perform();
  co_return engine_.apply_answer(*exchange_, std::move(result), now());
}

}  // namespace mishap::server
