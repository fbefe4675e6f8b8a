#include "client-tests/verdict/causes.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "client-tests/checks/check.h"
#include "client-tests/verdict/merging.h"

namespace mishap::client_tests {

namespace {

constexpr std::size_t kTitleLength = 100;
constexpr std::size_t kInequalitiesShown = 5;

bool are_kin(std::string_view a, std::string_view b) {
  const CheckDescriptor* first = find_check(a);
  const CheckDescriptor* second = find_check(b);
  if (first == nullptr || second == nullptr) return false;
  return std::ranges::any_of(first->families, [&](Family family) {
    return std::ranges::find(second->families, family) != second->families.end();
  });
}

struct Group {
  std::string check;  // the most severe failing one of each of its cases
  std::vector<const CaseVerdict*> cases;
};

using Groups = std::vector<Group>;

bool fails_check(const CaseVerdict& value, std::string_view check) {
  const Finding* finding = finding_of(value.findings, check);
  return finding && is_counted_fail(*finding);
}

std::size_t count_fails(const CaseVerdict& value) {
  return static_cast<std::size_t>(
      std::count_if(value.findings.begin(), value.findings.end(), is_counted_fail));
}

void add_case(const CaseVerdict& value, const Checks& checks, Groups& groups) {
  if (value.verdict != Verdict::Fail) return;
  const Finding* worst = deciding_finding(value.findings, Verdict::Fail, checks);
  if (!worst) return;
  const auto known = std::find_if(groups.begin(), groups.end(),
                                  [&](const Group& group) { return group.check == worst->check; });
  if (known == groups.end()) {
    groups.push_back({worst->check, {&value}});
  } else {
    known->cases.push_back(&value);
  }
}

Groups group_by_worst(const SuiteVerdict& suite, const Checks& checks) {
  Groups groups;
  for (const CaseVerdict& value : suite.controls) add_case(value, checks, groups);
  for (const CaseVerdict& value : suite.cases) add_case(value, checks, groups);
  const auto place = [&](const std::string& name) {
    return std::find_if(checks.begin(), checks.end(), [&](auto* c) { return c->name == name; }) -
           checks.begin();
  };
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    const int worse = severity_of(checks, a.check) - severity_of(checks, b.check);
    return worse != 0 ? worse > 0 : place(a.check) < place(b.check);
  });
  return groups;
}

bool follows_from(const Group& group, const Group& worse) {
  return are_kin(group.check, worse.check) &&
         std::any_of(worse.cases.begin(), worse.cases.end(),
                     [&](const auto* value) { return fails_check(*value, group.check); });
}

Groups join_followers(const Groups& groups) {
  Groups joined;
  for (const Group& group : groups) {
    const auto worse = std::find_if(joined.begin(), joined.end(),
                                    [&](const Group& g) { return follows_from(group, g); });
    if (worse == joined.end()) {
      joined.push_back(group);
    } else {
      worse->cases.insert(worse->cases.end(), group.cases.begin(), group.cases.end());
    }
  }
  return joined;
}

// Those that show the group's own check come first, of those the ones where most went wrong.
void put_worst_first(Group& group) {
  std::stable_sort(group.cases.begin(), group.cases.end(), [&](const auto* a, const auto* b) {
    const bool shows_a = fails_check(*a, group.check);
    const bool shows_b = fails_check(*b, group.check);
    return shows_a != shows_b ? shows_a : count_fails(*a) > count_fails(*b);
  });
}

std::string title_of(const Finding& finding) {
  std::string title = finding.reason.empty() || finding.reason.size() > kTitleLength
                          ? finding.headline
                          : finding.reason;
  if (title.empty()) title = finding.check;
  if (title.ends_with('.')) title.pop_back();
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

// In the catalogue's order, but the group's own check first.
std::vector<std::string> checks_of(const Group& group, const Checks& checks) {
  std::vector<std::string> names{group.check};
  for (const CheckDescriptor* check : checks) {
    if (check->name == group.check) continue;
    const bool failed = std::any_of(group.cases.begin(), group.cases.end(), [&](const auto* value) {
      return fails_check(*value, check->name);
    });
    if (failed) names.emplace_back(check->name);
  }
  return names;
}

std::vector<std::string> inequalities_of(const CaseVerdict& value) {
  std::vector<std::string> statements;
  std::unordered_set<std::string_view> told;
  for (const Finding& finding : value.findings) {
    if (!is_counted_fail(finding)) continue;
    for (const Witness& witness : finding.witnesses) {
      const std::string& statement = witness.statement;
      const bool is_new = !statement.empty() && told.insert(statement).second;
      if (is_new && told.size() <= kInequalitiesShown) statements.push_back(statement);
    }
  }
  if (told.size() > kInequalitiesShown) {
    statements.push_back(fmt::format("and {} more", told.size() - kInequalitiesShown));
  }
  return statements;
}

const CheckDescriptor* descriptor_of(const std::string& check, const Checks& checks) {
  const auto found =
      std::find_if(checks.begin(), checks.end(), [&](const auto* c) { return c->name == check; });
  return found == checks.end() ? nullptr : *found;
}

// The advice of every check that failed: whoever follows it all has nothing left to find out in a
// second round.
std::vector<std::string> changes_for(const std::vector<std::string>& names, const Checks& checks) {
  std::vector<std::string> changes;
  for (const std::string& name : names) {
    if (const auto* check = descriptor_of(name, checks)) changes.emplace_back(check->change);
  }
  return changes;
}

Cause cause_of(Group group, const Checks& checks) {
  put_worst_first(group);
  const CaseVerdict& shown = *group.cases.front();
  Cause cause;
  cause.title = title_of(*finding_of(shown.findings, group.check));
  cause.checks = checks_of(group, checks);
  cause.changes = changes_for(cause.checks, checks);
  if (const auto* check = descriptor_of(group.check, checks)) cause.consequence = check->why;

  cause.timeline = shown.timeline;
  cause.inequalities = inequalities_of(shown);
  for (const CaseVerdict* value : group.cases) {
    cause.scenarios.push_back(value->scenario);
    if (cause.consequence.empty()) cause.consequence = value->consequence;
  }
  return cause;
}

}  // namespace

std::vector<Cause> find_causes(const SuiteVerdict& suite, const Checks& checks) {
  std::vector<Cause> causes;
  for (Group& group : join_followers(group_by_worst(suite, checks))) {
    causes.push_back(cause_of(std::move(group), checks));
  }
  return causes;
}

}  // namespace mishap::client_tests
