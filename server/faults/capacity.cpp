#include <chrono>

#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// A vendor that gets slower with every request in flight, and full. The model counts them.
namespace mishap::server {
namespace {

SendAnswer answer_of(const Params& params) {
  SendAnswer answer;
  answer.status = 503;
  answer.body = problem_body(503);
  answer.headers = {{"Content-Type", "application/problem+json"}};
  if (params.has("retry_after")) {
    answer.headers.push_back({"Retry-After", params.text("retry_after")});
  }
  return answer;
}

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  if (context.ruling.refused) return answer_before_effect(std::move(steps), answer_of(params));
  if (context.ruling.wait > Duration::zero()) {
    steps.insert(steps.begin(), Wait{context.ruling.wait});
  }
  return steps;
}

Shortfall refused_shortfall(const Exchange& exchange) {
  if (exchange.applied) return "it took effect";
  if (exchange.answer.status != 503) {
    return "the answer was a " + std::to_string(exchange.answer.status);
  }
  return answer_shortfall(exchange);
}

Shortfall shortfall(const Proof& proof, const Params&) {
  const RuleHit* hit = hit_of(proof.exchange, "capacity", proof.point);
  const auto refused = reading_of(hit, "refused");
  const auto wait = reading_of(hit, "wait");
  if (!refused || !wait) return "what was in flight is not recorded";
  if (*refused > 0) return refused_shortfall(proof.exchange);
  const auto length = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*wait));
  return wait_shortfall(proof.exchange, proof.exchange.request_read, proof.exchange.applied, length,
                        "the effect");
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  const auto wrong = [&](std::string message) {
    diagnostics.push_back({Severity::Error, "fault \"capacity\": " + std::move(message), span});
  };
  if (!params.has("each") && !params.has("limit")) {
    wrong("it needs \"each\", by which it gets slower, or \"limit\", above which it is full");
  }
  if (!params.has("retry_after")) return;
  if (!params.has("limit")) wrong("\"retry_after\" says nothing without \"limit\"");
  if (breaks_the_line(params.text("retry_after"))) wrong("\"retry_after\" holds a line break");
}

// Where already the first counts, nothing else is needed.
std::optional<std::string> idle(const Params& params, const Company& company) {
  const bool acts_on_the_first = (params.has("each") && params.integer("free") == 0) ||
                                 (params.has("limit") && params.integer("limit") == 0);
  if (acts_on_the_first || company.keeps_in_flight) return std::nullopt;
  return "\"capacity\" counts requests in flight, and here each is answered at once, so that there "
         "is one at a time; add a rule that delays them, as {at: after_effect, do: delay, for: "
         "150ms}";
}

}  // namespace

const FaultDescriptor& capacity_fault() {
  static const FaultDescriptor fault{
      .name = "capacity",
      .action = {},
      .summary = "Slower with every request in flight, and 503 above a limit.",
      .stands_for = "A backend with so many workers; a herd that makes an outage longer.",
      .since = "0.1",
      .params = {{.name = "free",
                  .type = ParamType::Integer,
                  .default_text = "1",
                  .range = "0..1000000",
                  .help = "so many requests in flight cost nothing"},
                 {.name = "each",
                  .type = ParamType::Duration,
                  .help = "how much later each further one makes the effect"},
                 {.name = "limit",
                  .type = ParamType::Integer,
                  .range = "0..1000000",
                  .help = "requests in flight at most; above it a 503, which does not count; no "
                          "limit where not said"},
                 {.name = "retry_after",
                  .type = ParamType::Text,
                  .help = "Retry-After of the 503, byte for byte"}},
      .points = {Point::BeforeEffect},
      .shapes_answer = true,
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
      .model = "capacity",
      .idle = idle,
  };
  return fault;
}

}  // namespace mishap::server
