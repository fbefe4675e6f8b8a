#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/wire/raw_client.h"

struct ssl_st;

namespace mishap::server {

// A TLS client for the tests of this folder, over a RawClient whose bytes stay visible.
class TlsClient {
 public:
  struct Options {
    std::string ca{};  // PEM of what is trusted; empty: nothing is looked at
    std::string host = "localhost";
    bool only_tls12 = false;
  };

  TlsClient(const Place& place, Options options);
  ~TlsClient();

  // Its first flight, as it would go out.
  static std::string hello();

  // True once it is finished and the server trusted.
  bool handshake();
  // What OpenSSL says of the certificate (X509_V_ERR_...), and of why a call failed.
  long verify_error() const;
  const std::string& error() const { return error_; }

  void send(std::string_view text);
  // Plain text received so far, waiting as those of RawClient do.
  const std::string& receive_until(std::string_view text);
  const std::string& receive_to_end();
  bool saw_close_notify() const;

  RawClient& raw() { return raw_; }

 private:
  void flush();
  bool pump();  // waits for more bytes; false: there are none
  bool receive_some();

  struct Free {
    void operator()(ssl_st* session) const;
  };
  RawClient raw_;
  std::unique_ptr<ssl_st, Free> session_;
  std::string received_;
  std::string error_;
};

}  // namespace mishap::server
