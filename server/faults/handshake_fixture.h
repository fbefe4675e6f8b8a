#pragma once

#include <chrono>
#include <string>

#include "mishap/journal.h"

// Connections as their records tell of a handshake, for the tests of its faults.
namespace mishap::server {

// The hello came after 1 ms; so much of our flight was made and sent; we ended it after 9 ms.
inline Connection shaken(const std::string& certificate, std::uint64_t planned,
                         std::uint64_t sent) {
  Connection connection;
  TlsFacts& tls = connection.tls.emplace();
  tls.hello = std::chrono::milliseconds(1);
  tls.certificate = certificate;
  tls.flight_planned = planned;
  tls.flight_sent = sent;
  connection.server_ended = std::chrono::milliseconds(9);
  return connection;
}

inline Connection without_hello() {
  Connection connection;
  connection.tls.emplace();
  return connection;
}

}  // namespace mishap::server
