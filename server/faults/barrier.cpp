#include <algorithm>
#include <chrono>

#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// Many at once: the first N requests are held and let go together. The model counts them.
namespace mishap::server {
namespace {

Steps plan(Steps steps, const Params&, FaultContext& context) {
  const auto first = std::find_if_not(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<Wait>(step);
  });
  steps.insert(first, WaitForEvent{context.ruling.event, context.ruling.wait});
  return steps;
}

// How long they were waited for.
std::string span_of(const Receipt& receipt, const Params& params) {
  if (!receipt.ended) return "before the run ended";
  if (receipt.ending == Ending::ClientLeft) return "before this client left";
  return "within " + format_duration(params.duration("within"));
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const RuleHit* hit = hit_of(proof.exchange, "barrier", proof.point);
  const auto come = reading_of(hit, "come");
  if (!come) return "who came is not recorded";
  const auto opened = reading_of(hit, "opened");
  if (!opened) {
    return "only " + std::to_string(static_cast<std::uint64_t>(*come)) + " of " +
           std::to_string(params.integer("count")) + " came " +
           span_of(proof.exchange.receipt, params);
  }
  const auto& wrote = proof.exchange.receipt.first_write;
  // A number of seconds is exact to less than a microsecond over days.
  if (wrote && std::chrono::duration<double>(*wrote).count() < *opened - 1e-6) {
    return "it was answered before the last of them had come";
  }
  return std::nullopt;
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (params.duration("within") > Duration::zero()) return;
  diagnostics.push_back({Severity::Error, "fault \"barrier\": within 0s nobody is held", span});
}

std::optional<std::string> idle(const Params& params, const Company& company) {
  const auto count = static_cast<std::uint64_t>(params.integer("count"));
  if (count <= company.copies) return std::nullopt;
  return "\"barrier\" waits for " + std::to_string(count) + " requests in flight at once, and " +
         (company.copies == 1 ? "1 copy" : std::to_string(company.copies) + " copies") +
         " of the client may meet it: unless each sends several at once they never come; add "
         "\"client: {copies: " +
         std::to_string(count) + "}\"";
}

}  // namespace

const FaultDescriptor& barrier_fault() {
  static const FaultDescriptor fault{
      .name = "barrier",
      .action = {},
      .summary = "The first so many requests of the run are held, and let go together.",
      .stands_for =
          "A dependency that comes back and answers everybody at once; the beginning of a herd.",
      .since = "0.1",
      .params = {{.name = "count",
                  .type = ParamType::Integer,
                  .required = true,
                  .range = "2..100000",
                  .help = "how many, of all client copies together; more than they have in flight "
                          "at once never come"},
                 {.name = "within",
                  .type = ParamType::Duration,
                  .default_text = "5s",
                  .help = "how long the first is held at most; where not all have come by then, "
                          "those that have go on and the run is inconclusive"}},
      .points = {Point::BeforeEffect, Point::RequestHead, Point::AfterEffect},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
      .model = "barrier",
      .idle = idle,
  };
  return fault;
}

}  // namespace mishap::server
