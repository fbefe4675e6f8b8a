#include "server/faults/catalog.h"
#include "server/faults/cut.h"

// A broken connection: the client meets an error on its next read or write.
namespace mishap::server {
namespace {

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  return cut(std::move(steps), context.point, cut_place(params, context.point), CutBy::Rst);
}

std::optional<std::string> shortfall(const Proof& proof, const Params& params) {
  return cut_shortfall(proof, params, CutBy::Rst);
}

std::vector<Point> points() {
  auto all = cut_points(Point::BeforeEffect);
  all.push_back(Point::AfterResponse);
  return all;
}

}  // namespace

const FaultDescriptor& reset_fault() {
  static const FaultDescriptor fault{
      .name = "reset",
      .action = "reset",
      .summary = "The connection is reset (RST).",
      .stands_for =
          "A crashed process, a firewall or a load balancer that dropped the connection, a full "
          "queue.",
      .since = "0.1",
      .params = {cut_place_param()},
      .points = points(),
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate_cut_place,
      .harmless = cut_is_harmless,
  };
  return fault;
}

}  // namespace mishap::server
