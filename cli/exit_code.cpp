#include "cli/exit_code.h"

#include <algorithm>

#include "cli/commands.h"

namespace mishap::cli {

using client_tests::SuiteVerdict;
using client_tests::Verdict;

namespace {

bool was_judged_at_all(const SuiteVerdict& verdict) {
  return verdict.stopped.empty() && std::ranges::any_of(verdict.cases, [](const auto& one) {
           return one.verdict == Verdict::Pass || one.verdict == Verdict::Known;
         });
}

}  // namespace

std::optional<OnInconclusive> on_inconclusive_named(std::string_view word) {
  if (word == "error") return OnInconclusive::Error;
  if (word == "fail") return OnInconclusive::Fail;
  if (word == "warn") return OnInconclusive::Warn;
  return std::nullopt;
}

int exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass:
    case Verdict::Known:
      return kExitPass;
    case Verdict::Fail:
      return kExitFail;
    case Verdict::Inconclusive:
    case Verdict::NotApplicable:
      return kExitInconclusive;
  }
  return kExitInternal;
}

int exit_code_of(const SuiteVerdict& verdict, OnInconclusive policy) {
  const int code = exit_code_of(verdict.verdict);
  if (code != kExitInconclusive) return code;
  if (policy == OnInconclusive::Fail) return kExitFail;
  return policy == OnInconclusive::Warn && was_judged_at_all(verdict) ? kExitPass : code;
}

std::string policy_line(const SuiteVerdict& verdict, OnInconclusive policy) {
  if (exit_code_of(verdict.verdict) != kExitInconclusive) return {};
  switch (exit_code_of(verdict, policy)) {
    case kExitFail:
      return "inconclusive counts as a fail (--inconclusive=fail)\n";
    case kExitPass:
      return "warning: what is inconclusive was not proved either way (--inconclusive=warn lets it "
             "pass)\n";
    default:
      return policy == OnInconclusive::Warn
                 ? "nothing was judged, so --inconclusive=warn does not let it pass\n"
                 : "";
  }
}

}  // namespace mishap::cli
