#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// Kinds of failure are told apart.
namespace mishap::client_tests {

namespace {

constexpr std::size_t kAll = 5;  // without the open breaker, which not everybody has

// Of one attempt; nothing for an outage (5xx), which is no kind of its own in the mission.
std::optional<std::string> kind_of(const Attempt& attempt) {
  if (attempt.result == Result::Abandoned) return "timeout";
  if (attempt.result == Result::Broken) return "network";
  if (status_of(attempt) == 429) return "throttling";
  if (attempt.result == Result::Spoiled) return "invalid response";
  if (is_permanent(attempt)) return "permanent";
  return std::nullopt;
}

// Only where all attempts failed in one way is it known which failure a label is about.
std::optional<std::string> kind_of(const Operation& operation) {
  const auto kind = kind_of(operation.attempts.front());
  for (const Attempt& attempt : operation.attempts) {
    if (kind_of(attempt) != kind) return std::nullopt;
  }
  return kind;
}

struct Label {
  std::string text;
  const Operation* operation = nullptr;
};

// A client killed in the middle has written no last line, so what is here is what it meant.
std::map<std::string, std::vector<Label>> labels_by_kind(const Case& c) {
  std::map<std::string, std::vector<Label>> labels;
  for (const Operation& operation : c.history.operations) {
    if (operation.outcomes.empty()) continue;
    const OutcomeLine& line = *operation.outcomes.back();
    const auto kind = kind_of(operation);
    if (!kind || line.outcome == OutcomeKind::Succeeded) continue;
    labels[*kind].push_back({line.category, &operation});
  }
  return labels;
}

Finding judge(const std::map<std::string, std::vector<Label>>& labels) {
  std::map<std::string, std::string> kind_by_label;
  Tally tally;
  for (const auto& [kind, of_kind] : labels) {
    std::set<std::string> texts;
    for (const Label& label : of_kind) texts.insert(label.text);
    if (texts.size() > 1) tally.warn(fmt::format("{} has {} labels", kind, texts.size()));
    for (const Label& label : of_kind) {
      const auto known = kind_by_label.try_emplace(label.text, kind).first;
      const bool is_own = known->second == kind;
      Witness cited = witness(
          *label.operation,
          is_own ? fmt::format("{}: {} is called \"{}\"", label.operation->name, kind, label.text)
                 : fmt::format("{}: {} is called \"{}\", as {} is", label.operation->name, kind,
                               label.text, known->second));
      is_own ? tally.held(std::move(cited)) : tally.broke(std::move(cited));
    }
  }
  return tally.settle({.failed = "different failures have one name",
                       .reason = "The category of an outcome line does not tell what went wrong.",
                       .held = fmt::format("{} of {} kinds told apart", labels.size(), kAll)});
}

Finding evaluate(const Case& c, const Params&) {
  if (!writes_outcomes(c)) return not_observed("the client writes no outcome lines");
  auto labels = labels_by_kind(c);
  if (labels.size() < 2) {
    return not_applicable("fewer than two kinds of failure were reported in this run");
  }
  const bool has_any = std::ranges::any_of(labels, [](const auto& entry) {
    return std::ranges::any_of(entry.second, [](const Label& l) { return !l.text.empty(); });
  });
  if (!has_any) return not_observed("the outcome lines have no category");
  return judge(labels);
}

}  // namespace

const CheckDescriptor kErrorCategoryDistinct = {
    .name = "error_category_distinct",
    .summary = "timeout, network, throttling, permanent and invalid answer are told apart",
    .rule = "no two kinds of failure have the same category in the outcome lines",
    .judged =
        "runs in which operations were given up after two kinds of failure or more, each after one "
        "kind only; of a client that writes a category",
    .why =
        "\"Request failed\" tells nobody whether to wait, to fix the input or to call the vendor.",
    .change = "Name the category where the failure is first seen, and keep it to the last line.",
    .source = "mission B48 (six categories)",
    .since = "0.1",
    .severity = 33,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
