#include "server/faults/proof.h"

#include <algorithm>

namespace mishap::server {

const RuleHit* hit_of(const Exchange& exchange, std::string_view fault, Point point) {
  const auto found =
      std::find_if(exchange.rules.begin(), exchange.rules.end(), [&](const RuleHit& hit) {
        return hit.fired && hit.fault == fault && hit.point == scenarios::to_string(point);
      });
  return found == exchange.rules.end() ? nullptr : &*found;
}

std::optional<double> reading_of(const RuleHit* hit, std::string_view of) {
  if (hit == nullptr) return std::nullopt;
  for (const Reading& reading : hit->readings) {
    if (reading.of == of) return reading.value;
  }
  return std::nullopt;
}

bool client_left(const Exchange& exchange) {
  return exchange.receipt.departed.has_value();
}

bool answered_nothing(const Exchange& exchange) {
  return exchange.receipt.bytes_written == 0 && !exchange.receipt.first_write;
}

Shortfall wait_shortfall(const Exchange& exchange, std::optional<Duration> from,
                         std::optional<Duration> to, Duration least, std::string_view what) {
  if (!from) return "it was never reached";
  if (!to) {
    if (client_left(exchange)) return std::nullopt;
    return "the run ended before " + std::string(what) + " came";
  }
  if (*to - *from >= least) return std::nullopt;
  return std::string(what) + " came after " + format_duration(*to - *from) + ", not after " +
         format_duration(least);
}

Shortfall answer_shortfall(const Exchange& exchange) {
  const Receipt& receipt = exchange.receipt;
  const bool all = receipt.bytes_planned > 0 && receipt.bytes_written == receipt.bytes_planned;
  if (receipt.delivery == Delivery::Complete || all || client_left(exchange)) return std::nullopt;
  return "the answer did not go out whole";
}

Shortfall changed_shortfall(const Exchange& exchange) {
  if (!exchange.answer.changed) return "the answer went out as the well vendor gives it";
  return answer_shortfall(exchange);
}

// RFC 9110 sections 9.3.2, 15.3.5 and 15.4.5.
Shortfall no_body_shortfall(const Exchange& exchange) {
  if (exchange.request.method == "HEAD") return "the answer to a HEAD has no body";
  if (exchange.answer.status == 204 || exchange.answer.status == 304) {
    return "a " + std::to_string(exchange.answer.status) + " has no body";
  }
  return std::nullopt;
}

Shortfall changed_body_shortfall(const Exchange& exchange) {
  if (auto none = no_body_shortfall(exchange)) return none;
  return changed_shortfall(exchange);
}

Shortfall spoiled_shortfall(const Exchange& exchange) {
  if (auto none = no_body_shortfall(exchange)) return none;
  if (exchange.answer.healthy) return "the answer went out as the well vendor gives it";
  return answer_shortfall(exchange);
}

}  // namespace mishap::server
