#include "client-tests/verdict/known.h"

#include <algorithm>

#include <fmt/format.h>
#include <mishap/nearest_word.h>

#include "client-tests/checks/check.h"

namespace mishap::client_tests {

using scenarios::KnownFinding;
using scenarios::matches_glob;
using scenarios::means_scenario;

namespace {

bool is_over(const KnownFinding& entry, const std::string& day) {
  return !day.empty() && entry.until < day;
}

const KnownFinding* entry_for(const Finding& finding, const ScenarioFacts& scenario,
                              const std::vector<KnownFinding>& known, const std::string& day) {
  const KnownFinding* over = nullptr;
  for (const KnownFinding& entry : known) {
    if (!means_scenario(entry, scenario.pack, scenario.name) ||
        !matches_glob(entry.check, finding.check)) {
      continue;
    }
    if (!is_over(entry, day)) return &entry;
    if (over == nullptr) over = &entry;
  }
  return over;
}

// What an entry met in the cases that it means.
struct Met {
  bool failed = false;
  bool passed = false;
  bool in_doubt = false;
};

void look_at(const CaseVerdict& value, const KnownFinding& entry, Met& met) {
  bool told = false;
  for (const Finding& finding : value.findings) {
    if (!matches_glob(entry.check, finding.check)) continue;
    told = true;
    met.failed = met.failed || finding.ruling == Ruling::Fail;
    met.passed = met.passed || finding.ruling == Ruling::Pass;
    met.in_doubt = met.in_doubt || finding.ruling == Ruling::Inconclusive ||
                   finding.ruling == Ruling::NotObserved;
  }
  met.in_doubt = met.in_doubt || (!told && value.verdict == Verdict::Inconclusive);
}

bool is_stale(const KnownFinding& entry, const SuiteVerdict& suite) {
  Met met;
  for (const auto* cases : {&suite.controls, &suite.cases}) {
    for (const CaseVerdict& value : *cases) {
      if (means_scenario(entry, value.pack, value.scenario)) look_at(value, entry, met);
    }
  }
  return met.passed && !met.failed && !met.in_doubt;
}

bool has_wildcard(const std::string& glob) {
  return glob.find_first_of("*?") != std::string::npos;
}

bool any_matches(const std::string& glob, const std::vector<std::string>& names) {
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return matches_glob(glob, name); });
}

std::vector<std::string> names_of_checks() {
  std::vector<std::string> names;
  for (const auto& entry : check_catalogue()) names.emplace_back(entry.name);
  return names;
}

// Each both ways in which it may be written.
std::vector<std::string> with_short_names(const std::vector<std::string>& scenarios) {
  std::vector<std::string> names = scenarios;
  for (const std::string& name : scenarios) {
    if (const auto slash = name.find('/'); slash != std::string::npos) {
      names.push_back(name.substr(slash + 1));
    }
  }
  return names;
}

std::string nothing_matches(std::string_view what, const std::string& glob,
                            const std::vector<std::string>& names) {
  return has_wildcard(glob) ? fmt::format("no {} is called like \"{}\"", what, glob)
                            : unknown_word(what, glob, names);
}

}  // namespace

void mark_known(std::vector<Finding>& findings, const ScenarioFacts& scenario,
                const std::vector<KnownFinding>& known, const std::string& day) {
  for (Finding& finding : findings) {
    if (finding.ruling != Ruling::Fail) continue;
    const KnownFinding* entry = entry_for(finding, scenario, known, day);
    if (entry == nullptr) continue;
    finding.known = Known{entry->reason, entry->until, is_over(*entry, day)};
    if (!finding.known->expired) continue;
    finding.warnings.push_back(fmt::format("known until {} ({}): since {} it fails again",
                                           entry->until, entry->reason,
                                           scenarios::day_after(entry->until, 1)));
  }
}

bool is_accepted(const Finding& finding) {
  return finding.ruling == Ruling::Fail && finding.known && !finding.known->expired;
}

std::vector<KnownFinding> find_stale(const std::vector<KnownFinding>& known,
                                     const SuiteVerdict& suite, bool narrowed) {
  std::vector<KnownFinding> stale;
  if (!suite.stopped.empty()) return stale;
  for (const KnownFinding& entry : known) {
    if (narrowed && has_wildcard(entry.scenario)) continue;
    if (is_stale(entry, suite)) stale.push_back(entry);
  }
  return stale;
}

Diagnostics check_known(const std::vector<KnownFinding>& known,
                        const std::vector<std::string>& scenarios) {
  Diagnostics diagnostics;
  const auto checks = names_of_checks();
  auto names = with_short_names(scenarios);
  for (const auto& shipped : scenarios::shipped_scenarios()) names.push_back(shipped.name);
  names = with_short_names(names);
  for (const KnownFinding& entry : known) {
    if (!any_matches(entry.check, checks)) {
      diagnostics.push_back(
          {Severity::Error, nothing_matches("check", entry.check, checks), entry.span});
    }
    if (!any_matches(entry.scenario, names)) {
      diagnostics.push_back(
          {Severity::Warning, nothing_matches("scenario", entry.scenario, names), entry.span});
    }
  }
  return diagnostics;
}

}  // namespace mishap::client_tests
