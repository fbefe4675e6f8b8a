#include <chrono>

#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// An enforced limit on requests. What is counted, and when it is let in again, the model says.
namespace mishap::server {
namespace {

// Up: whoever waits that long is let in.
std::string whole_seconds(Duration length) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(length).count());
}

// RateLimit as in draft-ietf-httpapi-ratelimit-headers-10.
SendAnswer answer_of(const Params& params, const Ruling& ruling) {
  SendAnswer answer;
  answer.status = 429;
  answer.body = problem_body(429);
  const std::string wait = whole_seconds(ruling.wait);
  answer.headers = {{"Content-Type", "application/problem+json"},
                    {"Retry-After", wait},
                    {"RateLimit-Policy", "\"quota\";q=" + std::to_string(params.integer("limit")) +
                                             ";w=" + whole_seconds(params.duration("window"))},
                    {"RateLimit", "\"quota\";r=0;t=" + wait}};
  return answer;
}

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  if (!context.ruling.refused) return steps;
  SendAnswer answer = answer_of(params, context.ruling);
  if (context.moment == Moment::Head) return answer_before_body(std::move(steps), answer);
  return answer_before_effect(std::move(steps), std::move(answer));
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const Exchange& exchange = proof.exchange;
  const RuleHit* hit = hit_of(exchange, "quota", proof.point);
  const auto count = reading_of(hit, "count");
  if (!count) return "what was counted is not recorded";
  if (*count <= static_cast<double>(params.integer("limit"))) return "it was within the limit";
  if (exchange.applied) return "it took effect";
  if (exchange.answer.status != 429) {
    return "the answer was a " + std::to_string(exchange.answer.status);
  }
  return answer_shortfall(exchange);
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (params.duration("window") > Duration::zero()) return;
  diagnostics.push_back({Severity::Error, "fault \"quota\": a window has a length", span});
}

bool ambiguous(const Params&, Point) {
  return false;
}

}  // namespace

const FaultDescriptor& quota_fault() {
  static const FaultDescriptor fault{
      .name = "quota",
      .action = "throttle",
      .summary = "Above so many requests in a window: 429 with Retry-After and RateLimit.",
      .stands_for = "A vendor's rate limit, kept by its gateway.",
      .since = "0.1",
      .params = {{.name = "limit",
                  .type = ParamType::Integer,
                  .required = true,
                  .range = "0..1000000",
                  .help = "requests in a window; 0: every one is turned away"},
                 {.name = "window",
                  .type = ParamType::Duration,
                  .default_text = "1s",
                  .help = "from the first request that is counted in it"},
                 {.name = "per",
                  .type = ParamType::Choice,
                  .default_text = "token",
                  .choices = "token|route|copy|all",
                  .help = "what is counted apart: credentials, calls (method and collection), "
                          "client copies, or nothing"},
                 {.name = "penalty",
                  .type = ParamType::Duration,
                  .default_text = "0s",
                  .help =
                      "by how much each further request makes the wait longer that comes before "
                      "it is over"}},
      .points = {Point::BeforeEffect, Point::RequestHead},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
      .ambiguous = ambiguous,
      .model = "quota",
  };
  return fault;
}

}  // namespace mishap::server
