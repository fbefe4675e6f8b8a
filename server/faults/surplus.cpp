#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// More than was asked for, on the same connection.
namespace mishap::server {
namespace {

std::string bytes_of(const Params& params) {
  if (params.has("bytes")) return params.text("bytes");
  SendAnswer second;
  second.status = static_cast<StatusCode>(params.integer("status"));
  second.headers = {{"Content-Type", "application/json"}};
  second.body = R"({"id":"unasked","surplus":true})";
  return encode_head(second) + second.body;
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  const auto finish = find_step<Finish>(steps);
  if (finish == steps.end()) return steps;
  steps.insert(finish, Send{Part::Body, bytes_of(params), 0, {}});
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params&) {
  if (proof.exchange.receipt.delivery != Delivery::Complete)
    return "the answer did not go out whole";
  return changed_shortfall(proof.exchange);
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (!params.has("bytes") || !params.text("bytes").empty()) return;
  diagnostics.push_back({Severity::Error, "fault \"surplus\": bytes: nothing is no surplus", span});
}

}  // namespace

const FaultDescriptor& surplus_fault() {
  static const FaultDescriptor fault{
      .name = "surplus",
      .action = "repeat",
      .summary =
          "Behind the whole answer comes a second one that nobody asked for, or loose bytes.",
      .stands_for =
          "A proxy that answers twice, a body longer than its length, a late answer of a request "
          "that was given up: whoever uses the connection again may take it for the next answer.",
      .since = "0.1",
      .params = {{.name = "bytes",
                  .type = ParamType::Text,
                  .help = "as text; a whole answer where not said"},
                 {.name = "status",
                  .type = ParamType::Status,
                  .default_text = "200",
                  .range = "200..599",
                  .help = "of the second answer"}},
      .points = {Point::AfterResponse},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
      .harmless = always,
  };
  return fault;
}

}  // namespace mishap::server
