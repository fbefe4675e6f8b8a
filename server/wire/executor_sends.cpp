// The steps that write.
#include <algorithm>
#include <utility>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "server/wire/executor.h"

namespace mishap::server {

Task<void> Executor::on(SendAnswer& step) {
  // The engine hands out encoded steps; one that is not is encoded here rather than lost.
  Steps steps;
  steps.emplace_back(std::move(step));
  prepend(encode(std::move(steps)));
  co_return;
}

void Executor::gather_sends(Send& first) {
  // Head and body in one write, as servers do; large bodies are not worth the copy.
  constexpr std::size_t kWorthCopying = 64 * 1024;
  while (first.slice == 0 && first.part != Part::Interim && !pending_.empty()) {
    auto* next = std::get_if<Send>(&pending_.back());
    if (next == nullptr || next->slice != 0 || next->part == Part::Interim) return;
    if (next->bytes.size() > kWorthCopying) return;
    receipt_.plan(next->part, next->bytes);
    first.bytes += next->bytes;
    pending_.pop_back();
  }
}

namespace {

bool counts(const Send& step) {
  return step.part != Part::Interim;
}

}  // namespace

// False: there is nothing to be written.
bool Executor::begin_send(Send& step) {
  // A client whose body is refused by its length alone is not invited to send it.
  if (!counts(step) && is_body_too_long()) return false;
  receipt_.plan(step.part, step.bytes);
  gather_sends(step);
  connection_.look_for_departure();
  if (!connection_.can_send()) return false;
  if (!counts(step)) is_invited_ = true;
  return true;
}

// All of it in one write, mostly; what is left of it is the coroutine's.
bool Executor::at_once(Send& step) {
  if (!begin_send(step) || step.bytes.empty()) return true;
  if (step.slice != 0 || connection_.departure() != Departure::None) return false;
  const Transfer put = connection_.write_now(step.bytes);
  if (put.what != Io::Done) return false;
  wrote(std::string_view(step.bytes).substr(0, put.bytes), put.at, counts(step));
  if (put.bytes == step.bytes.size()) return true;
  sent_ = put.bytes;
  return false;
}

Task<void> Executor::on(Send& step) {
  std::string_view rest = std::string_view(step.bytes).substr(std::exchange(sent_, 0));
  const std::size_t slice = step.slice == 0 ? rest.size() : static_cast<std::size_t>(step.slice);
  const Duration start = now();
  for (Duration::rep k = 0; !rest.empty(); ++k) {
    if (k > 0) {
      due_ = start + k * step.gap;
      co_await connection_.pause_until(due_);
      if (!connection_.is_aborted() && connection_.can_send()) receipt_.late(now() - due_);
    }
    const std::size_t length = std::min(slice, rest.size());
    const bool written = co_await write_all(rest.substr(0, length), counts(step));
    if (!written) co_return;
    rest.remove_prefix(length);
  }
}

Task<void> Executor::on(SendMany& step) {
  constexpr std::size_t kBlock = 64 * 1024;
  const bool counts = step.part != Part::Interim;
  receipt_.plan_many(step.part, step.unit, step.times);
  connection_.look_for_departure();
  if (!connection_.can_send() || step.unit.empty()) co_return;
  const bool is_paced = step.gap != Duration{};
  const std::uint64_t at_once =
      is_paced ? 1 : std::clamp<std::uint64_t>(kBlock / step.unit.size(), 1, step.times);
  std::string block;
  for (std::uint64_t i = 0; i < at_once; ++i) block += step.unit;
  const Duration start = now();
  for (std::uint64_t done = 0; done < step.times;) {
    if (is_paced && done > 0) {
      due_ = start + static_cast<Duration::rep>(done) * step.gap;
      co_await connection_.pause_until(due_);
      connection_.look_for_departure();
      if (!connection_.can_send() || connection_.is_aborted()) co_return;
      receipt_.late(now() - due_);
    }
    const std::uint64_t count = std::min(at_once, step.times - done);
    const std::string_view bytes(block.data(), static_cast<std::size_t>(count) * step.unit.size());
    const bool written = co_await write_all(bytes, counts);
    if (!written) co_return;
    done += count;
  }
}

Task<bool> Executor::write_all(std::string_view bytes, bool counts) {
  while (!bytes.empty()) {
    const bool is_half_closed = connection_.departure() == Departure::Fin;
    const Transfer put = co_await connection_.write(bytes, now() + patience_.blocked_write);
    if (put.what != Io::Done) {
      give_up_writing(put.what);
      co_return false;
    }
    if (is_half_closed) {
      // A FIN may mean "I have said all" or "I am gone", and the kernel takes bytes in both cases.
      // The client's answer to the bytes tells: acknowledged, or a RST.
      co_await connection_.acknowledged(now() + patience_.half_closed);
      if (connection_.departure() == Departure::Rst) co_return false;
    }
    wrote(bytes.substr(0, put.bytes), put.at, counts);
    bytes.remove_prefix(put.bytes);
  }
  co_return true;
}

void Executor::wrote(std::string_view bytes, Duration at, bool counts) {
  if (!counts) return receipt_.wrote_interim(bytes.size());
  if (!receipt_.has_written()) receipt_.late(at - due_);
  receipt_.wrote(bytes, at);
}

void Executor::give_up_writing(Io what) {
  if (what == Io::Failed) return fail();
  if (what != Io::TimedOut) return;
  receipt_.end(Ending::Reset, now());
  connection_.send_reset();
}

Task<void> Executor::on(AwaitAcknowledged&) {
  if (!connection_.can_send()) co_return;
  co_await connection_.acknowledged(now() + patience_.acknowledge);
  due_ = now();
}

}  // namespace mishap::server
