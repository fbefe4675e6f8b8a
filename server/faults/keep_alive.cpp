#include <fmt/format.h>

#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// What the server says of how long a connection may rest.
namespace mishap::server {
namespace {

std::string said(const Params& params) {
  const auto whole =
      std::chrono::duration_cast<std::chrono::seconds>(params.duration("timeout")).count();
  if (!params.has("max")) return fmt::format("timeout={}", whole);
  return fmt::format("timeout={}, max={}", whole, params.integer("max"));
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  for (Step& step : steps) {
    if (auto* answer = std::get_if<SendAnswer>(&step)) {
      set_field(answer->headers, "Keep-Alive", said(params));
    }
  }
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return changed_shortfall(proof.exchange);
}

}  // namespace

const FaultDescriptor& keep_alive_fault() {
  static const FaultDescriptor fault{
      .name = "keep_alive",
      .action = "",
      .summary =
          "The answer says how long the connection may rest (Keep-Alive), whether that is true or "
          "not.",
      .stands_for =
          "A server that ends idle connections after five seconds and says so; a load balancer in "
          "front of it that ends them earlier.",
      .since = "0.1",
      .params = {{.name = "timeout",
                  .type = ParamType::Duration,
                  .default_text = "5s",
                  .range = "1s..",
                  .help = "in whole seconds"},
                 {.name = "max",
                  .type = ParamType::Integer,
                  .range = "0..",
                  .help = "further requests; not said where absent"}},
      .points = {Point::ResponseHead},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .harmless = always,
  };
  return fault;
}

}  // namespace mishap::server
