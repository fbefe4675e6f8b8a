#include <algorithm>

#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// The client's own end: a crash in the middle of a call, a deploy while it waits.
namespace mishap::server {
namespace {

std::optional<Duration> restart_of(const Params& params) {
  if (!params.has("restart")) return std::nullopt;
  return params.duration("restart");
}

bool is_carried_out(const Params& params) {
  return !params.has("carried_out") || params.boolean("carried_out");
}

Steps signal_steps(const Params& params) {
  Steps steps;
  if (params.has("after")) steps.emplace_back(Wait{params.duration("after")});
  steps.emplace_back(SignalClient{params.text("signal"), restart_of(params)});
  return steps;
}

// Behind the answer the client must have had the chance to read it.
Steps::iterator place_in(Steps& steps, Point point) {
  return point == Point::AfterResponse ? find_step<Finish>(steps) : steps.begin();
}

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  Steps inserted = signal_steps(params);
  if (context.point == Point::BeforeEffect && !is_carried_out(params)) {
    inserted.emplace_back(CloseConnection{});
    return inserted;
  }
  if (context.point == Point::AfterResponse) inserted.insert(inserted.begin(), AwaitAcknowledged{});
  steps.insert(place_in(steps, context.point), inserted.begin(), inserted.end());
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const std::string& name = params.text("signal");
  const auto& all = proof.exchange.receipt.signals;
  const auto signal = std::ranges::find(all, name, &ClientSignal::name);
  if (signal == all.end()) return "the exchange was over before " + name + " was due";
  if (!signal->sent && signal->gone) return "the client had ended before " + name + " was due";
  if (!signal->sent) return "nobody here runs the client: `mishap test` does, and can signal it";
  if (name == "SIGKILL" && !signal->gone) return "the client was still there after SIGKILL";
  return std::nullopt;
}

void validate(const Params& params, Point point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (!params.has("carried_out") || point == Point::BeforeEffect) return;
  diagnostics.push_back({Severity::Error,
                         "fault \"client_killed\": \"carried_out\" says something at before_effect "
                         "only; later it has been carried out",
                         span});
}

}  // namespace

const FaultDescriptor& client_killed_fault() {
  static const FaultDescriptor fault{
      .name = "client_killed",
      .action = "kill_client",
      .summary = "The client itself is ended in the middle of a call, and may be started again.",
      .stands_for =
          "A crash, an out-of-memory kill, a node that was taken away, a deploy that ends "
          "the process while it waits; what was in memory is gone.",
      .since = "0.1",
      .params = {{.name = "signal",
                  .type = ParamType::Choice,
                  .default_text = "SIGKILL",
                  .choices = "SIGKILL|SIGTERM|SIGINT|SIGHUP|SIGQUIT",
                  .help = "what all of its processes get; the call goes on when SIGKILL has ended "
                          "them, and at once where a client may take its time"},
                 {.name = "after",
                  .type = ParamType::Duration,
                  .help =
                      "from that point to the signal, as in the middle of a wait; at once where "
                      "not said"},
                 {.name = "restart",
                  .type = ParamType::Duration,
                  .help = "how long after its end the same command is started again, with the same "
                          "MISHAP_STATE; never where not said"},
                 {.name = "carried_out",
                  .type = ParamType::Boolean,
                  .help = "at before_effect: whether the request takes effect all the same, which "
                          "it does where not said"}},
      .points = {Point::BeforeEffect, Point::AfterEffect, Point::AfterResponse},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
  };
  return fault;
}

}  // namespace mishap::server
