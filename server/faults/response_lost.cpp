#include <algorithm>

#include "server/faults/catalog.h"
#include "server/faults/cut.h"
#include "server/faults/proof.h"

// It was done, and nobody was told: the fault behind most duplicates.
namespace mishap::server {
namespace {

using std::chrono::seconds;

bool is_late(const Params& params) {
  return params.text("by") == "late";
}

CutBy ending_of(const Params& params) {
  const std::string& by = params.text("by");
  if (by == "close") return CutBy::Fin;
  return by == "stall" ? CutBy::Stall : CutBy::Rst;
}

Duration patience(const Params& params) {
  return params.has("after") ? params.duration("after") : Duration(seconds(5));
}

// Whether the connection has ended when the effect comes.
bool ends_before_effect(const Params& params) {
  return params.has("commit_after") && !is_late(params) && ending_of(params) != CutBy::Stall;
}

// commit_after: the client is cut off first (or waits), the vendor works on and commits later.
Steps commit_late(Steps steps, const Params& params) {
  const auto apply = find_step<Apply>(steps);
  if (apply == steps.end()) return steps;
  const auto wait = steps.insert(apply, Wait{params.duration("commit_after")});
  if (ends_before_effect(params)) {
    steps.insert(
        wait, ending_of(params) == CutBy::Fin ? Step(CloseConnection{}) : Step(ResetConnection{}));
  }
  return steps;
}

Steps lose_answer(Steps steps, const Params& params) {
  if (is_late(params)) {
    steps.insert(steps.begin(), Wait{patience(params)});
    return steps;
  }
  if (ends_before_effect(params)) return {};  // the connection is gone by now
  return cut(std::move(steps), Point::AfterEffect, {}, ending_of(params));
}

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  if (context.moment == Moment::Apply) return lose_answer(std::move(steps), params);
  if (context.moment == Moment::Request && params.has("commit_after")) {
    return commit_late(std::move(steps), params);
  }
  return steps;
}

Shortfall late_shortfall(const Exchange& exchange) {
  const Receipt& receipt = exchange.receipt;
  if (!exchange.applied) return "the effect never came";
  if (!receipt.departed) return "the client waited for it";
  if (receipt.first_write && *receipt.first_write < *receipt.departed) {
    return "the client waited for it";
  }
  return std::nullopt;
}

Shortfall commit_shortfall(const Exchange& exchange, const Params& params) {
  if (!exchange.applied) return "the effect never came";
  if (auto missing = wait_shortfall(exchange, exchange.request_read, exchange.applied,
                                    params.duration("commit_after"), "the effect")) {
    return missing;
  }
  if (!ends_before_effect(params)) return std::nullopt;
  if (exchange.receipt.ended && *exchange.receipt.ended <= *exchange.applied) return std::nullopt;
  return "the effect came before the connection ended";
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  if (params.has("commit_after")) {
    if (auto missing = commit_shortfall(proof.exchange, params)) return missing;
  }
  return is_late(params) ? late_shortfall(proof.exchange)
                         : cut_shortfall({proof.exchange, Point::AfterEffect}, ending_of(params));
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (!params.has("after") || is_late(params)) return;
  diagnostics.push_back({Severity::Error,
                         "fault \"response_lost\": \"after\" says something only with by: late; a "
                         "late effect is \"commit_after\"",
                         span});
}

}  // namespace

const FaultDescriptor& response_lost_fault() {
  static const FaultDescriptor fault{
      .name = "response_lost",
      .action = "",
      .summary = "The effect happens, and no byte of its answer arrives.",
      .stands_for =
          "A load balancer or firewall that cut the connection after the vendor committed, "
          "a crash between commit and answer, an answer slower than the client's patience.",
      .since = "0.1",
      .params = {{.name = "by",
                  .type = ParamType::Choice,
                  .default_text = "reset",
                  .choices = "reset|close|stall|late",
                  .help =
                      "how the answer is lost: RST, FIN, silence, or by coming after the client "
                      "has left"},
                 {.name = "after",
                  .type = ParamType::Duration,
                  .help = "by late: how long the answer is held back after the effect, longer than "
                          "the client's patience; 5s where not said"},
                 {.name = "commit_after",
                  .type = ParamType::Duration,
                  .help =
                      "the effect itself comes that much later, also when the client has gone"}},
      .points = {Point::AfterEffect},
      .plan = plan,
      .also = {Moment::Request},
      .shortfall = shortfall,
      .validate = validate,
  };
  return fault;
}

}  // namespace mishap::server
