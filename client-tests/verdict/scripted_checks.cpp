#include "client-tests/verdict/scripted_checks.h"

#include <array>
#include <stdexcept>

namespace mishap::client_tests {

namespace {

constexpr std::array<std::string_view, 8> kNames{
    "fault_activated",          "baseline_healthy",    "evidence_clean",   "no_duplicate_effects",
    "no_blind_retry_of_unsafe", "retry_after_honored", "outcome_truthful", "advice"};
constexpr std::array<int, 8> kSeverities{0, 0, 0, 100, 90, 60, 80, 10};

Finding made(std::string_view ruling, const std::string& headline) {
  if (ruling == "throw") throw std::runtime_error("a bug");
  if (ruling == "pass") return passed(headline);
  if (ruling == "fail") {
    return failed(
        headline, "",
        {{.statement = headline + ": 2 > 1", .exchanges = {1}, .effects = {}, .operation = 1}});
  }
  if (ruling == "inconclusive") return inconclusive(headline);
  return ruling == "not_observed" ? not_observed(headline) : not_applicable(headline);
}

template <std::size_t I>
Finding scripted(const Case& value, const Params&) {
  const std::string prefix = std::string(kNames[I]) + "=";
  for (const std::string& note : value.recording.notes) {
    if (!note.starts_with(prefix)) continue;
    const std::size_t bar = note.find('|');
    return made(note.substr(prefix.size(), bar - prefix.size()), note.substr(bar + 1));
  }
  return not_applicable("nothing scripted");
}

template <std::size_t I>
const CheckDescriptor* descriptor() {
  static const CheckDescriptor kCheck = [] {
    CheckDescriptor check;
    check.name = kNames[I];
    check.change = "do better";
    check.params = {{.name = "limit", .type = ParamType::Integer, .default_text = "1"}};
    check.severity = kSeverities[I];
    check.on_control = kNames[I] == "baseline_healthy";
    check.on_faults = !check.on_control;
    check.timing = kNames[I] == "retry_after_honored";
    check.advisory = kNames[I] == "advice";
    check.evaluate = scripted<I>;
    return check;
  }();
  return &kCheck;
}

}  // namespace

Checks scripted_checks() {
  return {descriptor<0>(), descriptor<1>(), descriptor<2>(), descriptor<3>(),
          descriptor<4>(), descriptor<5>(), descriptor<6>(), descriptor<7>()};
}

void script(RecordingBuilder& run, const std::string& check, Ruling ruling,
            const std::string& headline) {
  run.recording().notes.push_back(check + "=" + std::string(to_string(ruling)) + "|" + headline);
}

void script_throw(RecordingBuilder& run, const std::string& check) {
  run.recording().notes.push_back(check + "=throw|");
}

}  // namespace mishap::client_tests
