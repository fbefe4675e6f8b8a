#include "client-tests/verdict/findings.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <future>

#include <mishap/parameters.h>

#include "mishap/printable.h"

namespace mishap::client_tests {

using scenarios::Expectation;
using scenarios::Level;

namespace {

// A scenario without faults is a healthy run too, whatever it is called.
bool is_judged(const CheckDescriptor& check, const Recording& recording) {
  if (recording.is_control) return check.on_control;
  return check.on_faults || (check.on_control && recording.scenario.rules.empty());
}

const Expectation* expectation_of(const Recording& recording, std::string_view check) {
  const auto& all = recording.scenario.expectations;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.check == check; });
  return found == all.end() ? nullptr : &*found;
}

Finding evaluate_safely(const CheckDescriptor& check, const Case& value, const Node& parameters) {
  static constexpr std::array<std::string_view, 2> kNotParameters{"level", "off"};
  Diagnostics diagnostics;
  try {
    const Params params =
        read_params(parameters, check.params, "check \"" + std::string(check.name) + "\"",
                    kNotParameters, diagnostics);
    if (has_errors(diagnostics)) {
      return inconclusive("its parameters cannot be read: " + diagnostics.front().message);
    }
    return check.evaluate(value, params);
  } catch (const std::exception& error) {
    return inconclusive(std::string("the check itself failed: ") + error.what());
  } catch (...) {
    return inconclusive("the check itself failed");
  }
}

void apply_required(Finding& finding) {
  if (finding.ruling == Ruling::NotApplicable) {
    finding.reason = "required, but there was no occasion: " + finding.reason;
  } else if (finding.ruling == Ruling::NotObserved) {
    finding.reason = "required, but not observed: " + finding.reason;
  } else {
    return;
  }
  finding.ruling = Ruling::Inconclusive;
}

Finding find_one(const CheckDescriptor& check, const Case& value) {
  const Expectation* expectation = expectation_of(value.recording, check.name);
  const Level level = expectation ? expectation->level : Level::Normal;
  Finding finding;
  if (level == Level::Off) {
    finding = not_applicable("switched off: " + expectation->reason);
  } else {
    finding = evaluate_safely(check, value, expectation ? expectation->parameters : Node{});
  }
  if (level == Level::Required) apply_required(finding);
  finding.check = check.name;
  finding.advisory = level == Level::Advisory || (check.advisory && level != Level::Required);
  return finding;
}

void downgrade(Finding& finding, const std::string& why) {
  finding.ruling = Ruling::Inconclusive;
  finding.reason = why;
}

// What was not done to the client proves nothing about it: a pass says no more than that nothing
// was seen. A fail stays one, since what was seen was seen.
void associate_with_activation(std::vector<Finding>& findings) {
  const Finding* activated = finding_of(findings, kFaultActivatedCheck);
  if (!activated || activated->ruling != Ruling::Inconclusive) return;
  const std::string why = "the fault did not happen as scripted: " + activated->reason;
  for (Finding& finding : findings) {
    const bool about_the_run =
        finding.check == kFaultActivatedCheck || finding.check == kEvidenceCheck;
    if (finding.ruling == Ruling::Pass && !about_the_run) downgrade(finding, why);
  }
}

void associate_with_evidence(std::vector<Finding>& findings, const Checks& checks) {
  const Finding* evidence = finding_of(findings, kEvidenceCheck);
  if (!evidence || evidence->ruling != Ruling::Inconclusive) return;
  const std::string why = "its timing cannot be trusted: " + evidence->reason;
  for (Finding& finding : findings) {
    if (finding.ruling != Ruling::Pass && finding.ruling != Ruling::Fail) continue;
    const auto check = std::find_if(checks.begin(), checks.end(),
                                    [&](const auto* c) { return c->name == finding.check; });
    if (check != checks.end() && (*check)->timing) downgrade(finding, why);
  }
}

// What is printable already need not be made so: there may be a million of them.
bool is_plain(const std::string& text) {
  return text.size() <= kLongestText &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

void make_printable(std::vector<Witness>& witnesses) {
  for (Witness& witness : witnesses) {
    if (is_plain(witness.statement)) continue;
    witness.statement = printable(witness.statement, kLongestText);
  }
}

void make_printable(Finding& finding) {
  finding.headline = printable(finding.headline, kLongestText);
  finding.reason = printable(finding.reason, kLongestText);
  for (std::string& warning : finding.warnings) warning = printable(warning, kLongestText);
}

// Whoever is free takes the next: what a check finds depends on no other.
void evaluate_next(const Checks& checks, const Case& value, std::atomic<std::size_t>& next,
                   std::vector<Finding>& findings) {
  for (std::size_t i = next++; i < checks.size(); i = next++) {
    findings[i] = find_one(*checks[i], value);
    make_printable(findings[i].witnesses);
  }
}

std::vector<Finding> evaluate_all(const Checks& checks, const Case& value) {
  // Less is judged sooner than another thread begins.
  constexpr std::size_t kWorthAThread = 5000;
  std::vector<Finding> findings(checks.size());
  std::atomic<std::size_t> next = 0;
  std::future<void> other;
  if (value.recording.journal.exchanges.size() > kWorthAThread) {
    other = std::async(std::launch::async, [&] { evaluate_next(checks, value, next, findings); });
  }
  evaluate_next(checks, value, next, findings);
  if (other.valid()) other.get();
  return findings;
}

}  // namespace

const Finding* finding_of(const std::vector<Finding>& findings, std::string_view check) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.check == check; });
  return found == findings.end() ? nullptr : &*found;
}

std::vector<Finding> find_all(const Case& value, const Checks& checks) {
  Checks judged;
  for (const CheckDescriptor* check : checks) {
    if (is_judged(*check, value.recording)) judged.push_back(check);
  }
  std::vector<Finding> findings = evaluate_all(judged, value);
  associate_with_evidence(findings, checks);
  associate_with_activation(findings);
  for (Finding& finding : findings) make_printable(finding);
  return findings;
}

}  // namespace mishap::client_tests
