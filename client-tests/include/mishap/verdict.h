#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mishap/known.h"
#include "mishap/parameters.h"
#include "mishap/recording.h"

namespace mishap::client_tests {

enum class Ruling { Pass, Fail, Inconclusive, NotApplicable, NotObserved };
std::string_view to_string(Ruling ruling);  // "pass", "fail", "inconclusive", "not_applicable" ...

// The exchanges and effects a finding rests on, and the inequality that held or broke.
struct Witness {
  std::string statement;  // "gap 0.31 s < Retry-After 2 s - 0.05 s"
  std::vector<std::uint64_t> exchanges;
  std::vector<std::uint64_t> effects;
  std::uint64_t operation = 0;  // 0: none
};

// What an entry of the known list says about a fail that it means.
struct Known {
  std::string reason;
  std::string until;     // the last day on which it holds
  bool expired = false;  // that day is over: the fail counts
};

struct Finding {
  std::string check;
  Ruling ruling = Ruling::NotApplicable;
  bool advisory = false;  // a fail of an advisory check is printed and does not count
  std::string headline;   // a few words: "2 bookings for one operation"
  std::string reason;     // one sentence; for not_applicable and inconclusive what was missing
  std::vector<Witness> witnesses;
  std::vector<std::string> warnings;
  std::optional<Known> known;  // of a fail
};

// Known: all fails that count are known ones; it does not fail the suite.
enum class Verdict { Pass, Fail, Inconclusive, NotApplicable, Known };
std::string_view to_string(Verdict verdict);

// A moment in the picture of a fail.
struct TimelineLine {
  Duration at{};
  std::uint64_t exchange = 0;  // 0: none
  std::string text;
};

struct CaseVerdict {
  std::string scenario;
  std::string pack;
  bool is_control = false;
  Verdict verdict = Verdict::Inconclusive;
  std::string headline;  // for the one line of the console
  std::string consequence;
  std::string remedy;
  Duration length{};
  std::vector<Finding> findings;       // in the catalogue's order
  std::vector<TimelineLine> timeline;  // of the attempts that the worst finding cites
  std::vector<std::string> notes;      // what the driver wants said
  std::vector<std::string> earlier;    // why each try before this one was inconclusive
};

// Fails with one cause: the same check, or checks that follow from one another.
struct Cause {
  std::string title;
  std::vector<std::string> checks;
  std::vector<std::string> scenarios;  // worst first
  std::string consequence;             // why it matters
  std::vector<std::string> changes;    // a sentence for each of the checks, in their order
  std::vector<TimelineLine> timeline;  // of the first scenario
  std::vector<std::string> inequalities;
};

struct SuiteVerdict {
  std::string suite;
  std::string mishap_version;
  std::uint64_t seed = 0;
  std::string again;
  Verdict verdict = Verdict::Inconclusive;  // fail > inconclusive > pass
  std::vector<std::string> stopped;
  std::vector<std::string> notes;              // about the suite as a whole: what was merged
  std::string shard;                           // "2/4"; empty: the whole
  std::vector<scenarios::KnownFinding> stale;  // known findings that were not met any more
  bool strict_known = false;                   // and fail the suite therefore
  Duration length{};
  int jobs = 1;
  std::string jobs_reason;
  std::vector<CaseVerdict> controls;
  std::vector<CaseVerdict> cases;
  std::vector<Cause> causes;
  std::vector<std::string> judged;        // checks that could judge at least once
  std::vector<std::string> not_observed;  // checks that never could, for want of evidence
};

// Pure: the same suite gives the same verdict, byte for byte once rendered. A check that throws is
// inconclusive.
SuiteVerdict judge(const Suite& suite);

// Why another run may settle what this one did not: a late mock, a fault that did not happen, lost
// records, a client that was killed. Empty where the case is decided, or would end like this again.
// `control` and `comparison` may be null.
std::string why_run_again(const Recording& recording, const Recording* control,
                          const Recording* comparison);

// Several runs told as one: shards of one suite, or repeated runs. Each case keeps the verdict that
// it has in its own run; of a scenario that is in several the worse one counts. Controls are named
// after their runs. A shard that is missing among others is said and leaves the whole inconclusive.
struct MergedRuns {
  Suite suite;  // recordings in the order of the cases
  SuiteVerdict verdict;
};
MergedRuns merge_runs(std::vector<Suite> suites);

// Names in a known list that mean nothing: a check that does not exist is an error; a scenario that
// is neither shipped nor in `scenarios` ("name" or "pack/name") is a warning.
Diagnostics check_known(const std::vector<scenarios::KnownFinding>& known,
                        const std::vector<std::string>& scenarios);

// Gives the checks of a scenario their meaning: unknown names, bad parameters, checks whose
// evidence the scenario cannot give, counts in a shipped pack.
Diagnostics check_expectations(const scenarios::Scenario& scenario);

std::vector<CatalogueEntry> check_catalogue();

}  // namespace mishap::client_tests
