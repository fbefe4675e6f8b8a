#pragma once

#include <optional>
#include <string>

#include "server/faults/fault.h"

// What the proofs of several faults have in common: reading a receipt.
namespace mishap::server {

// What is missing for a fault to count as delivered; nothing where nothing is.
using Shortfall = std::optional<std::string>;

// The rule of this fault and point that the exchange met; null where it met none.
const RuleHit* hit_of(const Exchange& exchange, std::string_view fault, Point point);
// What its model measured.
std::optional<double> reading_of(const RuleHit* hit, std::string_view of);

bool client_left(const Exchange& exchange);
bool answered_nothing(const Exchange& exchange);  // not a byte of a final answer went out

// Between `from` and `to` lie at least `least`. Where `to` never came, a client that left has met
// the wait; `what` names it ("the effect").
Shortfall wait_shortfall(const Exchange& exchange, std::optional<Duration> from,
                         std::optional<Duration> to, Duration least, std::string_view what);

// The answer went out as planned, or the client did not stay for it. A scenario may plan a length
// that is wrong: then no delivery is ever complete, and all that was planned is what counts.
Shortfall answer_shortfall(const Exchange& exchange);

// The same, and it was not byte for byte what the well vendor says.
Shortfall changed_shortfall(const Exchange& exchange);

// The answer cannot have a body, whatever a fault would do to one.
Shortfall no_body_shortfall(const Exchange& exchange);

// The same as changed_shortfall(), of a fault that works on a body.
Shortfall changed_body_shortfall(const Exchange& exchange);

// The same, and its body was another than the well vendor's.
Shortfall spoiled_shortfall(const Exchange& exchange);

}  // namespace mishap::server
