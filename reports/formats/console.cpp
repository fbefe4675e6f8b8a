#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "mishap/printable.h"
#include "reports/formats/formats.h"

namespace mishap::reports {
namespace {

using namespace client_tests;

constexpr std::size_t kNameWidth = 36;
constexpr std::size_t kRulingWidth = 13;

std::string paint(std::string_view text, std::string_view code, const RenderOptions& options) {
  if (!options.colour) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass:
      return "pass";
    case Verdict::Fail:
      return "FAIL";
    case Verdict::Inconclusive:
      return "inconclusive";
    case Verdict::NotApplicable:
      return "n/a";
    case Verdict::Known:
      return "known";
  }
  return "?";
}

std::string_view colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass:
      return "32";
    case Verdict::Fail:
      return "1;31";
    case Verdict::Inconclusive:
      return "33";
    case Verdict::NotApplicable:
      return "2";
    case Verdict::Known:
      return "36";
  }
  return "0";
}

std::string short_seconds(Duration value) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(value).count());
}

// Columns of a terminal, near enough: continuation bytes of UTF-8 take none.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string pad(std::string text, std::size_t width) {
  const auto has = columns(text);
  if (has < width) text.append(width - has, ' ');
  return text;
}

// Breaks at spaces; a word that is longer than a line stands alone.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  std::string line;
  const std::string margin(indent, ' ');
  std::size_t at = 0;
  while (at < text.size()) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (!line.empty() && indent + columns(line) + 1 + columns(word) > width) {
      result += margin + line + "\n";
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    at = end + 1;
  }
  if (!line.empty()) result += margin + line + "\n";
  return result;
}

std::string timeline(const std::vector<TimelineLine>& lines, std::size_t width) {
  std::string result;
  constexpr std::size_t kTextColumn = 15;
  for (const auto& line : lines) {
    const auto stamp = fmt::format("{:>11.3f}    ", std::chrono::duration<double>(line.at).count());
    auto text = wrapped(printable(line.text), kTextColumn, width);
    if (text.size() > kTextColumn) text.replace(0, kTextColumn, stamp.substr(0, kTextColumn));
    result += text;
  }
  return result;
}

std::string join(const std::vector<std::string>& words, std::string_view separator,
                 std::size_t most = 8) {
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < most; ++i) {
    text += (i == 0 ? "" : std::string(separator)) + printable(words[i]);
  }
  if (words.size() > most) text += fmt::format("{}... {} more", separator, words.size() - most);
  return text;
}

std::string cause_text(std::size_t number, const Cause& cause, const RenderOptions& options) {
  const auto width = static_cast<std::size_t>(options.width);
  std::string text = fmt::format("  {}  {}\n", number, paint(printable(cause.title), "1", options));
  text += wrapped("check: " + join(cause.checks, ", "), 5, width);
  text += wrapped("in: " + join(cause.scenarios, ", "), 5, width);
  if (!cause.consequence.empty()) text += wrapped(printable(cause.consequence), 5, width);
  text += "\n" + timeline(cause.timeline, width);
  for (const auto& inequality : cause.inequalities) {
    text += wrapped(printable(inequality), 15, width);
  }
  for (const auto& advice : cause.changes) {
    auto change = wrapped("Change: " + printable(advice), 5, width);
    text += change.replace(5, 7, paint("Change:", "1", options));
  }
  return text + "\n";
}

std::string causes_text(const SuiteVerdict& verdict, const RenderOptions& options) {
  if (verdict.causes.empty()) return {};
  const auto fails = std::ranges::count(verdict.cases, Verdict::Fail, &CaseVerdict::verdict) +
                     std::ranges::count(verdict.controls, Verdict::Fail, &CaseVerdict::verdict);
  std::string text =
      fmt::format("\n{} cause{} behind {} fail{}\n\n", verdict.causes.size(),
                  verdict.causes.size() == 1 ? "" : "s", fails, fails == 1 ? "" : "s");
  std::size_t number = 0;
  for (const auto& cause : verdict.causes) text += cause_text(++number, cause, options);
  return text;
}

std::string inconclusive_text(const SuiteVerdict& verdict, const RenderOptions& options) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& one : verdict.cases) {
    if (one.verdict == Verdict::Inconclusive) by_reason[one.headline].push_back(one.scenario);
  }
  if (by_reason.empty()) return {};
  const auto width = static_cast<std::size_t>(options.width);
  std::string text = "\ninconclusive\n";
  for (const auto& [reason, scenarios] : by_reason) {
    text += wrapped(join(scenarios, ", "), 2, width) + wrapped(printable(reason), 6, width);
  }
  return text;
}

std::string known_text(const SuiteVerdict& verdict, const RenderOptions& options) {
  std::map<std::string, std::vector<std::string>> by_entry;
  std::size_t count = 0;
  for (const auto* cases : {&verdict.controls, &verdict.cases}) {
    for (const auto& one : *cases) {
      for (const auto& finding : one.findings) {
        if (!finding.known || finding.known->expired || finding.advisory) continue;
        ++count;
        by_entry[fmt::format("{} until {}: {}", finding.check, finding.known->until,
                             printable(finding.known->reason))]
            .push_back(one.scenario);
      }
    }
  }
  if (count == 0) return {};
  const auto width = static_cast<std::size_t>(options.width);
  auto text = fmt::format("\n{} known finding{}, not counted\n", count, count == 1 ? "" : "s");
  for (const auto& [entry, scenarios] : by_entry) {
    text += wrapped(entry, 2, width) + wrapped("in " + join(scenarios, ", "), 6, width);
  }
  return text;
}

