#include "server/faults/catalog.h"
#include "server/faults/listener_fault.h"

// A server with so many connections: the next one is connected, and nobody reads from it.
namespace mishap::server {
namespace {

std::uint64_t most(const Params& params) {
  return static_cast<std::uint64_t>(params.integer("most"));
}

ListenerAction listen(const Params& params) {
  return LimitConnections{most(params)};
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  if (auto missing = spell_shortfall(proof)) return missing;
  const ListenerSpell& spell = *proof.spell;
  if (spell.most_open > most(params)) {
    return std::to_string(spell.most_open) + " connections were open at once";
  }
  if (spell.most_waiting == 0) {
    return "nobody had to wait: " + std::to_string(spell.most_open) + " of " +
           std::to_string(most(params)) + " connections were open at once";
  }
  return std::nullopt;
}

}  // namespace

const FaultDescriptor& connection_limit_fault() {
  static const FaultDescriptor fault{
      .name = "connection_limit",
      .action = "limit",
      .summary = "Only so many connections are accepted at once; the others wait in the queue.",
      .stands_for = "A pool of workers that each serve one connection, a database at its limit.",
      .since = "0.1",
      .params = {{.name = "most",
                  .type = ParamType::Integer,
                  .default_text = "1",
                  .range = "1..100000",
                  .help = "of a client copy; one that waits is connected, and its client can send, "
                          "but nothing of it is read until another has ended"}},
      .points = {Point::Connect},
      .plan = leave_steps,
      .also = {},
      .shortfall = shortfall,
      .listen = listen,
  };
  return fault;
}

}  // namespace mishap::server
