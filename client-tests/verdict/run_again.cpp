#include <algorithm>

#include "client-tests/verdict/findings.h"

// Which doubt is worth another run: one whose cause lies in the machine or in one unlucky run. What
// a client never does, it will not do the second time either.
namespace mishap::client_tests {

namespace {

bool is_in_doubt(const CaseVerdict& value, std::string_view check) {
  const Finding* finding = finding_of(value.findings, check);
  return finding != nullptr && finding->ruling == Ruling::Inconclusive;
}

bool was_killed(const Recording& recording) {
  return std::ranges::any_of(recording.processes,
                             [](const ProcessFacts& one) { return one.stop == Stop::Killed; });
}

std::string without_numbers(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

// A busy machine says the same each time; anything else that does will do so for ever.
bool said_before(const Recording& recording, const std::string& why) {
  return !recording.earlier.empty() &&
         without_numbers(recording.earlier.back().why) == without_numbers(why);
}

}  // namespace

std::string why_run_again(const Recording& recording, const Recording* control,
                          const Recording* comparison) {
  if (!recording.not_run.empty()) return {};
  Suite suite;
  if (control != nullptr) suite.controls.push_back(*control);
  suite.recordings.push_back(recording);
  if (comparison != nullptr) suite.recordings.push_back(*comparison);
  const CaseVerdict value = std::move(judge(suite).cases.front());
  if (value.verdict != Verdict::Inconclusive) return {};
  const bool noise = recording.journal.lost > 0 || is_in_doubt(value, kEvidenceCheck);
  const bool bad_luck = is_in_doubt(value, kFaultActivatedCheck) || was_killed(recording) ||
                        !recording.trouble.empty();
  if (!noise && (!bad_luck || said_before(recording, value.headline))) return {};
  return value.headline;
}

}  // namespace mishap::client_tests
