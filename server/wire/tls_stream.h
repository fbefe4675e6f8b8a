#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;

namespace mishap::server {

// TLS between two memories: what came from the socket is fed, what is to go there is taken. So who
// holds the socket may cut, hold back or replace any byte. Does no I/O.
class TlsStream {
 public:
  enum class Progress {
    Done,
    NeedInput,
    Closed,  // the client's close_notify
    Failed,
  };
  struct Moved {
    Progress progress = Progress::Failed;
    std::size_t bytes = 0;
  };

  explicit TlsStream(ssl_st* session);  // of a server's context; takes it over
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  void feed(std::string_view from_socket);
  std::string take_output();

  Progress handshake();
  Moved read(std::span<char> into);
  // All of it becomes output; at most what fits in one record (RFC 8446 section 5.1) at a time.
  static constexpr std::size_t kRecord = 16 * 1024;
  bool write(std::string_view bytes);
  void close_notify();

  bool is_established() const;
  std::string server_name() const;  // what the client asked for; empty: nothing
  std::string version() const;      // "TLSv1.3"
  std::optional<std::uint64_t> client_alert() const { return client_alert_; }
  bool got_plain_http() const { return got_plain_http_; }
  // Why the last call failed, one sentence.
  const std::string& failure() const { return failure_; }

 private:
  struct Free {
    void operator()(ssl_st* session) const;
  };
  static void on_event(const ssl_st* session, int where, int value);
  Progress progress_of(int result);
  void take_failure();
  std::string reason(unsigned long code) const;

  std::unique_ptr<ssl_st, Free> session_;
  std::optional<std::uint64_t> client_alert_;
  bool got_plain_http_ = false;
  std::string failure_;
};

}  // namespace mishap::server
