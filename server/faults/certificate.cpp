#include "server/faults/catalog.h"
#include "server/faults/handshake.h"

// A certificate that a client must not accept. One that goes on all the same is served as usual, so
// that the journal shows what it did: requests on this connection.
namespace mishap::server {
namespace {

Steps plan(Steps steps, const Params& params, FaultContext&) {
  if (Handshake* handshake = find_handshake(steps)) {
    handshake->certificate = *certificate_named(params.text("how"));
  }
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  if (auto missing = flight_shortfall(proof)) return missing;
  if (proof.connection->tls->certificate == params.text("how")) return std::nullopt;
  return "another certificate was shown";
}

}  // namespace

const FaultDescriptor& certificate_fault() {
  static const FaultDescriptor fault{
      .name = "certificate",
      .action = "",
      .summary =
          "The server's certificate is not one to trust. A client that goes on is served as usual.",
      .stands_for =
          "A renewal that was forgotten, a clock that is wrong, a proxy that opens TLS with an "
          "authority of its own, a server set up without its intermediate certificate, an attack.",
      .since = "0.1",
      .params = {{.name = "how",
                  .type = ParamType::Choice,
                  .default_text = "expired",
                  .choices =
                      "self_signed|expired|not_yet_valid|wrong_name|incomplete_chain|unknown_ca",
                  .help = "what is wrong with it; incomplete_chain: the issuer's own certificate "
                          "is not sent"}},
      .points = {Point::Handshake},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .needs_tls = true,
  };
  return fault;
}

}  // namespace mishap::server
