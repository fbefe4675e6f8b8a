#include "server/outbound/upstream_call.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include <boost/asio/awaitable.hpp>

namespace mishap::server {
namespace {

std::string bytes_of(const UpstreamRequest& request) {
  std::string bytes = request.method + " " + request.target + " HTTP/1.1\r\n";
  for (const NameValue& field : request.headers) {
    bytes += field.name + ": " + field.value + "\r\n";
  }
  return bytes + "\r\n" + request.body;
}

}  // namespace

UpstreamExchange::UpstreamExchange(IoThread& io, RunClock clock, const Origin& origin,
                                   UpstreamRequest request)
    : origin_(origin),
      clock_(clock),
      socket_(io, clock),
      reader_(request.method == "HEAD", {.body = origin.limits.answer}),
      request_(bytes_of(request)),
      unsent_(request_) {}

Task<UpstreamResult> UpstreamExchange::perform() {
  const Duration deadline = clock_.now() + origin_.upstream.timeout;
  Why why = co_await open(deadline);
  if (!why) why = co_await exchange(deadline);
  UpstreamResult result;
  result.sent = sent_;
  result.cut_off = socket_.is_cancelled();
  if (why) {
    result.failure = origin_.upstream.url() + ": " + *why;
  } else {
    result.answer = reader_.take();
  }
  co_return result;
}

std::string UpstreamExchange::late() const {
  if (socket_.is_cancelled()) return "the run ended before its answer was there";
  return fmt::format("no whole answer within {}", format_duration(origin_.upstream.timeout));
}

Task<UpstreamExchange::Why> UpstreamExchange::open(Duration deadline) {
  const scenarios::Upstream& upstream = origin_.upstream;
  const Why unreachable = co_await socket_.connect(upstream.host, upstream.port, deadline);
  if (unreachable) co_return "it cannot be reached: " + *unreachable;
  channel_ = origin_.channels->over(socket_.get());
  if (!channel_) co_return std::string("TLS could not begin");
  for (;;) {
    const Move shaken = channel_->handshake();
    if (shaken.what == Moved::Some) co_return std::nullopt;
    if (shaken.what != Moved::NotNow) {
      const std::string why = channel_->why();
      co_return "TLS failed: " + (why.empty() ? std::string("it closed the connection") : why);
    }
    const bool goes_on = co_await socket_.changed(deadline);
    if (!goes_on) co_return "TLS failed: " + late();
  }
}

// Sends and reads as either becomes possible: an answer may come before the request is out, and an
// upstream that is not read from may not read either.
Task<UpstreamExchange::Why> UpstreamExchange::exchange(Duration deadline) {
  constexpr int kFairTurn = 16;
  sent_ = clock_.now();
  for (int turn = 1; state_ == AnswerReader::State::More; ++turn) {
    const bool has_sent = send_more();
    const bool has_read = read_more();
    if (state_ != AnswerReader::State::More) break;
    if (broken_) co_return broken_;
    if (clock_.now() >= deadline || socket_.is_cancelled()) co_return late();
    if (has_sent || has_read) {
      if (turn % kFairTurn == 0) co_await yield_turn();
      continue;
    }
    const bool goes_on = co_await socket_.changed(deadline);
    if (!goes_on) co_return late();
  }
  if (state_ == AnswerReader::State::Wrong) co_return reader_.complaint();
  co_return std::nullopt;
}

bool UpstreamExchange::send_more() {
  if (unsent_.empty()) return false;
  const Move put = channel_->write(unsent_);
  if (put.what == Moved::Some) unsent_.remove_prefix(put.bytes);
  // An upstream may answer and hang up without having read all: the answer tells.
  if (put.what == Moved::Failed || put.what == Moved::End) unsent_ = {};
  return put.what == Moved::Some;
}

bool UpstreamExchange::read_more() {
  std::array<char, 16 * 1024> buffer;
  const Move got = channel_->read(buffer);
  take(got, {buffer.data(), got.bytes});
  return got.what == Moved::Some;
}

void UpstreamExchange::take(const Move& got, std::string_view bytes) {
  switch (got.what) {
    case Moved::Some:
      state_ = reader_.feed(bytes);
      break;
    case Moved::End:
      state_ = reader_.end();
      break;
    case Moved::Failed:
      broken_ = "the connection broke before its answer was whole: " + channel_->why();
      break;
    case Moved::NotNow:
      break;
  }
}

}  // namespace mishap::server
