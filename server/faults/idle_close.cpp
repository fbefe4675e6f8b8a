#include <algorithm>

#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// A connection that is ended while nothing goes on on it, perhaps just as the next request sets
// out.
namespace mishap::server {
namespace {

bool resets(const Params& params) {
  return params.text("by") == "rst";
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  for (Step& step : steps) {
    auto* finish = std::get_if<Finish>(&step);
    if (finish != nullptr) finish->rest = Rest{params.duration("after"), resets(params)};
  }
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  if (proof.connection == nullptr) return "the connection had not ended yet";
  const Connection& connection = *proof.connection;
  const Exchange& exchange = proof.exchange;
  if (exchange.receipt.ending != Ending::KeptAlive) return "the connection was not kept";
  if (connection.exchanges > exchange.on_connection) return "the next request came before";
  if (!connection.server_ended) return "the connection was not ended by the server";
  if (connection.departed && *connection.departed < *connection.server_ended) {
    return "the client left first";
  }
  return wait_shortfall(exchange, exchange.receipt.last_write, connection.server_ended,
                        params.duration("after"), "the end of the connection");
}

}  // namespace

const FaultDescriptor& idle_close_fault() {
  static const FaultDescriptor fault{
      .name = "idle_close",
      .action = "",
      .summary =
          "The connection is ended at an exact time after the answer, where no request came "
          "meanwhile.",
      .stands_for =
          "The idle timeout of a load balancer, shorter than that of the client's pool: now and "
          "then a "
          "request goes out just as the end comes in.",
      .since = "0.1",
      .params = {{.name = "after",
                  .type = ParamType::Duration,
                  .default_text = "5s",
                  .help = "from the last byte of the answer"},
                 {.name = "by",
                  .type = ParamType::Choice,
                  .default_text = "fin",
                  .choices = "fin|rst",
                  .help = "how it is ended"}},
      .points = {Point::Idle},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .harmless = always,  // to the exchange it stands behind; the next one does not meet the rule
      .ends_connection = true,
  };
  return fault;
}

}  // namespace mishap::server
