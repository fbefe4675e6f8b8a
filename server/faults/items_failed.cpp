#include <algorithm>

#include "mishap/count.h"
#include "server/faults/answer.h"
#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// A batch that succeeds in part: some of its items are told that they failed.
namespace mishap::server {
namespace {

using scenarios::Count;

StatusCode status_of(const Params& params) {
  return static_cast<StatusCode>(params.integer("status"));
}

// validate() has seen it.
Count items_of(const Params& params) {
  return scenarios::parse_count(params.text("items")).value_or(Count{});
}

// What becomes of an item is decided when it is carried out, or would be; the rest of the answer's
// life is that of any other.
Steps plan(Steps steps, const Params& params, FaultContext& context) {
  const auto apply = find_step<Apply>(steps);
  if (context.moment != Moment::Request || apply == steps.end()) return steps;
  SpoiledItems spoiled{.which = items_of(params), .status = status_of(params)};
  if (params.has("retry_after")) spoiled.retry_after = params.text("retry_after");
  spoiled.carried_out = context.point == Point::AfterEffect;
  std::get<Apply>(*apply).spoiled.push_back(std::move(spoiled));
  return steps;
}

bool was_told(const BatchItem& item, const Params& params) {
  return item.status == status_of(params) && !item.healthy;
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const Exchange& exchange = proof.exchange;
  if (exchange.items.empty()) return "the request was no batch";
  if (!exchange.applied) return "the batch was never carried out";
  const Count which = items_of(params);
  const bool carried_out = proof.point == Point::AfterEffect;
  const BatchItem* told = nullptr;
  for (std::size_t i = 0; i < exchange.items.size(); ++i) {
    const BatchItem& item = exchange.items[i];
    if (!which.contains(i + 1) || !was_told(item, params)) continue;
    const bool is_done = !item.effects.empty() || item.replayed;
    if (is_done != carried_out) {
      return "item " + std::to_string(i + 1) + (is_done ? " took effect" : " took no effect");
    }
    told = &item;
  }
  if (told == nullptr) {
    return "none of " + std::to_string(exchange.items.size()) + " items was told a " +
           std::to_string(status_of(params));
  }
  return answer_shortfall(exchange);
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  const auto wrong = [&](const std::string& message) {
    diagnostics.push_back({Severity::Error, "fault \"items_failed\": " + message, span});
  };
  if (const auto items = scenarios::parse_count(params.text("items")); !items) {
    wrong("items: " + items.error());
  }
  if (status_of(params) < 400) {
    wrong("a " + std::to_string(status_of(params)) + " does not tell an item that it failed");
  }
  if (params.has("retry_after") && breaks_the_line(params.text("retry_after"))) {
    wrong("\"retry_after\" holds a line break");
  }
}

// As with a whole answer: a 4xx says that nothing was done, but for a 408.
bool ambiguous(const Params& params, Point point) {
  const StatusCode status = status_of(params);
  return point == Point::AfterEffect || status >= 500 || status == 408;
}

}  // namespace

const FaultDescriptor& items_failed_fault() {
  static const FaultDescriptor fault{
      .name = "items_failed",
      .action = "",
      .summary = "Some items of a batch are told that they failed, in an answer that is a success.",
      .stands_for =
          "One shard that is down, a lock on one row, a quota that is used up in the middle of the "
          "batch.",
      .since = "0.1",
      .params = {{.name = "items",
                  .type = ParamType::Text,
                  .required = true,
                  .help = "which of the batch, counted from 1: 2, 1..2, 2.. or every 3. Before the "
                          "effect they are not carried out; after it they are, and told the same"},
                 {.name = "status",
                  .type = ParamType::Status,
                  .default_text = "503",
                  .range = "400..599",
                  .help = "what each of them is told"},
                 {.name = "retry_after",
                  .type = ParamType::Text,
                  .help = "in their results, and as Retry-After of the answer"}},
      .points = {Point::BeforeEffect, Point::AfterEffect},
      .shapes_answer = true,
      .plan = plan,
      .also = {Moment::Request},
      .shortfall = shortfall,
      .validate = validate,
      .needs_batch = true,
      .ambiguous = ambiguous,
  };
  return fault;
}

}  // namespace mishap::server
