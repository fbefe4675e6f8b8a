#include "client-tests/driver/served.h"

#include <algorithm>

#include <fmt/format.h>

#include "client-tests/driver/controls.h"
#include "mishap/server.h"

namespace mishap::client_tests {
namespace {

bool was_called(const Recording& recording) {
  return !recording.journal.exchanges.empty() || !recording.journal.connections.empty();
}

bool has_hit(const auto& records) {
  return std::ranges::any_of(records, [](const auto& record) { return !record.rules.empty(); });
}

// A rule met something, or a call came that one is about although its counters passed it over.
bool was_reached(const scenarios::Scenario& scenario, const Recording& recording) {
  if (scenario.rules.empty()) return true;
  const auto& journal = recording.journal;
  if (has_hit(journal.connections) || has_hit(journal.exchanges) || has_hit(journal.spells)) {
    return true;
  }
  auto rules = recording.scenario.rules;
  return mark_called(scenario, recording, rules);
}

std::string what_rules_are_about(const Recording& recording) {
  std::string list;
  for (const auto& rule : recording.scenario.rules) {
    if (list.find(rule.on) != std::string::npos) continue;
    list += (list.empty() ? "" : ", ") + rule.on;
  }
  return list;
}

const server::Exchange* first_unmatched(const Recording& recording) {
  const auto found = std::ranges::find(recording.journal.exchanges, server::Role::Unmatched,
                                       &server::Exchange::role);
  return found == recording.journal.exchanges.end() ? nullptr : &*found;
}

std::string why_not_reached(const Recording& recording) {
  auto text = "no such call came: " + what_rules_are_about(recording);
  if (const auto* unmatched = first_unmatched(recording)) {
    text += fmt::format("; {} {} was answered {}", unmatched->request.method,
                        unmatched->request.path, unmatched->answer.status);
  }
  return text;
}

bool joins_by_content_alone(const Recording& recording) {
  return std::ranges::any_of(recording.journal.exchanges, [](const server::Exchange& exchange) {
    return exchange.identity.by == server::IdentifiedBy::Content && exchange.identity.attempt > 1;
  });
}

class Assembly {
 public:
  explicit Assembly(std::vector<ServedRun> runs) : runs_(std::move(runs)) {}

  Suite suite() {
    for (auto& run : runs_) {
      if (!was_called(run.recording)) run.recording.not_run = "no request came";
    }
    for (const auto& run : runs_) {
      if (run.only_control && run.recording.not_run.empty()) add_control(run);
    }
    for (const auto& run : runs_) {
      const bool healthy = run.scenario->rules.empty() && run.recording.not_run.empty();
      if (healthy && control_for(*run.scenario) == nullptr) add_control(run);
    }
    for (auto& run : runs_) {
      if (!run.only_control) suite_.recordings.push_back(prepared(run));
    }
    return std::move(suite_);
  }

 private:
  void add_control(const ServedRun& run) {
    auto control = run.recording;
    const auto number = suite_.controls.size() + 1;
    control.is_control = true;
    control.scenario.name = number == 1 ? "control" : fmt::format("control-{}", number);
    suite_.controls.push_back(std::move(control));
    of_control_.push_back(run.scenario);
  }

  const Recording* control_for(const scenarios::Scenario& scenario) const {
    for (std::size_t i = 0; i < of_control_.size(); ++i) {
      if (same_vendor(*of_control_[i], scenario)) return &suite_.controls[i];
    }
    return nullptr;
  }

  Recording prepared(ServedRun& run) const {
    auto recording = std::move(run.recording);
    if (!recording.not_run.empty() || run.scenario->rules.empty()) return recording;
    const auto* control = control_for(*run.scenario);
    bool called = false;
    if (control != nullptr) {
      recording.control = control->scenario.name;
      called = mark_called(*run.scenario, *control, recording.scenario.rules);
    }
    if (!called && !was_reached(*run.scenario, recording)) {
      recording.not_run = why_not_reached(recording);
    }
    if (control == nullptr && joins_by_content_alone(recording)) {
      recording.notes.push_back(
          "no healthy control was run: equal calls without a reference or a key are taken for "
          "attempts of one operation");
    }
    return recording;
  }

  std::vector<ServedRun> runs_;
  Suite suite_;
  std::vector<const scenarios::Scenario*> of_control_;  // as suite_.controls
};

}  // namespace

Suite suite_of(std::vector<ServedRun> runs) {
  return Assembly(std::move(runs)).suite();
}

}  // namespace mishap::client_tests
