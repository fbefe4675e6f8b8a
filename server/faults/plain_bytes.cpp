#include "server/faults/catalog.h"
#include "server/faults/handshake.h"

// No TLS where TLS is expected.
namespace mishap::server {
namespace {

std::string bytes_of(const Params& params) {
  if (params.has("text")) return params.text("text");
  return "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  return replace_flight(std::move(steps), bytes_of(params));
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return replaced_flight_shortfall(proof);
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (!params.has("text") || !params.text("text").empty()) return;
  diagnostics.push_back(
      {Severity::Error, "\"text\" is empty; to end the connection there: do: close", span});
}

}  // namespace

const FaultDescriptor& plain_bytes_fault() {
  static const FaultDescriptor fault{
      .name = "plain_bytes",
      .action = "",
      .summary = "The client's TLS hello is answered with plain bytes, then FIN.",
      .stands_for =
          "A port that was moved to plain HTTP, a load balancer that passes TLS on to a plain "
          "backend, a captive portal.",
      .since = "0.1",
      .params = {{.name = "text", .help = "the bytes; an HTTP/1.1 400 where not said"}},
      .points = {Point::Handshake},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
      .needs_tls = true,
  };
  return fault;
}

}  // namespace mishap::server
