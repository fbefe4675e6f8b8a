#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_output.h"
#include "client-tests/checks/tally.h"

// The credential stays out of what the client prints.
namespace mishap::client_tests {

namespace {

// Runs of versions that looked for nothing else say no form.
std::string forms_of(const Captured& captured) {
  if (captured.canary_forms.empty()) return "in clear";
  return fmt::format("{}", fmt::join(captured.canary_forms, " and "));
}

bool was_sent(const Recording& recording) {
  return std::ranges::any_of(recording.journal.exchanges, [](const server::Exchange& exchange) {
    return std::ranges::any_of(exchange.request.headers, &server::KeptField::secret);
  });
}

Finding evaluate(const Case& c, const Params&) {
  if (!c.recording.child) return not_observed("the client is not ours, so its output is not seen");
  Tally tally;
  std::uint64_t bytes = 0;
  bool any_file = false;
  for (const Captured& captured : c.recording.output) {
    if (!is_clients_own(captured)) continue;
    bytes += captured.bytes;
    any_file = any_file || is_log_file(captured);
    if (captured.canary_hits > 0) {
      tally.broke(
          said(fmt::format("{} of copy {}: MISHAP_TOKEN {}, {}", captured.stream, captured.copy,
                           forms_of(captured), counted(captured.canary_hits, "time"))));
    } else if (captured.unread > 0) {
      tally.open(fmt::format("{} is too large to be looked at whole", captured.stream),
                 said(fmt::format("{} of copy {}: {} bytes not looked at", captured.stream,
                                  captured.copy, captured.unread)));
    }
  }
  if (!tally.any_broken() && !was_sent(c.recording)) {
    return not_applicable("no request carried a credential, so that there was none to print");
  }
  if (!tally.any_broken()) {
    tally.held(said(fmt::format("{} bytes of output without the token", bytes)));
    if (bytes == 0) tally.warn("the client printed nothing at all");
    if (!any_file && !c.recording.claims.logs.empty()) {
      tally.warn("none of the log files that the client is said to have was written");
    }
  }
  return tally.settle({.failed = "the token is in the output",
                       .reason = "What the client prints goes into logs that many can read.",
                       .held = "no token in the output"});
}

}  // namespace

const CheckDescriptor kNoSecretsInLogs = {
    .name = "no_secrets_in_logs",
    .summary = "the credential stays out of what the client prints",
    .rule =
        "no 12 characters of MISHAP_TOKEN in a row in stdout, stderr and the log files that the "
        "client names (client: {logs: ..}), which are scanned whole: in clear, percent- or "
        "JSON-escaped, as base64 or hexadecimal",
    .judged = "clients that are our child and send a credential",
    .why = "Logs are copied, searched and kept by people who must not act as your account.",
    .change = "Never print request headers; mask the credential where requests are made a string.",
    .source = "OWASP Logging Cheat Sheet, data to exclude",
    .since = "0.1",
    .severity = 70,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
