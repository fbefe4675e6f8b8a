#include <algorithm>

#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// Answers before the answer (RFC 9110 section 15.2).
namespace mishap::server {
namespace {

std::string interim_bytes(const Params& params) {
  SendAnswer answer;
  answer.status = static_cast<StatusCode>(params.integer("status"));
  if (params.has("headers")) answer.headers = params.fields("headers");
  return encode_head(answer);
}

std::uint64_t times_of(const Params& params) {
  return params.boolean("endless") ? kEndless : static_cast<std::uint64_t>(params.integer("count"));
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  const auto head = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
    const auto* send = std::get_if<Send>(&step);
    return send != nullptr && send->part == Part::Head;
  });
  if (head == steps.end()) return steps;
  const SendMany many{Part::Interim, interim_bytes(params), times_of(params),
                      params.duration("gap")};
  if (!params.boolean("endless")) {
    steps.insert(head, many);
    return steps;
  }
  steps.erase(head, steps.end());
  steps.emplace_back(many);
  steps.emplace_back(Stall{});
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const Receipt& receipt = proof.exchange.receipt;
  const std::uint64_t one = interim_bytes(params).size();
  if (params.boolean("endless")) {
    if (receipt.bytes_written > 0) return "bytes of a final answer went out";
    return receipt.interim_bytes >= one ? Shortfall() : Shortfall("no interim answer went out");
  }
  if (receipt.interim_bytes < one * times_of(params) && !client_left(proof.exchange)) {
    return "fewer interim answers went out than scripted";
  }
  return answer_shortfall(proof.exchange);
}

bool harmless(const Params& params, Point) {
  return !params.boolean("endless");
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  const auto wrong = [&](std::string message) {
    diagnostics.push_back({Severity::Error, "fault \"interim\": " + std::move(message), span});
  };
  if (params.integer("status") == 101)
    wrong("a 101 is no interim answer; it ends HTTP on the connection");
  if (params.boolean("endless") && params.duration("gap") == Duration{})
    wrong("endless needs a gap, as 200ms");
  if (params.has("headers"))
    validate_fields(params.fields("headers"), "fault \"interim\"", span, diagnostics);
}

}  // namespace

const FaultDescriptor& interim_fault() {
  static const FaultDescriptor fault{
      .name = "interim",
      .action = "",
      .summary = "Interim answers (1xx) come before the answer, or without end instead of it.",
      .stands_for =
          "A proxy that keeps the line open while its backend works (102), a CDN that sends early "
          "hints (103), a second 100.",
      .since = "0.1",
      .params = {{.name = "status",
                  .type = ParamType::Status,
                  .default_text = "103",
                  .range = "100..199",
                  .help = "of each; not 101"},
                 {.name = "count",
                  .type = ParamType::Integer,
                  .default_text = "3",
                  .range = "1..1000000",
                  .help = "how many"},
                 {.name = "gap",
                  .type = ParamType::Duration,
                  .default_text = "200ms",
                  .help = "from one to the next"},
                 {.name = "endless",
                  .type = ParamType::Boolean,
                  .default_text = "false",
                  .help = "until the client leaves; no answer comes"},
                 {.name = "headers", .type = ParamType::Fields, .help = "fields of each"}},
      .points = {Point::ResponseHead},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
      .harmless = harmless,
  };
  return fault;
}

}  // namespace mishap::server
