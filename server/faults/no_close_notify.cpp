#include "server/faults/catalog.h"
#include "server/faults/cut.h"
#include "server/faults/proof.h"

// The TCP connection ends in an orderly way and TLS does not: whoever takes the end of the bytes
// for the end of the answer cannot tell a whole answer from one that was cut (RFC 8446
// section 6.1).
namespace mishap::server {
namespace {

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  steps = cut(std::move(steps), context.point, cut_place(params, context.point), CutBy::Fin);
  for (Step& step : steps) {
    if (auto* close = std::get_if<CloseConnection>(&step)) close->notifies = false;
  }
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params&) {
  if (auto missing = cut_shortfall(proof, CutBy::Fin)) return missing;
  if (proof.connection == nullptr) return "the connection had not ended yet";
  if (!proof.connection->tls) return "the connection speaks plain HTTP";
  if (proof.connection->tls->close_notify) return "a close_notify was sent";
  return std::nullopt;
}

std::vector<Point> points() {
  return {Point::AfterResponse, Point::BeforeEffect, Point::AfterEffect, Point::ResponseHead,
          Point::ResponseBody};
}

}  // namespace

const FaultDescriptor& no_close_notify_fault() {
  static const FaultDescriptor fault{
      .name = "no_close_notify",
      .action = "",
      .summary = "The connection ends by FIN without TLS's own goodbye (close_notify).",
      .stands_for =
          "A process that was killed behind a TLS terminator, an old server that never says it, "
          "somebody on the way who cuts the answer short. Together with a body that only the end "
          "of the connection ends, a cut answer looks whole.",
      .since = "0.1",
      .params = {cut_place_param()},
      .points = points(),
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate_cut_place,
      .harmless = cut_is_harmless,
      .ends_connection = true,
      .needs_tls = true,
  };
  return fault;
}

}  // namespace mishap::server
