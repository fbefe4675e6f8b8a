#include "client-tests/verdict/merging.h"

#include <algorithm>

#include "client-tests/verdict/known.h"

namespace mishap::client_tests {

namespace {

// Clean evidence and a delivered fault are about the run; they say nothing about the client.
bool is_about_the_client(const Finding& finding) {
  return finding.check != kFaultActivatedCheck && finding.check != kEvidenceCheck;
}

bool has_judged(const Finding& finding) {
  return is_about_the_client(finding) &&
         (finding.ruling == Ruling::Pass || finding.ruling == Ruling::Fail);
}

bool is_known_fail(const Finding& finding) {
  return is_accepted(finding) && !finding.advisory;
}

// Noise in the clock takes the timing checks with it and nothing else.
bool is_counted_doubt(const Finding& finding) {
  return finding.ruling == Ruling::Inconclusive && !finding.advisory &&
         finding.check != kEvidenceCheck;
}

}  // namespace

bool is_counted_fail(const Finding& finding) {
  return finding.ruling == Ruling::Fail && !finding.advisory && !is_accepted(finding);
}

int severity_of(const Checks& checks, std::string_view check) {
  const auto found =
      std::find_if(checks.begin(), checks.end(), [&](const auto* c) { return c->name == check; });
  return found == checks.end() ? 0 : (*found)->severity;
}

Verdict merge_findings(const std::vector<Finding>& findings, bool records_lost) {
  if (std::any_of(findings.begin(), findings.end(), is_counted_fail)) return Verdict::Fail;
  if (std::any_of(findings.begin(), findings.end(), is_known_fail)) return Verdict::Known;
  if (records_lost || std::any_of(findings.begin(), findings.end(), is_counted_doubt)) {
    return Verdict::Inconclusive;
  }
  const bool judged = std::any_of(findings.begin(), findings.end(), has_judged);
  return judged ? Verdict::Pass : Verdict::Inconclusive;
}

const Finding* deciding_finding(const std::vector<Finding>& findings, Verdict verdict,
                                const Checks& checks) {
  const Finding* deciding = nullptr;
  for (const Finding& finding : findings) {
    if (verdict == Verdict::Inconclusive && is_counted_doubt(finding)) return &finding;
    const bool stands_for = (verdict == Verdict::Fail && is_counted_fail(finding)) ||
                            (verdict == Verdict::Known && is_known_fail(finding));
    if (!stands_for) continue;
    const bool worse =
        !deciding || severity_of(checks, finding.check) > severity_of(checks, deciding->check);
    if (worse) deciding = &finding;
  }
  return deciding;
}

std::string why_undecided(const std::vector<Finding>& findings, bool records_lost) {
  if (records_lost) return "the journal was full: records were dropped";
  for (const Finding& finding : findings) {
    if (finding.ruling == Ruling::NotObserved) {
      return "no check could judge the client: " + finding.reason;
    }
  }
  return "no check could judge the client: it gave no occasion";
}

Verdict merge_suite(const SuiteVerdict& suite) {
  bool failed = false;
  bool undecided = !suite.stopped.empty();
  bool passed = false;
  const auto count = [&](const CaseVerdict& value) {
    failed = failed || value.verdict == Verdict::Fail;
    undecided = undecided || value.verdict == Verdict::Inconclusive;
    passed = passed || value.verdict == Verdict::Pass || value.verdict == Verdict::Known;
  };
  for (const CaseVerdict& control : suite.controls) count(control);
  // A control that is well says nothing about a bad day: without one case that applied, nothing of
  // what was asked has been judged.
  if (!suite.cases.empty()) passed = false;
  for (const CaseVerdict& value : suite.cases) count(value);
  if (failed || (suite.strict_known && !suite.stale.empty())) return Verdict::Fail;
  // A part that nothing fell to has done its work.
  if (!suite.shard.empty() && suite.controls.empty() && suite.cases.empty()) passed = true;
  return undecided || !passed ? Verdict::Inconclusive : Verdict::Pass;
}

}  // namespace mishap::client_tests
