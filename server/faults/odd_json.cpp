#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// JSON that is right and still surprises.
namespace mishap::server {
namespace {

// Members in front of the others of an object.
void add_members(std::string& body, std::string_view members) {
  if (!body.starts_with('{') || body.size() < 2) return;
  body.insert(1, std::string(members) + (body == "{}" ? "" : ","));
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  const std::string& how = params.text("how");
  return change_answers(std::move(steps), [&](SendAnswer& answer) {
    if (how == "unknown_members") {
      add_members(answer.body, R"("added_lately":{"list":[1,null,true],"text":"\ud83d\ude42"})");
    } else if (how == "large_numbers") {
      add_members(answer.body,
                  R"("big":12345678901234567890123,"exact":9007199254740993,"tiny":1e-400)");
    } else {
      add_members(answer.body, R"("twice":1,"twice":2)");
    }
  });
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return changed_body_shortfall(proof.exchange);
}

}  // namespace

const FaultDescriptor& odd_json_fault() {
  static const FaultDescriptor fault{
      .name = "odd_json",
      .action = "",
      .summary = "The answer is right, with members that no one told the client of.",
      .stands_for =
          "A vendor that adds fields without a new version, ids longer than 53 bits, two layers "
          "that "
          "each add the same member.",
      .since = "0.1",
      .params = {{.name = "how",
                  .type = ParamType::Choice,
                  .default_text = "unknown_members",
                  .choices = "unknown_members|large_numbers|duplicate_names",
                  .help =
                      "large_numbers: beyond 64 bits, beyond 53 bits, and too small for a double"}},
      .points = {Point::ResponseBody, Point::AfterEffect},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .harmless = always,
  };
  return fault;
}

}  // namespace mishap::server