std::string stale_text(const SuiteVerdict& verdict, const RenderOptions& options) {
  if (verdict.stale.empty()) return {};
  const auto width = static_cast<std::size_t>(options.width);
  auto text = fmt::format("\nknown, but not met any more: take {} off the list{}\n",
                          verdict.stale.size() == 1 ? "it" : "them",
                          verdict.strict_known ? " (--strict-known: this fails the run)" : "");
  for (const auto& entry : verdict.stale) {
    text += wrapped(fmt::format("{} in {}, until {}: {}", printable(entry.check),
                                printable(entry.scenario), entry.until, printable(entry.reason)),
                    2, width);
  }
  return text;
}

std::string times(std::size_t count) {
  return count == 1 ? "once" : count == 2 ? "twice" : fmt::format("{} times", count);
}

std::string tries_text(const SuiteVerdict& verdict, const RenderOptions& options) {
  const auto width = static_cast<std::size_t>(options.width);
  std::string text;
  for (const auto& one : verdict.cases) {
    if (one.earlier.empty()) continue;
    text += wrapped(fmt::format("{}: inconclusive {}, then {}", printable(one.scenario),
                                times(one.earlier.size()), word_of(one.verdict)),
                    2, width);
    for (const auto& why : one.earlier) text += wrapped(printable(why), 6, width);
  }
  return text.empty() ? text : "\nrun again, alone\n" + text;
}

// Warnings that differ in their numbers only are told once, with the first one's numbers.
class Warnings {
 public:
  void add(const std::string& text, const std::string& scenario) {
    std::string kind = text;
    std::ranges::replace_if(
        kind, [](char c) { return c >= '0' && c <= '9'; }, '#');
    auto& entry = by_kind_.try_emplace(kind, text, std::vector<std::string>()).first->second;
    if (entry.second.empty() || entry.second.back() != scenario) entry.second.push_back(scenario);
  }
  bool empty() const { return by_kind_.empty(); }
  const auto& all() const { return by_kind_; }

 private:
  std::map<std::string, std::pair<std::string, std::vector<std::string>>> by_kind_;
};

// A fail that does not count is worth knowing all the same.
std::string advice(const Finding& finding) {
  if (finding.witnesses.empty()) return finding.headline;
  return finding.headline + ": " + finding.witnesses.front().statement;
}

std::string warnings_text(const SuiteVerdict& verdict, const RenderOptions& options) {
  Warnings warnings;
  for (const auto* cases : {&verdict.controls, &verdict.cases}) {
    for (const auto& one : *cases) {
      for (const auto& note : one.notes) warnings.add(note, one.scenario);
      for (const auto& finding : one.findings) {
        for (const auto& warning : finding.warnings) {
          warnings.add(finding.check + ": " + warning, one.scenario);
        }
        const bool is_advice = finding.advisory && finding.ruling == Ruling::Fail;
        if (is_advice) warnings.add(finding.check + " advises: " + advice(finding), one.scenario);
      }
    }
  }
  if (warnings.empty()) return {};
  const auto width = static_cast<std::size_t>(options.width);
  std::string text = "\nwarnings\n";
  for (const auto& [kind, told] : warnings.all()) {
    text += wrapped(printable(told.first), 2, width);
    text += wrapped("in " + join(told.second, ", ", 4), 6, width);
  }
  return text;
}

std::string judged_text(const SuiteVerdict& verdict, const RenderOptions& options) {
  if (verdict.not_observed.empty()) return {};
  return wrapped(
      fmt::format("{} of {} checks could judge; not observed: {} (mishap explain NAME says "
                  "what each needs)",
                  verdict.judged.size(), verdict.judged.size() + verdict.not_observed.size(),
                  join(verdict.not_observed, ", ", 30)),
      0, static_cast<std::size_t>(options.width));
}

std::string totals_text(const SuiteVerdict& verdict, const RenderOptions& options) {
  const auto count = [&](Verdict which) {
    return std::ranges::count(verdict.cases, which, &CaseVerdict::verdict);
  };
  const auto known = count(Verdict::Known);
  const auto stale = verdict.strict_known ? verdict.stale.size() : 0;
  auto text = fmt::format(
      "{} pass, {} fail, {}{}{} inconclusive, {} not applicable in {}", count(Verdict::Pass),
      count(Verdict::Fail), known == 0 ? "" : fmt::format("{} known, ", known),
      stale == 0 ? "" : fmt::format("{} on the list and not met, ", stale),
      count(Verdict::Inconclusive), count(Verdict::NotApplicable), short_seconds(verdict.length));
  text = fmt::format("{}: {}\n",
                     paint(word_of(verdict.verdict), colour_of(verdict.verdict), options), text);
  if (!verdict.shard.empty()) text += "shard  " + printable(verdict.shard) + "\n";
  if (!options.run_folder.empty()) text += "run    " + options.run_folder + "\n";
  if (!verdict.again.empty()) text += "again  " + printable(verdict.again) + "\n";
  return text;
}

