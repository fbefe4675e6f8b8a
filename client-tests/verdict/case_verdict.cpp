#include "client-tests/verdict/case_verdict.h"

#include <utility>

#include "client-tests/verdict/findings.h"
#include "client-tests/verdict/headline.h"
#include "client-tests/verdict/known.h"
#include "client-tests/verdict/merging.h"
#include "client-tests/verdict/timeline.h"
#include "mishap/printable.h"

namespace mishap::client_tests {

namespace {

CaseVerdict case_of(const Recording& recording) {
  CaseVerdict made;
  made.scenario = recording.scenario.name;
  made.pack = recording.scenario.pack;
  made.is_control = recording.is_control;
  made.consequence = recording.scenario.consequence;
  made.remedy = recording.scenario.remedy;
  made.length = recording.length;
  for (const auto& note : recording.notes) made.notes.push_back(printable(note, kLongestText));
  for (const auto& tried : recording.earlier)
    made.earlier.push_back(printable(tried.why, kLongestText));
  return made;
}

// Who trusts the list must see on the line itself why it does not help any more.
std::string since_when(const Finding& finding) {
  return finding.known && finding.known->expired
             ? " (known until " + finding.known->until + ", which is over)"
             : "";
}

std::string headline_of(const CaseVerdict& made, const Finding* deciding, const Case& value) {
  const bool records_lost = value.recording.journal.lost > 0;
  if (deciding) {
    const bool short_one = made.verdict != Verdict::Inconclusive && !deciding->headline.empty();
    return (short_one ? deciding->headline : deciding->reason) + since_when(*deciding);
  }
  if (made.verdict == Verdict::Inconclusive) return why_undecided(made.findings, records_lost);
  return value.recording.is_control ? control_headline(value.recording)
                                    : attempts_headline(value.history);
}

}  // namespace

CaseVerdict judge_case(const Case& value, const Suite& suite, const Checks& checks) {
  const Recording& all = value.whole ? *value.whole : value.recording;
  const History& history = value.whole ? *value.whole_history : value.history;
  CaseVerdict made = case_of(all);
  made.findings = find_all(value, checks);
  mark_known(made.findings, value.recording.scenario, suite.known, suite.day);
  made.verdict = merge_findings(made.findings, value.recording.journal.lost > 0);
  const Finding* deciding = deciding_finding(made.findings, made.verdict, checks);
  made.headline = headline_of(made, deciding, value);
  if (deciding) made.timeline = timeline_of(*deciding, all, history);
  return made;
}

CaseVerdict without_judgement(const Recording& recording, Verdict verdict, std::string why) {
  CaseVerdict made = case_of(recording);
  made.verdict = verdict;
  made.headline = printable(why, kLongestText);
  return made;
}

}  // namespace mishap::client_tests
