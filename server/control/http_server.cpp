#include "server/control/http_server.h"

#include <array>
#include <exception>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "server/control/call_reader.h"
#include "server/control/problem.h"

namespace mishap::server::control {
namespace {

using namespace std::chrono_literals;

constexpr Duration kTick = 1s;
constexpr Duration kFarewell = 1s;

std::string bytes_of(const Reply& reply) {
  auto bytes = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, reason_phrase(reply.status));
  if (reply.status != 204) {
    bytes +=
        fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", reply.type, reply.body.size());
  }
  for (const auto& header : reply.headers) {
    bytes += fmt::format("{}: {}\r\n", header.name, header.value);
  }
  // What a browser might do with it, whatever comes out.
  bytes +=
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
  return reply.status == 204 ? bytes : bytes + reply.body;
}

std::string bytes_of(const Problem& problem) {
  return bytes_of(Reply{problem.status, problem_json(problem), "application/problem+json", {}});
}

Problem too_busy() {
  return problem(503, "too many calls at once", "call again in a moment").value();
}

}  // namespace

HttpServer::HttpServer(Socket listener, const Clock& clock, ServerLimits limits, Answerer answer,
                       std::function<void()> tick)
    : listener_(std::move(listener)),
      clock_(clock),
      limits_(limits),
      answer_(std::move(answer)),
      tick_(std::move(tick)) {
  acceptor_ = std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
}

HttpServer::~HttpServer() {
  acceptor_.request_stop();
  shut(listener_.get());
  acceptor_.join();
  std::vector<std::thread> workers;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const int fd : reading_) shut(fd);
    workers.swap(workers_);
    came_.notify_all();
  }
  for (auto& worker : workers) worker.join();
}

void HttpServer::accept_all(const std::stop_token& stop) {
  Duration next_tick = clock_.now() + kTick;
  while (!stop.stop_requested()) {
    auto socket = accept_within(listener_, kTick);
    if (stop.stop_requested()) return;
    if (socket) give(std::move(socket));
    if (clock_.now() < next_tick) continue;
    tick_();
    next_tick = clock_.now() + kTick;
  }
}

// A thread is made when there is work for it: most servers never see three calls at once.
void HttpServer::give(Socket socket) {
  const std::unique_lock lock(mutex_);
  if (busy_ + waiting_.size() >= limits_.workers + limits_.waiting) {
    const auto now = clock_.now();
    send_by(socket, bytes_of(too_busy()), clock_, now);
    end_politely(socket, clock_, now);
    return;
  }
  waiting_.push_back(std::move(socket));
  if (idle_ < waiting_.size() && workers_.size() < limits_.workers) add_worker();
  came_.notify_one();
}

void HttpServer::add_worker() {
  try {
    workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads are to be had: those there are will come to it.
  }
}

void HttpServer::work() {
  for (;;) {
    Socket socket;
    {
      std::unique_lock lock(mutex_);
      ++idle_;
      came_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      --idle_;
      if (stopping_) return;
      socket = std::move(waiting_.front());
      waiting_.pop_front();
      ++busy_;
    }
    serve(socket);
    socket.close();
    const std::lock_guard lock(mutex_);
    --busy_;
  }
}

bool HttpServer::begin_reading(const Socket& socket) {
  const std::lock_guard lock(mutex_);
  if (!stopping_) reading_.insert(socket.get());
  return !stopping_;
}

void HttpServer::end_reading(const Socket& socket) {
  const std::lock_guard lock(mutex_);
  reading_.erase(socket.get());
}

void HttpServer::serve(const Socket& socket) {
  const auto bytes = answer_to(socket);
  if (bytes.empty()) return;
  send_by(socket, bytes, clock_, clock_.now() + limits_.to_write);
  end_politely(socket, clock_, clock_.now() + kFarewell);
}

// Empty: the caller went away, or never said anything.
std::string HttpServer::answer_to(const Socket& socket) {
  const Duration deadline = clock_.now() + limits_.to_read;
  CallReader reader;
  std::array<char, 16 * 1024> bytes;
  bool began = false;
  while (!reader.is_done()) {
    if (!begin_reading(socket)) return {};
    const auto got = receive_by(socket, bytes.data(), bytes.size(), clock_, deadline);
    end_reading(socket);
    if (got == 0 && (!began || clock_.now() < deadline)) return {};
    if (got == 0) return bytes_of(problem(408, "the call took too long to come").value());
    began = true;
    if (const auto wrong = reader.take({bytes.data(), got})) return bytes_of(*wrong);
    if (reader.wants_go_ahead()) send_by(socket, "HTTP/1.1 100 Continue\r\n\r\n", clock_, deadline);
  }
  try {
    return bytes_of(answer_(reader.call()));
  } catch (const std::exception& error) {
    return bytes_of(problem(500, std::string("internal error: ") + error.what()).value());
  }
}

}  // namespace mishap::server::control
