#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/clock.h"
#include "server/control/call.h"
#include "server/control/sockets.h"

namespace mishap::server::control {

struct ServerLimits {
  std::size_t workers = 64;                     // calls that are answered at once
  std::size_t waiting = 32;                     // further ones that wait; above that: 503
  Duration to_read = std::chrono::seconds(10);  // a whole call, from its connection on
  Duration to_write = std::chrono::seconds(10);
};

// Answers calls on threads of its own, none of them the mock's. One call for each connection, so
// that no thread waits for a caller that has nothing to say.
class HttpServer {
 public:
  // `clock` is borrowed. `tick` is called about once a second.
  HttpServer(Socket listener, const Clock& clock, ServerLimits limits, Answerer answer,
             std::function<void()> tick);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  Port port() const { return port_of(listener_); }

 private:
  void accept_all(const std::stop_token& stop);
  void give(Socket socket);
  void add_worker();
  void work();
  void serve(const Socket& socket);
  bool begin_reading(const Socket& socket);
  void end_reading(const Socket& socket);
  std::string answer_to(const Socket& socket);

  Socket listener_;
  const Clock& clock_;
  const ServerLimits limits_;
  const Answerer answer_;
  const std::function<void()> tick_;

  std::mutex mutex_;  // of all below
  std::condition_variable came_;
  std::deque<Socket> waiting_;
  std::set<int> reading_;
  std::size_t idle_ = 0;  // workers that wait for a call
  std::size_t busy_ = 0;  // workers that have one
  bool stopping_ = false;
  std::vector<std::thread> workers_;
  std::jthread acceptor_;
};

}  // namespace mishap::server::control
