#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// Bytes that are no text, or not the text they are said to be (RFC 8259 section 8.1).
namespace mishap::server {
namespace {

// Behind the first sign of the last string of the body, where most readers decode lazily.
void put_inside(std::string& body, std::string_view bytes) {
  const auto end = body.rfind('"');
  body.insert(end == std::string::npos ? body.size() : end, bytes);
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  const std::string& how = params.text("how");
  return change_answers(std::move(steps), [&](SendAnswer& answer) {
    if (how == "bom") answer.body.insert(0, "\xEF\xBB\xBF");
    if (how == "invalid_utf8") put_inside(answer.body, "\xFF\xFE\xC0\xAF");
    if (how == "control") put_inside(answer.body, std::string_view("\0\x1B", 2));
  });
}

Shortfall shortfall(const Proof& proof, const Params&) {
  return changed_body_shortfall(proof.exchange);
}

// A parser may ignore a byte order mark.
bool harmless(const Params& params, Point) {
  return params.text("how") == "bom";
}

}  // namespace

const FaultDescriptor& bad_text_fault() {
  static const FaultDescriptor fault{
      .name = "bad_text",
      .action = "",
      .summary =
          "The body is JSON but for a few bytes: no UTF-8, bare control characters, a byte order "
          "mark.",
      .stands_for =
          "A field copied from a system with another character set, an editor that saved a "
          "template "
          "with a mark, a name typed on a terminal.",
      .since = "0.1",
      .params = {{.name = "how",
                  .type = ParamType::Choice,
                  .default_text = "invalid_utf8",
                  .choices = "invalid_utf8|control|bom",
                  .help = "invalid_utf8 and control: inside the last string; bom: in front of the "
                          "body, which readers may ignore"}},
      .points = {Point::ResponseBody, Point::AfterEffect},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .harmless = harmless,
  };
  return fault;
}

}  // namespace mishap::server
