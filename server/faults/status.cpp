#include <algorithm>

#include "mishap/json_string.h"
#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"
#include "server/faults/retry_after.h"

// Another answer than the vendor's own: throttled, out of order, refused.
namespace mishap::server {
namespace {

StatusCode code_of(const Params& params) {
  return static_cast<StatusCode>(params.integer("code"));
}

DateForm form_of(const Params& params) {
  const std::string& form = params.text("retry_after_format");
  if (form == "rfc850") return DateForm::Rfc850;
  return form == "asctime" ? DateForm::Asctime : DateForm::Imf;
}

// What somebody sent comes back to them, as it does from servers that are too helpful.
std::string with_authorization(std::string text, const FaultContext& context, bool as_json) {
  static constexpr std::string_view kPlace = "{authorization}";
  std::string value = context.authorization == nullptr ? std::string() : *context.authorization;
  if (as_json) {
    std::string quoted;
    append_json_string(quoted, value);
    value = quoted.substr(1, quoted.size() - 2);
  }
  for (std::size_t at = 0; (at = text.find(kPlace, at)) != std::string::npos; at += value.size()) {
    text.replace(at, kPlace.size(), value);
  }
  return text;
}

void add_content(SendAnswer& answer, const Params& params, const FaultContext& context) {
  std::string_view type;
  if (params.has("json")) {
    answer.body = with_authorization(to_json(params.node("json")), context, true);
    type = "application/json";
  } else if (params.has("body")) {
    answer.body = with_authorization(params.text("body"), context, false);
    type = "text/plain; charset=utf-8";
  } else if (answer.status >= 400) {
    answer.body = problem_body(answer.status);
    type = "application/problem+json";
  }
  if (!type.empty() && !has_field(answer.headers, "Content-Type")) {
    answer.headers.insert(answer.headers.begin(), {"Content-Type", std::string(type)});
  }
}

SendAnswer answer_of(const Params& params, const FaultContext& context) {
  SendAnswer answer;
  answer.status = code_of(params);
  if (params.has("headers")) {
    for (const NameValue& field : params.fields("headers")) {
      const bool is_known = context.origins != nullptr;
      answer.headers.push_back(
          {field.name, is_known ? with_origins(field.value, *context.origins) : field.value});
    }
  }
  add_content(answer, params, context);
  if (params.has("retry_after")) {
    answer.headers.push_back({"Retry-After", retry_after_value(params.text("retry_after"),
                                                               context.wall, form_of(params))});
  }
  return answer;
}

Steps replace_answer(Steps steps, SendAnswer answer) {
  const auto own = find_step<SendAnswer>(steps);
  if (own == steps.end()) return steps;
  answer.head_only = std::get<SendAnswer>(*own).head_only;
  *own = std::move(answer);
  return steps;
}

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  SendAnswer answer = answer_of(params, context);
  switch (context.moment) {
    case Moment::Head:
      return answer_before_body(std::move(steps), std::move(answer));
    case Moment::Request:
      return answer_before_effect(std::move(steps), std::move(answer));
    case Moment::Apply:
      return replace_answer(std::move(steps), std::move(answer));
    case Moment::Accept:
      break;
  }
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const Exchange& exchange = proof.exchange;
  if (proof.point == Point::AfterEffect && !exchange.applied) return "the effect never came";
  if (proof.point != Point::AfterEffect && exchange.applied) return "it took effect";
  if (exchange.answer.status != code_of(params)) {
    return "the answer was a " + std::to_string(exchange.answer.status);
  }
  return answer_shortfall(exchange);
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (params.has("body") && params.has("json")) {
    diagnostics.push_back(
        {Severity::Error, "fault \"status\": \"body\" and \"json\" exclude each other", span});
  }
  if (code_of(params) < 200 && code_of(params) != 101) {
    diagnostics.push_back({Severity::Error,
                           "fault \"status\": a " + std::to_string(code_of(params)) +
                               " is no final answer; see fault \"interim\"",
                           span});
  }
  SendAnswer answer;
  answer.status = code_of(params);
  if (!can_have_body(answer) && (params.has("body") || params.has("json"))) {
    diagnostics.push_back({Severity::Error,
                           "fault \"status\": a " + std::to_string(answer.status) + " has no body",
                           span});
  }
  if (params.has("headers")) {
    validate_fields(params.fields("headers"), "fault \"status\"", span, diagnostics);
  }
  if (params.has("retry_after") && breaks_the_line(params.text("retry_after"))) {
    diagnostics.push_back(
        {Severity::Error, "fault \"status\": \"retry_after\" holds a line break", span});
  }
  if (!params.has("retry_after")) return;
  if (const auto offset = date_offset(params.text("retry_after")); !offset) {
    diagnostics.push_back(
        {Severity::Error, "fault \"status\": retry_after: " + offset.error(), span});
  }
}

// A 4xx says that nothing was done. 408 is the exception: after the whole request it may mean that
// somebody behind the server did not answer in time (faults.md, F117).
bool ambiguous(const Params& params, Point) {
  const StatusCode code = code_of(params);
  return code < 400 || code >= 500 || code == 408;
}

}  // namespace

const FaultDescriptor& status_fault() {
  static const FaultDescriptor fault{
      .name = "status",
      .action = "reply",
      .summary = "Another answer than the vendor's own, with any status, fields and body.",
      .stands_for =
          "Throttling (429), a restart or overload (503), a failing proxy or backend (500, "
          "502, 504), a refused request (4xx).",
      .since = "0.1",
      .params = {{.name = "code",
                  .type = ParamType::Status,
                  .default_text = "503",
                  .range = "101..599",
                  .help = "the status"},
                 {.name = "headers",
                  .type = ParamType::Fields,
                  .help = "fields of the answer; Content-Length or Transfer-Encoding written here "
                          "stand instead of the right ones; {url} and {url_NAME} become the "
                          "addresses of the run's apis"},
                 {.name = "body",
                  .type = ParamType::Text,
                  .help =
                      "its body as text; where neither this nor json is said, an answer from 400 "
                      "on is a problem+json; {authorization} becomes what the request's field of "
                      "that name says, also in json"},
                 {.name = "json", .type = ParamType::Any, .help = "its body as JSON"},
                 {.name = "retry_after",
                  .type = ParamType::Text,
                  .help = "Retry-After, byte for byte; date+3s and date-10s become dates that far "
                          "from the answer"},
                 {.name = "retry_after_format",
                  .type = ParamType::Choice,
                  .default_text = "imf",
                  .choices = "imf|rfc850|asctime",
                  .help = "how a date is written"}},
      .points = {Point::BeforeEffect, Point::RequestHead, Point::AfterEffect},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
      .ambiguous = ambiguous,
  };
  return fault;
}

}  // namespace mishap::server
