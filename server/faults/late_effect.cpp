#include <algorithm>

#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// The vendor takes its time and finishes what it began, whether or not anybody still waits. A
// client that looks too early after giving up finds nothing, and then there is something.
namespace mishap::server {
namespace {

Steps plan(Steps steps, const Params& params, FaultContext&) {
  const auto apply = find_step<Apply>(steps);
  if (apply != steps.end()) steps.insert(apply, Wait{params.duration("after")});
  return steps;
}

// Stricter than latency: not the wait counts but the effect, which comes also when nobody waits.
Shortfall shortfall(const Proof& proof, const Params& params) {
  if (!proof.exchange.applied) return "the effect never came";
  return wait_shortfall(proof.exchange, proof.exchange.request_read, proof.exchange.applied,
                        params.duration("after"), "the effect");
}

}  // namespace

const FaultDescriptor& late_effect_fault() {
  static const FaultDescriptor fault{
      .name = "late_effect",
      .action = "",
      .summary = "The effect comes late and the answer after it, also when the client has left.",
      .stands_for =
          "A queue behind the API, a slow transaction that nobody cancels when its caller "
          "hangs up.",
      .since = "0.1",
      .params = {{.name = "after",
                  .type = ParamType::Duration,
                  .default_text = "3s",
                  .help = "from the end of the request to the effect"}},
      .points = {Point::BeforeEffect},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
  };
  return fault;
}

}  // namespace mishap::server
