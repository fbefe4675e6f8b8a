#include <nlohmann/json.hpp>

#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// A success that parses, but is not what was agreed.
namespace mishap::server {
namespace {

using Json = nlohmann::ordered_json;

// What was on top is one level down without its id, and the id on top is null: a reader that looks
// for the member and one that checks its type both have something to find.
std::string reshaped(const std::string& body, const std::string& id) {
  Json data = Json::parse(body, nullptr, false);
  if (data.is_discarded()) data = nullptr;
  if (data.is_object()) data.erase(id);
  Json wrong = Json::object();
  wrong[id] = nullptr;
  wrong["data"] = std::move(data);
  return wrong.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  return change_answers(std::move(steps), [&](SendAnswer& answer) {
    answer.body = reshaped(answer.body, params.text("drop"));
    set_field(answer.headers, "Content-Type", "application/json");
  });
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return spoiled_shortfall(proof.exchange);
}

}  // namespace

const FaultDescriptor& wrong_shape_fault() {
  static const FaultDescriptor fault{
      .name = "wrong_shape",
      .action = "",
      .summary = "Valid JSON of another shape: the id is null, all else one level deeper.",
      .stands_for =
          "A new version of the API that nobody announced, an envelope added by a gateway, "
          "an answer of another service.",
      .since = "0.1",
      .params = {{.name = "drop",
                  .type = ParamType::Text,
                  .default_text = "id",
                  .help = "the member that is taken away and null on top"}},
      .points = {Point::ResponseBody},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
  };
  return fault;
}

}  // namespace mishap::server
