#include <algorithm>
#include <array>

#include "server/faults/catalog.h"
#include "server/faults/handshake.h"

// An alert in answer to the client's hello, before anything is encrypted.
namespace mishap::server {
namespace {

struct Alert {
  std::string_view name;
  unsigned char code;
};

// RFC 8446 section 6, and RFC 7301 section 3.2.
constexpr std::array kAlerts = {
    Alert{"handshake_failure", 40},     Alert{"protocol_version", 70},
    Alert{"unrecognized_name", 112},    Alert{"internal_error", 80},
    Alert{"access_denied", 49},         Alert{"unexpected_message", 10},
    Alert{"illegal_parameter", 47},     Alert{"decode_error", 50},
    Alert{"insufficient_security", 71}, Alert{"no_application_protocol", 120},
};
constexpr std::string_view kNames =
    "handshake_failure|protocol_version|unrecognized_name|internal_error|access_denied|"
    "unexpected_message|illegal_parameter|decode_error|insufficient_security|"
    "no_application_protocol";

// A record (RFC 8446 section 5.1): alert, version, length 2, fatal.
std::string record_of(const Params& params) {
  const std::string& name = params.text("alert");
  const auto* alert = std::find_if(kAlerts.begin(), kAlerts.end(),
                                   [&](const Alert& one) { return one.name == name; });
  std::string record("\x15\x03\x03\x00\x02\x02", 6);
  record += static_cast<char>(alert->code);
  return record;
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  return replace_flight(std::move(steps), record_of(params));
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return replaced_flight_shortfall(proof);
}

}  // namespace

const FaultDescriptor& tls_alert_fault() {
  static const FaultDescriptor fault{
      .name = "tls_alert",
      .action = "",
      .summary = "The client's hello is answered with a fatal TLS alert, then FIN.",
      .stands_for =
          "A server that was set to newer protocol versions or ciphers than the client has, a name "
          "that no certificate is for, a TLS terminator that is broken.",
      .since = "0.1",
      .params = {{.name = "alert",
                  .type = ParamType::Choice,
                  .default_text = "handshake_failure",
                  .choices = kNames,
                  .help = "which one"}},
      .points = {Point::Handshake},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .needs_tls = true,
  };
  return fault;
}

}  // namespace mishap::server
