#include "server/faults/catalog.h"
#include "server/faults/cut.h"

// An orderly end in the wrong place: the client reads an end of file.
namespace mishap::server {
namespace {

CutBy ending_of(const Params& params) {
  return params.boolean("half") ? CutBy::HalfClose : CutBy::Fin;
}

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  return cut(std::move(steps), context.point, cut_place(params, context.point), ending_of(params));
}

std::optional<std::string> shortfall(const Proof& proof, const Params& params) {
  return cut_shortfall(proof, params, ending_of(params));
}

std::vector<Point> points() {
  auto all = cut_points(Point::BeforeEffect);
  all.push_back(Point::AfterResponse);
  return all;
}

}  // namespace

const FaultDescriptor& close_fault() {
  static const FaultDescriptor fault{
      .name = "close",
      .action = "close",
      .summary = "The server ends the connection in an orderly way (FIN) where it should go on.",
      .stands_for =
          "A restart or a deploy, a load balancer's idle timeout, a worker that was recycled.",
      .since = "0.1",
      .params = {cut_place_param(),
                 {.name = "half",
                  .type = ParamType::Boolean,
                  .default_text = "false",
                  .help = "only the server's side is closed; it holds the other side until the "
                          "client leaves"}},
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
