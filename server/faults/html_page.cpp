#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// A page for people where a program waits for JSON.
namespace mishap::server {
namespace {

constexpr std::string_view kPage =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head><meta charset=\"utf-8\"><title>Back soon</title></head>\n"
    "<body><h1>Back soon</h1><p>We are working on our service. Please come back later.</p></body>\n"
    "</html>\n";

StatusCode status_of(const Params& params) {
  return static_cast<StatusCode>(params.integer("status"));
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  for (Step& step : steps) {
    auto* answer = std::get_if<SendAnswer>(&step);
    if (answer == nullptr) continue;
    answer->status = status_of(params);
    answer->headers = {{"Content-Type", "text/html; charset=utf-8"}};
    answer->body = std::string(kPage);
  }
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  if (proof.exchange.answer.status != status_of(params)) {
    return "the answer was a " + std::to_string(proof.exchange.answer.status);
  }
  return spoiled_shortfall(proof.exchange);
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  SendAnswer answer;
  answer.status = status_of(params);
  if (can_have_body(answer)) return;
  diagnostics.push_back({Severity::Error,
                         "fault \"html_page\": a " + std::to_string(answer.status) + " has no body",
                         span});
}

}  // namespace

const FaultDescriptor& html_page_fault() {
  static const FaultDescriptor fault{
      .name = "html_page",
      .action = "",
      .summary = "The effect happens; instead of its answer comes an HTML page with status 200.",
      .stands_for =
          "A maintenance page, a captive portal, a login page of a proxy, an error page of "
          "a CDN.",
      .since = "0.1",
      .params = {{.name = "status",
                  .type = ParamType::Status,
                  .default_text = "200",
                  .range = "200..599",
                  .help = "the status of the page"}},
      .points = {Point::ResponseBody},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
  };
  return fault;
}

}  // namespace mishap::server
