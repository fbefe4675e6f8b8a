#include "server/wire/fake_engine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace mishap::server {

namespace {
constexpr auto kPatience = std::chrono::seconds(20);
}  // namespace

Steps FakeEngine::answer(StatusCode status, const std::string& body) {
  return {Send{Part::Head, fmt::format("HTTP/1.1 {} Status\r\nContent-Length: {}\r\n\r\n", status,
                                       body.size())},
          Send{Part::Body, body}};
}

namespace {

Steps then(Steps steps, Step last) {
  steps.push_back(std::move(last));
  return steps;
}

Steps refusal(const Rejection& rejection) {
  return then(FakeEngine::answer(rejection.status, rejection.reason), CloseConnection{});
}

}  // namespace

void FakeEngine::touched() {
  if (closed_) ++calls_after_close_;
  changed_.notify_all();
}

Decision FakeEngine::accept(const Arrival& arrival, Duration) {
  const std::lock_guard lock(mutex_);
  touched();
  connections_.push_back({arrival.client_port, 0, {}});
  return {connections_.size(), at_accept ? at_accept() : Steps{}};
}

Decision FakeEngine::head(std::uint64_t connection, RequestHead head, Duration first_byte,
                          Duration) {
  const std::lock_guard lock(mutex_);
  touched();
  SeenExchange seen;
  seen.connection = connection;
  seen.head = std::move(head);
  seen.first_byte = first_byte;
  exchanges_.push_back(std::move(seen));
  const RequestHead& kept = exchanges_.back().head;
  if (at_head) return {exchanges_.size(), at_head(kept)};
  Steps steps;
  if (kept.expects_continue)
    steps.emplace_back(Send{Part::Interim, "HTTP/1.1 100 Continue\r\n\r\n"});
  return {exchanges_.size(), then(std::move(steps), ReadBody{})};
}

Steps FakeEngine::request(std::uint64_t id, std::string body, Duration) {
  const std::lock_guard lock(mutex_);
  touched();
  exchange(id).body = std::move(body);
  return at_request ? at_request(exchange(id).head) : Steps{Apply{}};
}

Steps FakeEngine::apply(std::uint64_t id, Duration now) {
  const std::lock_guard lock(mutex_);
  touched();
  ++exchange(id).applied;
  exchange(id).applied_at = now;
  return at_apply ? at_apply(exchange(id).head) : then(answer(200, "ok"), Finish{});
}

Decision FakeEngine::rejected(std::uint64_t connection, Rejection rejection, Duration first_byte,
                              Duration) {
  const std::lock_guard lock(mutex_);
  touched();
  SeenExchange seen;
  seen.connection = connection;
  seen.rejection = rejection;
  seen.first_byte = first_byte;
  exchanges_.push_back(std::move(seen));
  return {exchanges_.size(), refusal(rejection)};
}

Steps FakeEngine::rejected_body(std::uint64_t id, Rejection rejection, Duration) {
  const std::lock_guard lock(mutex_);
  touched();
  exchange(id).rejection = rejection;
  return refusal(rejection);
}

void FakeEngine::client_left(std::uint64_t id, Departure departure, Duration) {
  const std::lock_guard lock(mutex_);
  touched();
  exchange(id).left.push_back(departure);
}

void FakeEngine::end(std::uint64_t id, std::uint64_t body_bytes_read, Receipt receipt) {
  std::function<void(const Exchange&)> callback;
  {
    const std::lock_guard lock(mutex_);
    SeenExchange& seen = exchange(id);
    ++seen.ended;
    seen.body_bytes = body_bytes_read;
    seen.receipt = receipt;
    callback = callback_;
    touched();
  }
  Exchange ended;
  ended.number = id;
  if (callback) callback(ended);
}

void FakeEngine::connection_ended(std::uint64_t id, const ConnectionEnd& end) {
  const std::lock_guard lock(mutex_);
  SeenConnection& seen = connections_.at(id - 1);
  ++seen.ended;
  seen.end = end;
  touched();
}

std::uint64_t FakeEngine::requests() const {
  const std::lock_guard lock(mutex_);
  return exchanges_.size();
}

void FakeEngine::on_exchange(std::function<void(const Exchange&)> callback) {
  const std::lock_guard lock(mutex_);
  callback_ = std::move(callback);
}

Journal FakeEngine::close(Duration) {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  return {};
}

int FakeEngine::calls_after_close() const {
  const std::lock_guard lock(mutex_);
  return calls_after_close_;
}

bool FakeEngine::wait_until(
    const std::function<bool(const std::vector<SeenExchange>&)>& done) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return done(exchanges_); });
}

std::vector<SeenExchange> FakeEngine::exchanges_once_ended(std::size_t count) const {
  const bool have = wait_until([count](const std::vector<SeenExchange>& all) {
    const auto ended = std::count_if(all.begin(), all.end(),
                                     [](const SeenExchange& seen) { return seen.ended > 0; });
    return static_cast<std::size_t>(ended) >= count;
  });
  EXPECT_TRUE(have) << "fewer than " << count << " exchanges ended";
  const std::lock_guard lock(mutex_);
  return exchanges_;
}

std::vector<SeenConnection> FakeEngine::connections_once_ended(std::size_t count) const {
  std::unique_lock lock(mutex_);
  const bool have = changed_.wait_for(lock, kPatience, [&] {
    const auto ended = std::count_if(connections_.begin(), connections_.end(),
                                     [](const SeenConnection& seen) { return seen.ended > 0; });
    return static_cast<std::size_t>(ended) >= count;
  });
  EXPECT_TRUE(have) << "fewer than " << count << " connections ended";
  return connections_;
}

}  // namespace mishap::server
