#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// Said to end, and not ended.
namespace mishap::server {
namespace {

void say_close(std::string& head) {
  constexpr std::string_view kBlankLine = "\r\n\r\n";
  const auto end = head.rfind(kBlankLine);
  if (end != std::string::npos) head.insert(end + 2, "Connection: close\r\n");
}

Steps plan(Steps steps, const Params& params, FaultContext&) {
  const auto finish = find_step<Finish>(steps);
  if (finish == steps.end()) return steps;
  for (Step& step : steps) {
    auto* send = std::get_if<Send>(&step);
    if (send != nullptr && send->part == Part::Head) say_close(send->bytes);
  }
  steps.erase(finish, steps.end());
  steps.emplace_back(Wait{params.duration("for")});
  steps.emplace_back(CloseConnection{});
  return steps;
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  const Exchange& exchange = proof.exchange;
  if (auto missing = changed_shortfall(exchange)) return missing;
  const Receipt& receipt = exchange.receipt;
  const bool no_fin = receipt.ending == Ending::ClientLeft;
  return wait_shortfall(exchange, receipt.last_write, no_fin ? std::nullopt : receipt.ended,
                        params.duration("for"), "the FIN");
}

}  // namespace

const FaultDescriptor& hold_open_fault() {
  static const FaultDescriptor fault{
      .name = "hold_open",
      .action = "",
      .summary = "The answer says Connection: close, and the connection stays open for a while.",
      .stands_for =
          "A proxy that says close and waits for its own timer; a client that waits for the end, "
          "or "
          "sends its next request there, hangs.",
      .since = "0.1",
      .params = {{.name = "for",
                  .type = ParamType::Duration,
                  .default_text = "5s",
                  .range = "1ms..",
                  .help = "until the FIN"}},
      .points = {Point::AfterResponse},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .harmless = always,
  };
  return fault;
}

}  // namespace mishap::server
