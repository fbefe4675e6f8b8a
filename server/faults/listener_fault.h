#pragma once

#include "server/faults/proof.h"

// What the faults at connect share: they are done by the listener, and no exchange is theirs.
namespace mishap::server {

// plan() of a fault that works without steps.
inline Steps leave_steps(Steps steps, const Params&, FaultContext&) {
  return steps;
}

// The kernel did as it was told; nothing where it did.
inline Shortfall spell_shortfall(const Proof& proof) {
  if (proof.spell == nullptr) return "nothing is known of the listener";
  if (!proof.spell->began) return "the system did not let the listener do it";
  return std::nullopt;
}

}  // namespace mishap::server
