#pragma once

#include <optional>
#include <string>

#include "server/faults/proof.h"

// What the faults at handshake share: finding it among the steps of accept, and reading from the
// connection's record what became of it.
namespace mishap::server {

// Null where there is none: plain HTTP, or a rule before it ended the connection.
Handshake* find_handshake(Steps& steps);
// All behind it goes.
Steps up_to_handshake(Steps steps);
// The client's hello is answered with these bytes, then FIN.
Steps replace_flight(Steps steps, std::string bytes);

// The connection's TLS side where the client's hello was read; else what is missing.
struct HelloRead {
  const TlsFacts* tls = nullptr;
  Shortfall missing;
};
HelloRead hello_of(const Proof& proof);

// All that was to answer the hello went out.
Shortfall flight_shortfall(const Proof& proof);
// So it did, in place of our own: no handshake came of it.
Shortfall replaced_flight_shortfall(const Proof& proof);
// It was cut there.
Shortfall flight_cut_shortfall(const Proof& proof, const Position& after);

}  // namespace mishap::server
