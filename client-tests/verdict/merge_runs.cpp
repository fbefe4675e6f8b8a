#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "client-tests/verdict/causes.h"
#include "client-tests/verdict/judging.h"
#include "client-tests/verdict/known.h"
#include "client-tests/verdict/merging.h"

namespace mishap::client_tests {

namespace {

// How bad, where the same scenario was judged twice.
int rank(const CaseVerdict& value) {
  switch (value.verdict) {
    case Verdict::Fail:
      return 4;
    case Verdict::Inconclusive:
      return 3;
    case Verdict::Known:
      return 2;
    case Verdict::Pass:
      return 1;
    case Verdict::NotApplicable:
      return 0;
  }
  return 0;
}

template <typename T>
void add_new(std::vector<T>& into, const T& value) {
  if (std::ranges::find(into, value) == into.end()) into.push_back(value);
}

struct Part {
  std::uint64_t index = 0;
  std::uint64_t total = 0;
};

// "2/4"; zeros where it is none.
Part part_of(const std::string& shard) {
  const auto slash = shard.find('/');
  Part part;
  if (slash == std::string::npos) return part;
  std::from_chars(shard.data(), shard.data() + slash, part.index);
  std::from_chars(shard.data() + slash + 1, shard.data() + shard.size(), part.total);
  return part;
}

class Merger {
 public:
  Merger(std::vector<Suite> suites, const Checks& checks)
      : suites_(std::move(suites)), checks_(checks) {}

  MergedRuns merge() {
    for (Suite& suite : suites_) add(suite);
    tell_what_was_merged();
    merged_.suite.narrowed = !is_whole();
    merged_.suite.length = merged_.verdict.length;
    finish(merged_.verdict);
    return std::move(merged_);
  }

 private:
  void add(Suite& suite) {
    const SuiteVerdict judged = judge_with(suite, checks_);
    const std::string label = label_of(suite.name);
    add_head(suite, judged, label);
    for (std::size_t i = 0; i < suite.controls.size(); ++i) {
      add_control(std::move(suite.controls[i]), judged.controls[i], label);
    }
    for (std::size_t i = 0; i < suite.recordings.size(); ++i) {
      suite.recordings[i].control = named_after(suite.recordings[i].control, label);
      add_case(std::move(suite.recordings[i]), judged.cases[i]);
    }
  }

  // Runs of different folders may have one name.
  std::string label_of(const std::string& name) {
    std::string label = name;
    for (int n = 2; !labels_.insert(label).second; ++n) label = fmt::format("{} ({})", name, n);
    return label;
  }

  static std::string named_after(const std::string& control, const std::string& label) {
    return control.empty() ? control : control + " of " + label;
  }

  void add_head(const Suite& suite, const SuiteVerdict& judged, const std::string& label) {
    auto& verdict = merged_.verdict;
    if (verdict.mishap_version.empty()) verdict.mishap_version = judged.mishap_version;
    add_new(seeds_, judged.seed);
    add_new(versions_, judged.mishap_version);
    add_new(again_, judged.again);
    for (const auto& line : judged.stopped) verdict.stopped.push_back(label + ": " + line);
    verdict.length += judged.length;
    verdict.jobs = std::max(verdict.jobs, judged.jobs);
    if (!judged.jobs_reason.empty()) verdict.jobs_reason = judged.jobs_reason;
    verdict.strict_known = verdict.strict_known || suite.strict_known;
    for (const auto& entry : suite.known) add_new(merged_.suite.known, entry);
    for (const auto& target : suite.targets) add_new(merged_.suite.targets, target);
    merged_.suite.day = std::max(merged_.suite.day, suite.day);
    if (const auto part = part_of(suite.shard); part.total != 0)
      shards_[part.total].insert(part.index);
    whole_ = whole_ && !(suite.narrowed && suite.shard.empty());
  }

  void add_control(Recording recording, CaseVerdict value, const std::string& label) {
    recording.scenario.name = value.scenario = named_after(value.scenario, label);
    merged_.suite.controls.push_back(std::move(recording));
    merged_.verdict.controls.push_back(std::move(value));
  }

  void add_case(Recording recording, CaseVerdict value) {
    const auto key = std::pair(value.pack, value.scenario);
    const auto [known, is_new] = places_.try_emplace(key, merged_.verdict.cases.size());
    if (is_new) {
      merged_.suite.recordings.push_back(std::move(recording));
      merged_.verdict.cases.push_back(std::move(value));
      return;
    }
    twice_.insert(value.scenario);
    if (rank(value) <= rank(merged_.verdict.cases[known->second])) return;
    merged_.suite.recordings[known->second] = std::move(recording);
    merged_.verdict.cases[known->second] = std::move(value);
  }

  void tell_what_was_merged() {
    auto& verdict = merged_.verdict;
    verdict.suite = suites_.empty() ? "" : suites_.front().name;
    if (suites_.size() > 1) verdict.suite += fmt::format(" and {} more", suites_.size() - 1);
    merged_.suite.name = verdict.suite;
    verdict.seed = merged_.suite.seed = seeds_.empty() ? 0 : seeds_.front();
    verdict.again = merged_.suite.again = again_.size() == 1 ? again_.front() : "";
    verdict.notes.push_back(
        fmt::format("merged from {} runs: {}", labels_.size(), fmt::join(labels_, ", ")));
    if (seeds_.size() > 1) {
      verdict.notes.push_back(fmt::format("their seeds differ: {}", fmt::join(seeds_, ", ")));
    }
    if (versions_.size() > 1) {
      verdict.notes.push_back(fmt::format("different versions of mishap recorded them: {}",
                                          fmt::join(versions_, ", ")));
    }
    if (!twice_.empty()) {
      verdict.notes.push_back(
          fmt::format("in more than one run, the worse counts: {}", fmt::join(twice_, ", ")));
    }
    tell_missing_shards();
    merged_.suite.stopped = verdict.stopped;
  }

  void tell_missing_shards() {
    for (const auto& [total, there] : shards_) {
      // A number from a stranger's file: what is missing is counted, not walked through.
      if (there.size() == total) continue;
      merged_.verdict.stopped.push_back(fmt::format(
          "only {} of {} shards are here ({}), so not everything was judged: name the runs of the "
          "others as well",
          there.size(), total, fmt::join(there, ", ")));
    }
  }

  bool is_whole() const {
    return whole_ && std::ranges::all_of(
                         shards_, [](const auto& one) { return one.second.size() == one.first; });
  }

  void finish(SuiteVerdict& verdict) {
    verdict.stale = find_stale(merged_.suite.known, verdict, merged_.suite.narrowed);
    merged_.suite.strict_known = verdict.strict_known;
    verdict.verdict = merge_suite(verdict);
    verdict.causes = find_causes(verdict, checks_);
    tell_who_judged(verdict, checks_);
  }

  std::vector<Suite> suites_;
  const Checks& checks_;
  MergedRuns merged_;
  std::set<std::string> labels_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::vector<std::uint64_t> seeds_;
  std::vector<std::string> versions_;
  std::vector<std::string> again_;
  std::set<std::string> twice_;
  std::map<std::uint64_t, std::set<std::uint64_t>> shards_;  // total -> those that are here
  bool whole_ = true;
};

}  // namespace

MergedRuns merge_runs_with(std::vector<Suite> suites, const Checks& checks) {
  return Merger(std::move(suites), checks).merge();
}

MergedRuns merge_runs(std::vector<Suite> suites) {
  return merge_runs_with(std::move(suites), check_descriptors());
}

}  // namespace mishap::client_tests
