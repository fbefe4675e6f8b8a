#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// The vendor's own doubling: the client has sent it once and cannot know.
namespace mishap::server {
namespace {

Steps plan(Steps steps, const Params&, FaultContext&) {
  const auto apply = find_step<Apply>(steps);
  if (apply != steps.end()) steps.insert(apply, Apply(std::get<Apply>(*apply)));
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params&) {
  const auto times = proof.exchange.effects.size();
  if (times >= 2) return std::nullopt;
  return times == 1 ? "it took effect once" : "it took no effect";
}

}  // namespace

const FaultDescriptor& carried_out_twice_fault() {
  static const FaultDescriptor fault{
      .name = "carried_out_twice",
      .action = "",
      .summary =
          "What was sent once is carried out twice, whatever key it has; the answer tells of "
          "the first.",
      .stands_for =
          "A proxy that sends a request to its backend again, a queue behind the API that delivers "
          "twice. No client can help it, and none is blamed.",
      .since = "0.1",
      .params = {},
      .points = {Point::BeforeEffect},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
  };
  return fault;
}

}  // namespace mishap::server
