#include "server/faults/catalog.h"
#include "server/faults/cut.h"

// Fewer bytes than Content-Length promises.
namespace mishap::server {
namespace {

CutBy ending_of(const Params& params) {
  const std::string& then = params.text("then");
  if (then == "rst") return CutBy::Rst;
  return then == "stall" ? CutBy::Stall : CutBy::Fin;
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  return cut(std::move(steps), Point::ResponseBody, cut_place(params, Point::ResponseBody),
             ending_of(params));
}

std::optional<std::string> shortfall(const Proof& proof, const Params& params) {
  return cut_shortfall(proof, ending_of(params));
}

}  // namespace

const FaultDescriptor& truncated_body_fault() {
  static const FaultDescriptor fault{
      .name = "truncated_body",
      .action = "truncate",
      .summary = "The body ends before the length that its head promised.",
      .stands_for =
          "A worker killed while it answered, a proxy that hit its own limit, a line that "
          "broke in mid-transfer.",
      .since = "0.1",
      .params = {{.name = "after",
                  .type = ParamType::Position,
                  .default_text = "50%",
                  .range = "0%..100%",
                  .help = "how much of the body goes out"},
                 {.name = "then",
                  .type = ParamType::Choice,
                  .default_text = "fin",
                  .choices = "fin|rst|stall",
                  .help = "how it ends: FIN, RST, or silence"}},
      .points = {Point::ResponseBody},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate_cut_place,
  };
  return fault;
}

}  // namespace mishap::server
