#include "docs/examples/extending/teapot.h"

#include "server/faults/proof.h"

// A vendor that refuses out of principle.
namespace mishap::server {
namespace {

// The steps of the moment, and what to do instead: no Apply, so nothing takes effect.
Steps plan(Steps, const Params& params, FaultContext&) {
  return {SendAnswer{418, {}, params.text("reason"), false}, Finish{}};
}

// Read from the receipt: what was planned is no proof.
std::optional<std::string> shortfall(const Proof& proof, const Params&) {
  if (proof.exchange.answer.status != 418) return "it was not refused";
  return answer_shortfall(proof.exchange);
}

}  // namespace

const FaultDescriptor& teapot_fault() {
  static const FaultDescriptor fault{
      .name = "teapot",
      .action = "",
      .summary = "The request is refused with 418.",
      .stands_for = "A filter in front of the API that dislikes the client.",
      .since = "0.1",
      .params = {{.name = "reason", .default_text = "no", .help = "the body"}},
      .points = {Point::BeforeEffect},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
  };
  return fault;
}

}  // namespace mishap::server
