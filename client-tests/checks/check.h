#pragma once

#include <string_view>
#include <vector>

#include "mishap/history.h"
#include "mishap/parameters.h"
#include "mishap/recording.h"
#include "mishap/verdict.h"

// What a check is: one file, one descriptor, one pure function of what was recorded. No I/O, no
// clock, no chance, no other check.
namespace mishap::client_tests {

// Numbers a check compares with: what was promised, else the generous defaults of checks.md.
struct Bounds {
  std::int64_t max_attempts = 8;
  Duration attempt_timeout = std::chrono::seconds(30);
  Duration deadline = std::chrono::seconds(120);
  Duration max_delay = std::chrono::seconds(120);
  bool attempt_timeout_promised = false;
  bool deadline_promised = false;
  bool max_attempts_promised = false;
  std::optional<bool> retries;  // promised or denied; absent: nothing said
};
Bounds bounds_of(const scenarios::Promise& promise);

// Tolerances of checks.md section 1, rule 6.
inline constexpr Duration kEarly = std::chrono::milliseconds(50);
inline constexpr Duration kEarlyDate = std::chrono::seconds(1);
Duration late_tolerance(Duration value);  // max(250 ms, 10 %)

// Everything a check may look at.
struct Case {
  const Recording& recording;
  const History& history;
  const Recording* control = nullptr;  // the healthy run; null in the control itself
  const History* control_history = nullptr;
  const Recording* comparison = nullptr;  // of `compare_with`; null: none asked or none there
  const History* comparison_history = nullptr;
  // Where the client was run again: `recording` and `history` are the first run alone, as if there
  // had been no other, and these have all runs. Null: there was one.
  const Recording* whole = nullptr;
  const History* whole_history = nullptr;
  Bounds bounds;
};

// Checks that break together when one thing is wrong in a client. Only where both also broke in the
// same scenario are they taken for one cause.
enum class Family { SecondEffect, WaitingWithoutEnd, Pace, Permanent, Truth, Crash };

struct CheckDescriptor {
  std::string_view name;
  std::string_view summary;  // what it proves, one line
  std::string_view rule;     // the inequality
  std::string_view judged;   // on what occasions
  std::string_view why;      // one sentence
  std::string_view change;   // what to change in a client that fails
  std::string_view source;   // RFC section, draft, paper
  std::string_view since;
  std::vector<ParamSpec> params{};
  bool advisory = false;
  bool on_control = false;  // also judged on the control run
  bool on_faults = true;    // judged on runs with faults
  bool timing = false;      // rests on fine timing: not judged where evidence_clean is in doubt
  int severity = 50;        // worst consequence first: 100 duplicates an effect, 0 is cosmetic
  std::vector<Family> families{};
  Finding (*evaluate)(const Case& c, const Params& params) = nullptr;
};

// In the order in which findings are listed.
const std::vector<const CheckDescriptor*>& check_descriptors();
const CheckDescriptor* find_check(std::string_view name);

// Short makers, so that a check reads as its rule.
Finding passed(std::string headline);
Finding failed(std::string headline, std::string reason, std::vector<Witness> witnesses);
Finding inconclusive(std::string reason, std::vector<Witness> witnesses = {});
Finding not_applicable(std::string reason);
Finding not_observed(std::string reason);

// "1.72 s", "0.004 s": seconds as people read them.
std::string seconds(Duration value);

}  // namespace mishap::client_tests
