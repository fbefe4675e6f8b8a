#include <nlohmann/json.hpp>

#include "mishap/printable.h"
#include "reports/formats/formats.h"

namespace mishap::reports {
namespace {

using Json = nlohmann::ordered_json;
using namespace client_tests;

// Milliseconds with three decimals: exact enough for a wire, and equal bytes for equal input.
double milliseconds(Duration value) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(value).count()) /
         1000.0;
}

Json texts(const std::vector<std::string>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(printable(value));
  return list;
}

Json witness_json(const Witness& witness) {
  Json json = {{"statement", printable(witness.statement)},
               {"exchanges", witness.exchanges},
               {"effects", witness.effects}};
  if (witness.operation != 0) json["operation"] = witness.operation;
  return json;
}

Json finding_json(const Finding& finding) {
  Json witnesses = Json::array();
  for (const auto& witness : finding.witnesses) witnesses.push_back(witness_json(witness));
  Json json = {{"check", finding.check},
               {"ruling", to_string(finding.ruling)},
               {"advisory", finding.advisory},
               {"headline", printable(finding.headline)},
               {"reason", printable(finding.reason)},
               {"witnesses", std::move(witnesses)},
               {"warnings", texts(finding.warnings)}};
  if (finding.known) {
    json["known"] = {{"reason", printable(finding.known->reason)},
                     {"until", finding.known->until},
                     {"expired", finding.known->expired}};
  }
  return json;
}

Json timeline_json(const std::vector<TimelineLine>& timeline) {
  Json lines = Json::array();
  for (const auto& line : timeline) {
    Json json = {{"at_ms", milliseconds(line.at)}, {"text", printable(line.text)}};
    if (line.exchange != 0) json["exchange"] = line.exchange;
    lines.push_back(std::move(json));
  }
  return lines;
}

Json case_json(const CaseVerdict& verdict) {
  Json findings = Json::array();
  for (const auto& finding : verdict.findings) findings.push_back(finding_json(finding));
  return {{"scenario", verdict.scenario},
          {"pack", verdict.pack},
          {"verdict", to_string(verdict.verdict)},
          {"headline", printable(verdict.headline)},
          {"consequence", printable(verdict.consequence)},
          {"remedy", printable(verdict.remedy)},
          {"duration_ms", milliseconds(verdict.length)},
          {"findings", std::move(findings)},
          {"timeline", timeline_json(verdict.timeline)},
          {"notes", texts(verdict.notes)},
          {"earlier", texts(verdict.earlier)}};
}

Json stale_json(const scenarios::KnownFinding& entry) {
  return {{"scenario", printable(entry.scenario)},
          {"check", printable(entry.check)},
          {"reason", printable(entry.reason)},
          {"until", printable(entry.until)}};
}

Json cause_json(const Cause& cause) {
  return {{"title", printable(cause.title)},          {"checks", cause.checks},
          {"scenarios", texts(cause.scenarios)},      {"consequence", printable(cause.consequence)},
          {"changes", texts(cause.changes)},          {"inequalities", texts(cause.inequalities)},
          {"timeline", timeline_json(cause.timeline)}};
}

template <typename T, typename F>
Json list_of(const std::vector<T>& values, F make) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(make(value));
  return list;
}

}  // namespace

std::string render_json(const SuiteVerdict& verdict, const Suite& suite, const RenderOptions&) {
  const Json json = {
      {"format", 1},
      {"mishap", verdict.mishap_version},
      {"suite", verdict.suite},
      {"seed", verdict.seed},
      {"again", printable(verdict.again)},
      {"client", suite.controls.empty() ? Json::array() : texts(suite.controls.front().command)},
      {"verdict", to_string(verdict.verdict)},
      {"duration_ms", milliseconds(verdict.length)},
      {"jobs", verdict.jobs},
      {"jobs_reason", printable(verdict.jobs_reason)},
      {"stopped", texts(verdict.stopped)},
      {"notes", texts(verdict.notes)},
      {"shard", printable(verdict.shard)},
      {"stale", list_of(verdict.stale, stale_json)},
      {"strict_known", verdict.strict_known},
      {"causes", list_of(verdict.causes, cause_json)},
      {"controls", list_of(verdict.controls, case_json)},
      {"cases", list_of(verdict.cases, case_json)},
      {"judged", verdict.judged},
      {"not_observed", verdict.not_observed}};
  return json.dump(2) + "\n";
}

}  // namespace mishap::reports
