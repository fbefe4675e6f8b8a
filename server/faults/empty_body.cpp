#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// A success that says nothing.
namespace mishap::server {
namespace {

Steps plan(Steps steps, const Params&, FaultContext&) {
  return change_answers(std::move(steps), [](SendAnswer& answer) { answer.body.clear(); });
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return spoiled_shortfall(proof.exchange);
}

}  // namespace

const FaultDescriptor& empty_body_fault() {
  static const FaultDescriptor fault{
      .name = "empty_body",
      .action = "",
      .summary = "Status and fields are right, the body is empty (Content-Length: 0).",
      .stands_for =
          "A proxy that gave up on the backend after its head, a handler that forgot to "
          "write, a cache that kept the fields only.",
      .since = "0.1",
      .params = {},
      .points = {Point::ResponseBody},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
  };
  return fault;
}

}  // namespace mishap::server
