#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/tally.h"

// Whether the client works when all is well. If not, no run with faults means anything.
namespace mishap::client_tests {

namespace {

Witness cite(const server::Exchange& exchange, std::string statement) {
  Witness witness;
  witness.statement = std::move(statement);
  witness.exchanges = {exchange.number};
  witness.operation = exchange.identity.operation;
  return witness;
}

void judge_unmatched(const History& history, Tally& tally) {
  for (const server::Exchange* exchange : history.unmatched) {
    const std::string hint = exchange->note.empty() ? "" : " (" + exchange->note + ")";
    tally.broke(
        cite(*exchange, fmt::format("{} {} matched nothing: {}{}", exchange->request.method,
                                    exchange->request.target, exchange->answer.status, hint)));
  }
}

// A caller that looks before it creates is right to be told 404; everything else from 400 on means
// that client and vendor do not understand one another.
void judge_answer(const server::Exchange& exchange, Tally& tally) {
  const StatusCode status = exchange.answer.status;
  if (status < 400) return;
  const std::string text =
      fmt::format("{} {} was answered {}", exchange.request.method, exchange.request.path, status);
  if (exchange.safe && (status == 404 || status == 410)) {
    tally.warn(text);
  } else {
    tally.broke(cite(exchange, text));
  }
}

// A queue that delivers at least once sends the same key twice, and the vendor gives its stored
// answer again: nothing is done twice.
bool is_safe_redelivery(const Operation& operation) {
  const auto& attempts = operation.attempts;
  return attempts.front().result == Result::Success &&
         std::all_of(attempts.begin() + 1, attempts.end(),
                     [](const Attempt& attempt) { return attempt.exchange->answer.replayed; });
}

void judge_attempts(const Operation& operation, Tally& tally) {
  if (operation.attempts.size() < 2 || operation.polled) return;
  const std::string text =
      fmt::format("{}: {} attempts without a fault", operation.name, operation.attempts.size());
  if (is_safe_redelivery(operation)) {
    tally.warn(text + "; under one key, so the vendor gave its first answer again");
  } else {
    tally.broke(cite(*operation.attempts.front().exchange, text));
  }
}

void judge_operation(const History& history, const Operation& operation, Tally& tally) {
  for (const auto& attempt : operation.attempts) judge_answer(*attempt.exchange, tally);
  const auto& first = *operation.attempts.front().exchange;
  judge_attempts(operation, tally);
  const auto created = standing_creations(history, operation).size();
  if (created > 1) {
    tally.broke(
        cite(first, fmt::format("{}: {} effects for one operation", operation.name, created)));
  }
  if (!operation.outcomes.empty() && operation.outcomes.back()->outcome != OutcomeKind::Succeeded) {
    tally.broke(cite(first, fmt::format("{}: reported {}", operation.name,
                                        to_string(operation.outcomes.back()->outcome))));
  }
}

// A command ends by itself with 0; a service is still there when it is told to go.
bool ended_well(const ProcessFacts& process) {
  if (process.role == ProcessRole::Service) return process.stop == Stop::Stopped;
  return process.stop == Stop::Exited && process.exit_code == 0;
}

void judge_drives(const Recording& recording, Tally& tally) {
  for (const DriveFacts& drive : recording.drives) {
    if (succeeded(drive)) continue;
    Witness witness;
    witness.statement =
        fmt::format("the drive of the service ({}) {}", drive.what, how_it_ended(drive));
    tally.broke(std::move(witness));
  }
}

void judge_end(const Recording& recording, Tally& tally) {
  judge_drives(recording, tally);
  for (const ProcessFacts& process : recording.processes) {
    if (ended_well(process)) continue;
    Witness witness;
    witness.statement = how_it_ended(recording, process.copy);
    if (process.stop == Stop::Interrupted || process.stop == Stop::NotStarted) {
      tally.open(witness.statement, witness);
    } else {
      tally.broke(std::move(witness));
    }
  }
}

std::string nothing_came(const Recording& recording) {
  std::string text = "no request arrived";
  for (const ProcessFacts& process : recording.processes) {
    if (ended_well(process)) continue;
    text += "; " + how_it_ended(recording, process.copy);
    break;
  }
  return text;
}

Finding evaluate(const Case& c, const Params&) {
  if (!c.recording.is_control && !c.recording.scenario.rules.empty()) {
    return not_applicable("the scenario has faults; the healthy control is judged by this");
  }
  if (c.recording.journal.exchanges.empty()) return inconclusive(nothing_came(c.recording));
  Tally tally;
  judge_end(c.recording, tally);
  judge_unmatched(c.history, tally);
  for (const auto& operation : c.history.operations) {
    judge_operation(c.history, operation, tally);
  }
  Witness seen;
  seen.statement = counted(c.history.operations.size(), "operation") + ", each done once";
  if (!tally.any_broken()) tally.held(seen);
  return std::move(tally).settle({.failed = "the client does not work without faults",
                                  .reason =
                                      "A healthy run must end with success: one attempt and at "
                                      "most one effect for each operation, no error answered.",
                                  .held = seen.statement});
}

}  // namespace

const CheckDescriptor kBaselineHealthy = {
    .name = "baseline_healthy",
    .summary = "the client works without faults",
    .rule =
        "one attempt and at most one effect for each operation (the same key again after a success "
        "is a warning), no error answered, outcome succeeded where it is told, exit code 0 "
        "(a service is still there, its drive succeeded)",
    .judged = "the healthy control, and scenarios without faults",
    .why = "A client that fails on a healthy vendor cannot be judged on an ill one.",
    .change =
        "Make the client work against the healthy mock first: check its base URL, paths and "
        "bodies, or describe your API in a file of your own.",
    .source = "Filibuster: the execution without faults comes first",
    .since = "0.1",
    .on_control = true,
    .severity = 91,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
