#include <map>

#include <fmt/format.h>

#include "reports/formats/formats.h"
#include "reports/formats/xml_text.h"

namespace mishap::reports {
namespace {

using namespace client_tests;

std::string seconds_text(Duration value) {
  return fmt::format("{:.3f}", std::chrono::duration<double>(value).count());
}

std::string evidence_of(const CaseVerdict& verdict) {
  std::string text;
  for (const auto ruling : {Ruling::Fail, Ruling::Inconclusive}) {
    for (const auto& finding : verdict.findings) {
      if (finding.ruling != ruling) continue;
      text += fmt::format("{} {}: {}\n", to_string(ruling), finding.check, finding.reason);
      for (const auto& witness : finding.witnesses) text += "  " + witness.statement + "\n";
    }
  }
  for (const auto& line : verdict.timeline) {
    text += fmt::format("  {:>8} s  {}\n", seconds_text(line.at), line.text);
  }
  if (!verdict.remedy.empty()) text += "Change: " + verdict.remedy + "\n";
  return text;
}

// Line by line, since xml_text() would escape the newlines as well.
std::string xml_lines(const std::string& text) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto end = std::min(text.find('\n', at), text.size());
    result += xml_text(std::string_view(text).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return result;
}

// Of the worst fail that is known; the headline says what it is.
std::string known_message(const CaseVerdict& verdict) {
  for (const auto& finding : verdict.findings) {
    if (!finding.known || finding.known->expired) continue;
    return fmt::format("known until {} ({}): {}", finding.known->until, finding.known->reason,
                       verdict.headline);
  }
  return verdict.headline;
}

std::string element_of(const CaseVerdict& verdict) {
  const auto message = xml_text(verdict.headline);
  switch (verdict.verdict) {
    case Verdict::Pass:
      return {};
    case Verdict::NotApplicable:
      return fmt::format("      <skipped message=\"{}\"/>\n", message);
    case Verdict::Known:
      return fmt::format("      <skipped message=\"{}\"/>\n", xml_text(known_message(verdict)));
    case Verdict::Fail:
      return fmt::format("      <failure message=\"{}\">{}</failure>\n", message,
                         xml_lines(evidence_of(verdict)));
    case Verdict::Inconclusive:
      return fmt::format("      <error message=\"{}\">{}</error>\n", message,
                         xml_lines(evidence_of(verdict)));
  }
  return {};
}

std::string tries_of(const CaseVerdict& verdict) {
  if (verdict.earlier.empty()) return {};
  std::string text = "run again, alone; before that inconclusive:\n";
  for (const auto& why : verdict.earlier) text += "  " + why + "\n";
  return fmt::format("      <system-out>{}</system-out>\n", xml_lines(text));
}

std::string case_xml(const CaseVerdict& verdict, const std::string& suite) {
  const auto open =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"", xml_text(suite),
                  xml_text(verdict.scenario), seconds_text(verdict.length));
  const auto inner = element_of(verdict) + tries_of(verdict);
  return inner.empty() ? open + "/>\n" : open + ">\n" + inner + "    </testcase>\n";
}

struct Tally {
  std::string cases;
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  Duration time{};

  void add(const CaseVerdict& verdict, const std::string& suite) {
    cases += case_xml(verdict, suite);
    ++tests;
    failures += verdict.verdict == Verdict::Fail ? 1 : 0;
    errors += verdict.verdict == Verdict::Inconclusive ? 1 : 0;
    const bool passed_over =
        verdict.verdict == Verdict::NotApplicable || verdict.verdict == Verdict::Known;
    skipped += passed_over ? 1 : 0;
    time += verdict.length;
  }
  std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests, failures,
                       errors, skipped);
  }
};

// What fails or unsettles the run without being any scenario's: whoever reads this file alone must
// not take it for green.
std::vector<CaseVerdict> whole_run_cases(const SuiteVerdict& verdict) {
  std::vector<CaseVerdict> cases;
  for (const auto& line : verdict.stopped) {
    auto& made = cases.emplace_back();
    made.scenario = fmt::format("whole run {}", cases.size());
    made.headline = line;
  }
  for (const auto& entry :
       verdict.strict_known ? verdict.stale : std::vector<scenarios::KnownFinding>()) {
    auto& made = cases.emplace_back();
    made.scenario = fmt::format("known {} in {}", entry.check, entry.scenario);
    made.verdict = Verdict::Fail;
    made.headline = "known, but not met any more: take it off the list";
  }
  return cases;
}

}  // namespace

std::string render_junit(const SuiteVerdict& verdict, const Suite&, const RenderOptions&) {
  std::map<std::string, Tally> suites;
  Tally all;
  const auto add = [&](const CaseVerdict& one, const std::string& name) {
    suites[name].add(one, name);
    all.add(one, name);
  };
  for (const auto& control : verdict.controls) add(control, "control");
  for (const auto& one : whole_run_cases(verdict)) add(one, "run");
  for (const auto& one : verdict.cases) add(one, one.pack.empty() ? "scenarios" : one.pack);

  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml +=
      fmt::format("<testsuites name=\"{}\" {} time=\"{}\">\n", xml_text("mishap " + verdict.suite),
                  all.attributes(), seconds_text(verdict.length));
  for (const auto& [name, tally] : suites) {
    xml += fmt::format("  <testsuite name=\"{}\" {} time=\"{}\">\n", xml_text(name),
                       tally.attributes(), seconds_text(tally.time));
    const auto shard =
        verdict.shard.empty()
            ? ""
            : fmt::format("<property name=\"shard\" value=\"{}\"/>", xml_text(verdict.shard));
    xml += fmt::format("    <properties><property name=\"seed\" value=\"{}\"/>{}</properties>\n",
                       verdict.seed, shard);
    xml += tally.cases + "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

}  // namespace mishap::reports
