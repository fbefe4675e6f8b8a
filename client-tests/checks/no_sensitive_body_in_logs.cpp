#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_output.h"
#include "client-tests/checks/tally.h"

// What bodies say of people stays out of the logs.
namespace mishap::client_tests {

namespace {

// The texts stand in what it sends, or in what a scenario has it told.
bool met_a_body(const History& history) {
  return std::ranges::any_of(history.operations, [](const Operation& operation) {
    return std::ranges::any_of(operation.attempts, [](const Attempt& attempt) {
      const server::Exchange& exchange = *attempt.exchange;
      const bool was_told = answered(attempt) && exchange.answer.body_bytes > 0;
      return exchange.request.body_bytes > 0 || (was_told && was_faulted(attempt));
    });
  });
}

void look_at(const Captured& captured, Tally& tally) {
  const std::string where = fmt::format("{} of copy {}: ", captured.stream, captured.copy);
  if (!captured.sensitive_hits.empty()) {
    tally.broke(said(where + fmt::format("{}", fmt::join(captured.sensitive_hits, ", "))));
  } else if (captured.unread > 0) {
    tally.open(captured.stream + " is too large to be looked at whole",
               said(where + fmt::format("{} bytes not looked at", captured.unread)));
  } else {
    tally.held(said(where + fmt::format("nothing of it in {} bytes", captured.bytes)));
  }
}

Finding evaluate(const Case& c, const Params&) {
  if (c.recording.claims.sensitive.empty()) {
    return not_applicable(
        "no text is named that must not be in the logs (client: {sensitive: ..})");
  }
  if (!c.recording.child) return not_observed("the client is not ours, so its output is not seen");
  if (!met_a_body(c.history)) {
    return not_applicable("no body was sent, and none that the scenario wrote was received");
  }
  Tally tally;
  for (const Captured& captured : c.recording.output) {
    if (is_clients_own(captured)) look_at(captured, tally);
  }
  return tally.settle({.failed = "sensitive data is in the logs",
                       .reason = "What a body says of people was printed.",
                       .held = "nothing sensitive in the logs",
                       .none = "nothing of the client's output was seen"});
}

}  // namespace

const CheckDescriptor kNoSensitiveBodyInLogs = {
    .name = "no_sensitive_body_in_logs",
    .summary = "bodies and personal data stay out of the logs",
    .rule =
        "none of the texts that client or scenario name (client: {sensitive: {mail: ..}}) in "
        "stdout, stderr and log files: in clear, percent- or JSON-escaped, as base64 or "
        "hexadecimal",
    .judged =
        "clients that are our child, where such texts are named and a body was sent, or received "
        "by a rule; a body that holds none of them is not recognised",
    .why = "Logs are kept longer and read by more people than the data may be.",
    .change = "Log what a body is about (your reference, the vendor's id), never the body.",
    .source = "OWASP Logging Cheat Sheet, data to exclude",
    .since = "0.1",
    .severity = 65,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
