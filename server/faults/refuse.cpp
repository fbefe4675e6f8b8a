#include "server/faults/catalog.h"
#include "server/faults/listener_fault.h"

// A port at which nobody listens: the client's connect fails at once.
namespace mishap::server {
namespace {

ListenerAction listen(const Params&) {
  return RefuseConnections{};
}

std::optional<Duration> listen_for(const Params& params) {
  return params.has("for") ? std::optional<Duration>(params.duration("for")) : std::nullopt;
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  if (auto missing = spell_shortfall(proof)) return missing;
  const ListenerSpell& spell = *proof.spell;
  if (spell.probe != "refused") return "a connect of our own was not refused";
  if (!params.has("for") || !spell.ended) return std::nullopt;
  const Duration length = *spell.ended - *spell.began;
  if (length >= params.duration("for")) return std::nullopt;
  return "connections were refused for " + format_duration(length) + ", not for " +
         format_duration(params.duration("for"));
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  if (!params.has("for") || params.duration("for") > Duration::zero()) return;
  diagnostics.push_back({Severity::Error, "fault \"refuse\": for 0s nobody is refused", span});
}

}  // namespace

const FaultDescriptor& refuse_fault() {
  static const FaultDescriptor fault{
      .name = "refuse",
      .action = "refuse",
      .summary =
          "Connections are refused: nobody listens at the port. Open ones stay; one that still "
          "waits to be accepted is reset.",
      .stands_for = "A process that is down or restarts, a wrong port, a firewall that rejects.",
      .since = "0.1",
      .params = {{.name = "for",
                  .type = ParamType::Duration,
                  .help =
                      "how long, where when: does not say it with during: (a span's clock starts "
                      "with the first connection); else from the run's beginning, or with "
                      "connection: n in that connection's place, and for good where not said"}},
      .points = {Point::Connect},
      .plan = leave_steps,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
      .listen = listen,
      .listen_for = listen_for,
  };
  return fault;
}

}  // namespace mishap::server
