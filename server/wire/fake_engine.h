#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/engine/engine.h"

namespace mishap::server {

// What the engine was told of one exchange, and how often.
struct SeenExchange {
  std::uint64_t connection = 0;
  RequestHead head;
  std::optional<Rejection> rejection;
  Duration first_byte{};
  std::optional<std::string> body;  // asked for the request moment
  int applied = 0;
  int ended = 0;
  Duration applied_at{};
  std::uint64_t body_bytes = 0;
  Receipt receipt;
  std::vector<Departure> left;  // early notices
};

struct SeenConnection {
  Port client_port = 0;
  int ended = 0;
  Engine::ConnectionEnd end;
};

// Answers with scripted steps and remembers everything: the engine of this folder's tests. A script
// that is not set gives what the real engine does by default. Set them before traffic comes.
class FakeEngine final : public Engine {
 public:
  std::function<Steps()> at_accept;
  std::function<Steps(const RequestHead&)> at_head;
  std::function<Steps(const RequestHead&)> at_request;
  std::function<Steps(const RequestHead&)> at_apply;

  static Steps answer(StatusCode status, const std::string& body);

  // Copies, once the condition holds or a deadline is over (which fails the test).
  std::vector<SeenExchange> exchanges_once_ended(std::size_t count) const;
  std::vector<SeenConnection> connections_once_ended(std::size_t count) const;
  bool wait_until(const std::function<bool(const std::vector<SeenExchange>&)>& done) const;
  int calls_after_close() const;

  Decision accept(const Arrival& arrival, Duration now) override;
  Decision head(std::uint64_t connection, RequestHead head, Duration first_byte,
                Duration now) override;
  Steps request(std::uint64_t exchange, std::string body, Duration now) override;
  Steps apply(std::uint64_t exchange, Duration now) override;
  Decision rejected(std::uint64_t connection, Rejection rejection, Duration first_byte,
                    Duration now) override;
  Steps rejected_body(std::uint64_t exchange, Rejection rejection, Duration now) override;
  void client_left(std::uint64_t exchange, Departure departure, Duration at) override;
  void end(std::uint64_t exchange, std::uint64_t body_bytes_read, Receipt receipt) override;
  void connection_ended(std::uint64_t connection, const ConnectionEnd& end) override;
  Journal snapshot() const override { return {}; }
  std::uint64_t requests() const override;
  Duration last_activity() const override { return {}; }
  bool wait(const std::function<bool(const Journal&)>&, Duration) const override { return true; }
  void on_exchange(std::function<void(const Exchange&)> callback) override;
  Journal close(Duration now) override;

 private:
  void touched();
  SeenExchange& exchange(std::uint64_t id) { return exchanges_.at(id - 1); }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<SeenConnection> connections_;
  std::vector<SeenExchange> exchanges_;
  std::function<void(const Exchange&)> callback_;
  bool closed_ = false;
  int calls_after_close_ = 0;
};

}  // namespace mishap::server
