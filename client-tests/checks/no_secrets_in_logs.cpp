#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/tally.h"

// The credential stays out of what the client prints.
namespace mishap::client_tests {

namespace {

// A test suite, or what else drives a service, prints for itself.
bool is_clients_own(const Captured& captured) {
  return captured.stream == "stdout" || captured.stream == "stderr";
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
  for (const Captured& captured : c.recording.output) {
    if (!is_clients_own(captured)) continue;
    bytes += captured.bytes;
    if (captured.canary_hits == 0) continue;
    tally.broke(said(fmt::format("{} of copy {}: MISHAP_TOKEN in clear, {}", captured.stream,
                                 captured.copy, counted(captured.canary_hits, "time"))));
  }
  if (!tally.any_broken() && !was_sent(c.recording)) {
    return not_applicable("no request carried a credential, so that there was none to print");
  }
  if (!tally.any_broken()) {
    tally.held(said(fmt::format("{} bytes of output without the token", bytes)));
    if (bytes == 0) tally.warn("the client printed nothing at all");
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
        "MISHAP_TOKEN does not occur in the client's stdout and stderr, which are scanned whole",
    .judged =
        "clients that are our child and send a credential; log files and encoded forms are not "
        "scanned",
    .why = "Logs are copied, searched and kept by people who must not act as your account.",
    .change = "Never print request headers; mask the credential where requests are made a string.",
    .source = "OWASP Logging Cheat Sheet, data to exclude",
    .since = "0.1",
    .severity = 70,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
