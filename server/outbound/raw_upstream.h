#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mishap/units.h"
#include "server/outbound/tls_identity.h"
#include "server/wire/os_linux.h"

namespace mishap::server {

// What a head says of the length of its body, in whatever case; nothing: not said.
std::optional<std::size_t> length_in(const std::string& head);

// For tests: the upstream's side of one connection. Every wait has a deadline.
class UpstreamPeer {
 public:
  UpstreamPeer(int socket, const TlsIdentity* identity);
  ~UpstreamPeer();
  UpstreamPeer(const UpstreamPeer&) = delete;
  UpstreamPeer& operator=(const UpstreamPeer&) = delete;

  bool is_open() const;        // TLS: the handshake succeeded
  std::string read_request();  // head and, by its length, body; less where it ends before
  void write(std::string_view bytes);
  void wait_for_end();  // until the other side is gone
  void reset();         // RST

 private:
  struct Tls;
  bool read_some(std::string& into);

  int socket_;
  std::unique_ptr<Tls> tls_;
};

// For tests: a real API that does what its script says, on a thread of its own, on loopback. One
// connection after another; the script sees each request once it has come.
class RawUpstream {
 public:
  using Script = std::function<void(UpstreamPeer& peer, const std::string& request)>;

  explicit RawUpstream(Script script, const TlsIdentity* identity = nullptr);
  ~RawUpstream();
  RawUpstream(const RawUpstream&) = delete;
  RawUpstream& operator=(const RawUpstream&) = delete;

  // Answers the same to all.
  static Script answers(std::string bytes);

  Port port() const { return port_; }
  std::string authority() const { return "127.0.0.1:" + std::to_string(port_); }

  // The requests that came, once there are that many or a deadline is over (which fails the test).
  std::vector<std::string> requests_once(std::size_t count) const;
  std::vector<std::string> requests() const;
  std::size_t connections() const;

 private:
  void serve();

  Script script_;
  const TlsIdentity* identity_;
  Descriptor listener_;
  Port port_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<std::string> requests_;
  std::size_t connections_ = 0;
  std::thread thread_;
};

}  // namespace mishap::server
