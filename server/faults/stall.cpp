#include "server/faults/catalog.h"
#include "server/faults/cut.h"

// Silence on an open connection: only the client's own timeout ends it.
namespace mishap::server {
namespace {

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  return cut(std::move(steps), context.point, cut_place(params, context.point), CutBy::Stall);
}

std::optional<std::string> shortfall(const Proof& proof, const Params& params) {
  return cut_shortfall(proof, params, CutBy::Stall);
}

}  // namespace

const FaultDescriptor& stall_fault() {
  static const FaultDescriptor fault{
      .name = "stall",
      .action = "stall",
      .summary = "The server falls silent and keeps the connection open.",
      .stands_for =
          "A hung worker, a lock, a black-holed path. At accept and request_head nothing more is "
          "read, but the client's own send buffer still takes 2-3 MB: a small body never blocks "
          "there.",
      .since = "0.1",
      .params = {cut_place_param()},
      .points = cut_points(Point::AfterEffect),
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate_cut_place,
  };
  return fault;
}

}  // namespace mishap::server
