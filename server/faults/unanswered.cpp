#include "server/faults/catalog.h"
#include "server/faults/listener_fault.h"

// A port that answers no SYN: the client's own time limit on connecting ends its wait.
namespace mishap::server {
namespace {

ListenerAction listen(const Params&) {
  return LeaveUnanswered{};
}

Shortfall shortfall(const Proof& proof, const Params&) {
  if (auto missing = spell_shortfall(proof)) return missing;
  if (proof.spell->dropped == 0) return "nobody tried to connect";
  return std::nullopt;
}

}  // namespace

const FaultDescriptor& unanswered_fault() {
  static const FaultDescriptor fault{
      .name = "unanswered",
      .action = "ignore",
      .summary = "A connect gets no answer at all, from the run's beginning to its end.",
      .stands_for =
          "A firewall that drops, a host that is gone, a full accept queue, a route to nowhere.",
      .since = "0.1",
      .params = {},
      .points = {Point::Connect},
      .plan = leave_steps,
      .also = {},
      .shortfall = shortfall,
      .listen = listen,
  };
  return fault;
}

}  // namespace mishap::server