std::string ending_text(const Recording& control) {
  if (control.processes.empty()) return "ended";
  const auto& process = control.processes.front();
  switch (process.stop) {
    case Stop::Exited:
      return fmt::format("ended {}", process.exit_code);
    case Stop::Signalled:
      return fmt::format("ended by signal {}", process.signal);
    case Stop::Stopped:
      return "service stopped";
    case Stop::Scripted:
      return "ended by the scenario";
    case Stop::Killed:
      return "never ended, so mishap ended it";
    case Stop::Interrupted:
      return "interrupted";
    case Stop::NotStarted:
      return "could not be started";
  }
  return "ended";
}

// "POST /v1/bookings (create) x3", in order of first appearance.
std::string calls_text(const Recording& control) {
  std::vector<std::pair<std::string, int>> calls;
  for (const auto& exchange : control.journal.exchanges) {
    auto call = exchange.request.method + " " + exchange.request.path;
    if (exchange.role == server::Role::Unmatched)
      call += " (no such route)";
    else if (!exchange.safe && exchange.request.method == "POST")
      call += " (create)";
    else if (exchange.safe)
      call += " (read)";
    const auto seen = std::ranges::find(calls, call, &std::pair<std::string, int>::first);
    if (seen == calls.end())
      calls.emplace_back(call, 1);
    else
      ++seen->second;
  }
  std::vector<std::string> words;
  for (const auto& [call, count] : calls) {
    words.push_back(count == 1 ? call : fmt::format("{} x{}", call, count));
  }
  return join(words, ", ", 6);
}

}  // namespace

std::string console_control(const Recording& control, const RenderOptions& options) {
  const auto count = control.journal.exchanges.size();
  auto text = fmt::format("{} request{}{}{}; {} in {}", count, count == 1 ? "" : "s",
                          count == 0 ? "" : ": ", calls_text(control), ending_text(control),
                          short_seconds(control.length));
  auto lines = wrapped(text, 10, static_cast<std::size_t>(options.width));
  lines.replace(0, 10, pad(printable(control.scenario.name), 9) + " ");
  for (const auto& exchange : control.journal.exchanges) {
    if (exchange.role != server::Role::Unmatched || exchange.note.empty()) continue;
    lines += wrapped(printable(exchange.note), 10, static_cast<std::size_t>(options.width));
    break;
  }
  return lines;
}

std::string console_line(const CaseVerdict& verdict, const RenderOptions& options) {
  const auto word =
      paint(pad(word_of(verdict.verdict), kRulingWidth), colour_of(verdict.verdict), options);
  const auto length =
      verdict.verdict == Verdict::NotApplicable ? "" : short_seconds(verdict.length);
  const auto fixed = 2 + kRulingWidth + kNameWidth + 9;
  const auto width = static_cast<std::size_t>(options.width);
  const auto room = width > fixed + 16 ? width - fixed : 16;
  auto headline = printable(verdict.headline);
  if (!verdict.earlier.empty()) headline = "run again: " + headline;
  if (columns(headline) > room) {
    // Cut at a character, never inside one.
    while (columns(headline) > room - 3 ||
           (!headline.empty() && (static_cast<unsigned char>(headline.back()) & 0xC0U) == 0xC0U)) {
      headline.pop_back();
    }
    headline += "...";
  }
  auto line = fmt::format("  {}{}{}  {:>6}", word, pad(printable(verdict.scenario), kNameWidth),
                          pad(headline, room), length);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string console_end(const SuiteVerdict& verdict, const Suite& suite,
                        const RenderOptions& options) {
  std::string text;
  for (const auto& line : verdict.stopped) {
    text += wrapped(printable(line), 10, static_cast<std::size_t>(options.width));
  }
  for (const auto& line : verdict.notes) {
    text += wrapped(printable(line), 0, static_cast<std::size_t>(options.width));
  }
  if (!verdict.jobs_reason.empty()) {
    text += wrapped("one scenario at a time: " + printable(verdict.jobs_reason), 0,
                    static_cast<std::size_t>(options.width));
  }
  text += causes_text(verdict, options);
  text += known_text(verdict, options);
  text += stale_text(verdict, options);
  text += inconclusive_text(verdict, options);
  text += tries_text(verdict, options);
  text += warnings_text(verdict, options);
  if (!text.empty()) text += "\n";
  if (!suite.recordings.empty()) text += judged_text(verdict, options);
  return text + totals_text(verdict, options);
}

std::string render_console(const SuiteVerdict& verdict, const Suite& suite,
                           const RenderOptions& given) {
  auto options = given;
  options.colour = false;
  std::string text;
  for (const auto& control : suite.controls) text += console_control(control, options);
  for (const auto& one : verdict.cases) text += console_line(one, options) + "\n";
  return text + console_end(verdict, suite, options);
}

}  // namespace mishap::reports
