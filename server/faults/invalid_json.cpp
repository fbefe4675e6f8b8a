#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// A success whose body does not parse; its length is right, so that only the parser can tell.
namespace mishap::server {
namespace {

// No JSON in any dialect: an unquoted word, a missing value, an open bracket.
constexpr std::string_view kGarbled = R"({"id": undefined, "status": , "items": [)";

bool is_bracketed(std::string_view text) {
  return text.size() >= 2 && ((text.front() == '{' && text.back() == '}') ||
                              (text.front() == '[' && text.back() == ']'));
}

// A beginning of an object or an array is never valid: its first bracket stays open.
std::string spoiled(const std::string& body, const Params& params) {
  if (params.text("how") == "cut" && is_bracketed(body)) return body.substr(0, body.size() / 2);
  return std::string(kGarbled);
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  return change_answers(std::move(steps), [&](SendAnswer& answer) {
    answer.body = spoiled(answer.body, params);
    if (!has_field(answer.headers, "Content-Type")) {
      set_field(answer.headers, "Content-Type", "application/json");
    }
  });
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return spoiled_shortfall(proof.exchange);
}

}  // namespace

const FaultDescriptor& invalid_json_fault() {
  static const FaultDescriptor fault{
      .name = "invalid_json",
      .action = "",
      .summary = "The status is right, the body is not valid JSON; its length is right.",
      .stands_for =
          "A proxy or cache that stored half an answer, a crash in the middle of encoding, "
          "a debug print in the output.",
      .since = "0.1",
      .params = {{.name = "how",
                  .type = ParamType::Choice,
                  .default_text = "cut",
                  .choices = "cut|garbled",
                  .help =
                      "cut: the first half of the vendor's own body; garbled: something that was "
                      "never JSON"}},
      .points = {Point::ResponseBody},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
  };
  return fault;
}

}  // namespace mishap::server
