#include "client-tests/verdict/headline.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mishap/printable.h"

namespace mishap::client_tests {

namespace {

constexpr std::size_t kGapsShown = 6;
constexpr std::size_t kCallsShown = 4;
constexpr std::size_t kCallLength = 60;

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

const Operation* busiest(const History& history) {
  const auto most = std::max_element(
      history.operations.begin(), history.operations.end(),
      [](const Operation& a, const Operation& b) { return a.policy_attempts < b.policy_attempts; });
  return most == history.operations.end() ? nullptr : &*most;
}

std::string gaps_of(const Operation& operation) {
  std::vector<Duration> gaps;
  for (const Attempt& attempt : operation.attempts) {
    if (attempt.gap) gaps.push_back(*attempt.gap);
  }
  if (gaps.empty()) return "";
  std::string text = gaps.size() == 1 ? ", gap" : ", gaps";
  for (std::size_t i = 0; i < std::min(gaps.size(), kGapsShown); ++i) {
    text += fmt::format(" {:.2f}", std::chrono::duration<double>(gaps[i]).count());
  }
  return text + (gaps.size() > kGapsShown ? " … s" : " s");
}

using Calls = std::vector<std::pair<std::string, std::uint64_t>>;

Calls calls_of(const Recording& recording) {
  Calls calls;
  std::unordered_map<std::string, std::size_t> places;
  for (const auto& exchange : recording.journal.exchanges) {
    std::string call =
        printable(exchange.request.method + " " + exchange.request.path, kCallLength);
    const auto [place, is_new] = places.try_emplace(call, calls.size());
    if (is_new) calls.emplace_back(std::move(call), 0);
    ++calls[place->second].second;
  }
  return calls;
}

std::string ending_of(const ProcessFacts& process) {
  switch (process.stop) {
    case Stop::Exited:
      return fmt::format("ended {} in {}", process.exit_code,
                         seconds(process.ended - process.started));
    case Stop::Signalled:
      return fmt::format("ended by signal {} in {}", process.signal,
                         seconds(process.ended - process.started));
    case Stop::Stopped:
      return fmt::format("service stopped after {}", seconds(process.ended - process.started));
    case Stop::Scripted:
      return fmt::format("ended by the scenario after {}",
                         seconds(process.ended - process.started));
    case Stop::Killed:
      return fmt::format("had not ended after {}", seconds(process.ended - process.started));
    case Stop::Interrupted:
      return "interrupted";
    case Stop::NotStarted:
      return "could not be started";
  }
  return "?";
}

}  // namespace

std::string attempts_headline(const History& history) {
  const Operation* operation = busiest(history);
  if (!operation) return "no request";
  const auto wire = operation->attempts.size();
  std::string text = counted(operation->policy_attempts, "attempt");
  if (wire > operation->policy_attempts) {
    text += fmt::format(" and {}", counted(wire - operation->policy_attempts, "resend"));
  }
  return text + gaps_of(*operation);
}

std::string control_headline(const Recording& control) {
  const Calls calls = calls_of(control);
  std::string text = counted(control.journal.exchanges.size(), "request");
  for (std::size_t i = 0; i < std::min(calls.size(), kCallsShown); ++i) {
    text += (i == 0 ? ": " : ", ") + calls[i].first;
    if (calls[i].second > 1) text += fmt::format(" x{}", calls[i].second);
  }
  if (calls.size() > kCallsShown) text += fmt::format(", {} more", calls.size() - kCallsShown);
  if (!control.processes.empty()) text += "; " + ending_of(control.processes.front());
  return text;
}

}  // namespace mishap::client_tests
