#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_output.h"
#include "client-tests/checks/tally.h"

// What the server sends cannot forge a line of the log.
namespace mishap::client_tests {

namespace {

enum class Seen { Not, Escaped, Forged };

// At the beginning of a line it reads as a line of the client's own; an escape character before it
// colours or clears the terminal.
Seen seen_in(std::string_view text, std::string_view marker) {
  Seen worst = Seen::Not;
  for (auto at = text.find(marker); at != std::string_view::npos; at = text.find(marker, at + 1)) {
    const char before = at == 0 ? '\n' : text[at - 1];
    const bool is_forged = before == '\n' || before == '\r' || before == '\x1b';
    worst = std::max(worst, is_forged ? Seen::Forged : Seen::Escaped);
  }
  return worst;
}

void judge(const Captured& captured, const std::string& marker, Tally& tally) {
  const Seen seen = std::max(seen_in(captured.head, marker), seen_in(captured.tail, marker));
  const std::string where = fmt::format("{} of copy {}: ", captured.stream, captured.copy);
  if (seen == Seen::Forged) {
    tally.broke(
        said(where + fmt::format("a line begins with \"{}\", which the server sent", marker)));
  } else if (seen == Seen::Escaped) {
    tally.held(said(where + fmt::format("\"{}\" stands within a line", marker)));
  }
}

bool has_fault_in_body(const Case& c) {
  return std::ranges::any_of(c.history.operations, [](const Operation& operation) {
    return std::ranges::any_of(operation.attempts, [](const Attempt& attempt) {
      return was_faulted(attempt) && answered(attempt) && attempt.exchange->answer.body_bytes > 0;
    });
  });
}

Finding evaluate(const Case& c, const Params& params) {
  const std::string marker = params.has("marker") ? params.text("marker") : "";
  if (marker.empty()) return not_applicable("the scenario names no marker");
  if (!c.recording.child) return not_observed("the client is not ours, so its output is not seen");
  if (!has_fault_in_body(c)) return not_applicable("no answer with the marker reached the client");
  Tally tally;
  std::uint64_t bytes = 0;
  for (const Captured& captured : c.recording.output) {
    if (!is_clients_own(captured)) continue;
    bytes += captured.bytes;
    judge(captured, marker, tally);
  }
  if (tally.judged() == 0 && bytes == 0) return inconclusive("the client printed nothing at all");
  if (tally.judged() == 0) tally.held(said("nothing of the server's text is printed"));
  return tally.settle({.failed = "the server can forge lines of the log",
                       .reason = "Text of an answer was printed with its line ends.",
                       .held = "no forged line"});
}

}  // namespace

const CheckDescriptor kLogInjectionSafe = {
    .name = "log_injection_safe",
    .summary = "what the server sends cannot forge a line of the log",
    .rule =
        "no line of stdout, stderr or a log file begins with the marker that stood behind a line "
        "end in an "
        "answer",
    .judged =
        "clients that are our child, in scenarios that send a marker and name it; the first and "
        "last "
        "32 KiB of a stream",
    .why = "Whoever writes your log lines decides what the people on call believe.",
    .change = "Print text of others escaped (as JSON, or quoted), cut to a few hundred characters.",
    .source = "OWASP Logging Cheat Sheet, log injection; CWE-117",
    .since = "0.1",
    .params = {{.name = "marker",
                .type = ParamType::Text,
                .help = "text that the scenario's answer has at the beginning of a line"}},
    .severity = 40,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
