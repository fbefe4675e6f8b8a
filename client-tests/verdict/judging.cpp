#include "client-tests/verdict/judging.h"

#include <algorithm>
#include <map>

#include "client-tests/checks/first_run.h"
#include "client-tests/verdict/case_verdict.h"
#include "client-tests/verdict/causes.h"
#include "client-tests/verdict/findings.h"
#include "client-tests/verdict/known.h"
#include "client-tests/verdict/merging.h"
#include "client-tests/verdict/upstream_failure.h"

namespace mishap::client_tests {

namespace {

// Of a recording that was played; owned for as long as the suite is judged.
using Histories = std::map<const Recording*, History>;

class SuiteJudge {
 public:
  SuiteJudge(const Suite& suite, const Checks& checks) : suite_(suite), checks_(checks) {
    for (const Recording& control : suite.controls) histories_[&control] = make_history(control);
    for (const Recording& run : suite.recordings) add_run(run);
  }

  SuiteVerdict judge() {
    SuiteVerdict made = head();
    for (const Recording& control : suite_.controls) made.controls.push_back(judge_one(control));
    for (const Recording& run : suite_.recordings) {
      made.cases.push_back(judge_run(run, made.controls));
    }
    made.stale = find_stale(suite_.known, made, suite_.narrowed);
    made.verdict = merge_suite(made);
    made.causes = find_causes(made, checks_);
    tell_who_judged(made, checks_);
    return made;
  }

 private:
  void add_run(const Recording& run) {
    histories_[&run] = make_history(run);
    auto first = first_run(run);
    if (!first) return;
    const Recording& kept = first_runs_[&run] = std::move(*first);
    histories_[&kept] = make_history(kept);
  }

  SuiteVerdict head() const {
    SuiteVerdict made;
    made.suite = suite_.name;
    made.seed = suite_.seed;
    made.again = suite_.again;
    made.stopped = suite_.stopped;
    made.length = suite_.length;
    made.jobs = suite_.jobs;
    made.jobs_reason = suite_.jobs_reason;
    made.shard = suite_.shard;
    made.strict_known = suite_.strict_known;
    const auto& first = suite_.controls.empty() ? suite_.recordings : suite_.controls;
    if (!first.empty()) made.mishap_version = first.front().mishap_version;
    return made;
  }

  CaseVerdict judge_run(const Recording& run, const std::vector<CaseVerdict>& controls) {
    if (const auto why = why_control_failed(run, controls); !why.empty()) {
      return without_judgement(run, Verdict::Inconclusive, why);
    }
    return judge_one(run);
  }

  CaseVerdict judge_one(const Recording& recording) {
    if (!recording.not_run.empty()) {
      return without_judgement(recording, Verdict::NotApplicable, recording.not_run);
    }
    if (!recording.trouble.empty()) {
      return without_judgement(recording, Verdict::Inconclusive, recording.trouble);
    }
    // Not a finding about the client: what it did was an answer to our 502.
    if (const auto why = upstream_failure(recording); !why.empty()) {
      return without_judgement(recording, Verdict::Inconclusive, why);
    }
    const Recording* control = recording.is_control ? nullptr : control_of(recording);
    const Recording* comparison = recording.is_control ? nullptr : comparison_of(recording);
    const auto cut = first_runs_.find(&recording);
    const bool has_more = cut != first_runs_.end();
    const Recording& first = has_more ? cut->second : recording;
    const Case value{.recording = first,
                     .history = histories_.at(&first),
                     .control = control,
                     .control_history = history_of(control),
                     .comparison = comparison,
                     .comparison_history = history_of(comparison),
                     .whole = has_more ? &recording : nullptr,
                     .whole_history = has_more ? &histories_.at(&recording) : nullptr,
                     .bounds = bounds_of(recording.scenario.promise)};
    return judge_case(value, suite_, checks_);
  }

  // A client that does not work on a good day proves nothing on a bad one.
  static std::string why_control_failed(const Recording& run,
                                        const std::vector<CaseVerdict>& controls) {
    for (const CaseVerdict& control : controls) {
      if (control.scenario != run.control) continue;
      if (control.verdict == Verdict::NotApplicable) return "the healthy control was not run";
      if (control.verdict == Verdict::Inconclusive && control.findings.empty()) {
        return "the healthy control could not be judged: " + control.headline;
      }
      const Finding* baseline = finding_of(control.findings, kBaselineCheck);
      if (!baseline) continue;
      const bool failed = baseline->ruling == Ruling::Fail;
      if (!failed && baseline->ruling != Ruling::Inconclusive) continue;
      const std::string& why =
          failed && !baseline->headline.empty() ? baseline->headline : baseline->reason;
      return "the healthy control " + std::string(failed ? "failed" : "could not be judged") +
             ": " + why;
    }
    return "";
  }

  const Recording* control_of(const Recording& run) const {
    const auto& all = suite_.controls;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Recording& control) {
      return control.scenario.name == run.control && control.not_run.empty();
    });
    return found == all.end() ? nullptr : &*found;
  }

  const Recording* comparison_of(const Recording& run) const {
    const auto& asked = run.scenario.compare_with;
    const auto& all = suite_.recordings;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Recording& other) {
      return !asked.empty() && other.scenario.name == asked && &other != &run &&
             other.scenario.pack == run.scenario.pack && other.not_run.empty();
    });
    return found == all.end() ? nullptr : &*found;
  }

  const History* history_of(const Recording* recording) const {
    return recording ? &histories_.at(recording) : nullptr;
  }

  const Suite& suite_;
  const Checks& checks_;
  std::map<const Recording*, Recording> first_runs_;  // by the whole
  Histories histories_;
};

}  // namespace

void tell_who_judged(SuiteVerdict& made, const Checks& checks) {
  for (const CheckDescriptor* check : checks) {
    bool judged = false;
    bool not_observed = false;
    const auto look = [&](const CaseVerdict& value) {
      const Finding* finding = finding_of(value.findings, check->name);
      if (!finding) return;
      judged = judged || finding->ruling == Ruling::Pass || finding->ruling == Ruling::Fail;
      not_observed = not_observed || finding->ruling == Ruling::NotObserved;
    };
    std::for_each(made.controls.begin(), made.controls.end(), look);
    std::for_each(made.cases.begin(), made.cases.end(), look);
    if (judged) made.judged.emplace_back(check->name);
    if (!judged && not_observed) made.not_observed.emplace_back(check->name);
  }
}

SuiteVerdict judge_with(const Suite& suite, const Checks& checks) {
  return SuiteJudge(suite, checks).judge();
}

}  // namespace mishap::client_tests
