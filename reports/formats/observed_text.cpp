#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "mishap/observed_report.h"
#include "mishap/printable.h"

namespace mishap::reports {

namespace {

using client_tests::AttemptsSeen;
using client_tests::BackoffSeen;
using client_tests::GrowthSeen;
using client_tests::Observed;

std::string line(std::string_view name, std::string_view value) {
  std::string text = fmt::format("{:<17}{}", name, value);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string seconds(double value) {
  return fmt::format("{:.2f} s", value);
}

std::string count_of(const AttemptsSeen& row) {
  std::string text = row.least == row.most ? std::to_string(row.most)
                                           : fmt::format("{} to {}", row.least, row.most);
  if (row.stopped) text += " or more";
  if (row.uncertain) text += " ?";
  return text;
}

// One row for each failure, one column for each method.
std::string attempts_text(const Observed& observed) {
  if (observed.attempts.empty()) return line("attempts", "no call failed for good");
  std::vector<std::string> methods;
  std::map<std::string, std::map<std::string, const AttemptsSeen*>> rows;
  for (const AttemptsSeen& row : observed.attempts) {
    if (std::ranges::find(methods, row.method) == methods.end()) methods.push_back(row.method);
    rows[row.failure][row.method] = &row;
  }
  std::string head;
  for (const std::string& method : methods) head += fmt::format("{:<14}", printable(method));
  std::string text = line("attempts", head);
  for (const auto& [failure, by_method] : rows) {
    std::string cells;
    for (const std::string& method : methods) {
      const auto found = by_method.find(method);
      cells +=
          fmt::format("{:<14}", found == by_method.end() ? "not seen" : count_of(*found->second));
    }
    text += line("  " + failure, cells);
  }
  const auto is_uncertain = [](const AttemptsSeen& row) { return row.uncertain; };
  if (std::ranges::any_of(observed.attempts, is_uncertain)) {
    text +=
        line("", "?: the client makes equal calls, and one of them may be counted as an attempt");
  }
  return text;
}

std::string refused_text(const Observed& observed) {
  if (!observed.refused) return line("  refused", "not seen");
  return line("  refused", fmt::format("{} connects, where the healthy run makes {} calls",
                                       observed.refused->connects, observed.refused->calls));
}

std::string growth_text(const BackoffSeen& seen) {
  const std::string first = seen.first_at_once ? "the first retry comes at once; then " : "";
  const std::string of = fmt::format("{} calls ({}), {} waits each", seen.calls,
                                     printable(seen.method), seen.medians.size());
  switch (seen.growth) {
    case GrowthSeen::Grows:
      return fmt::format("{}grows x{:.2f} from wait to wait ({:.2f} to {:.2f}){}; {}", first,
                         seen.multiplier, seen.lower, seen.upper,
                         seen.shape.empty() ? "" : ", " + seen.shape, of);
    case GrowthSeen::Constant:
      return first + "constant; " + of;
    case GrowthSeen::Unknown:
      return first + "too few waits to tell whether it grows; " + of;
  }
  return {};
}

std::string cap_text(const BackoffSeen& seen) {
  if (seen.cap) return seconds(*seen.cap);
  return seen.growth == GrowthSeen::Grows ? "not seen: the waits still grew at the last retry"
                                          : "not seen";
}

std::string jitter_text(const BackoffSeen& seen) {
  if (!seen.jitter) return "too few, or waits too short, to tell";
  if (!*seen.jitter) return "none";
  return seen.family.empty() ? "yes, of a kind that cannot be told" : seen.family;
}

std::string layers_text(const BackoffSeen& seen) {
  if (seen.inner > 0) {
    return fmt::format("two: {} attempts inside {} turns", seen.inner, seen.outer);
  }
  return seen.calls < 20 ? "too few calls to tell" : "one";
}

std::string backoff_text(const Observed& observed) {
  if (!observed.backoff) return line("backoff", "not seen: no call waited for another attempt");
  const BackoffSeen& seen = *observed.backoff;
  std::string medians;
  for (const double value : seen.medians) medians += fmt::format("{:.2f} ", value);
  return line("backoff", growth_text(seen)) +
         line("  waits",
              fmt::format("{}s (medians), the longest {}", medians, seconds(seen.longest))) +
         line("  jitter", jitter_text(seen)) + line("  cap", cap_text(seen)) +
         line("layers", layers_text(seen));
}

std::string times_text(const Observed& observed) {
  std::string text;
  if (const auto& seen = observed.attempt_timeout) {
    text += line("attempt timeout",
                 fmt::format("{} ({} attempts, {} to {})", seconds(seen->middle), seen->count,
                             seconds(seen->least), seconds(seen->most)));
  } else if (observed.no_timeout_within) {
    text += line("attempt timeout",
                 "none within " + seconds(*observed.no_timeout_within) + ", then it was ended");
  } else {
    text += line("attempt timeout", "not seen");
  }
  if (const auto& seen = observed.deadline) {
    return text + line("deadline", fmt::format("between {} and {}", seconds(seen->at_least),
                                               seconds(seen->at_most)));
  }
  const auto& longest = observed.longest_operation;
  return text +
         line("deadline",
              longest ? "not seen: attempts ended first; the longest call took " + seconds(*longest)
                      : "not seen");
}

std::string retry_after_text(const Observed& observed) {
  const auto& seen = observed.retry_after;
  if (seen.waited + seen.early + seen.gave_up == 0) return line("Retry-After", "not seen");
  std::string text;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(seen.waited, "times waited for");
  add(seen.early, "times not waited for");
  add(seen.gave_up, "times given up instead");
  return line("Retry-After", text);
}

std::string keys_text(const Observed& observed) {
  const auto& seen = observed.keys;
  if (seen.creates == 0) return line("keys", "not seen: the healthy run creates nothing");
  std::string text = fmt::format("in {} of {} creates", seen.with_key, seen.creates);
  if (seen.repeated > 0) {
    text += fmt::format("; the same in each attempt of {} of {} that were repeated", seen.stable,
                        seen.repeated);
  }
  return line("keys", text);
}

}  // namespace

std::string observed_text(const Observed& observed) {
  std::string text = attempts_text(observed) + refused_text(observed) + backoff_text(observed) +
                     times_text(observed) + retry_after_text(observed) + keys_text(observed);
  for (const std::string& note : observed.notes) text += line("not played", printable(note));
  return text + "\nFor mishap.yaml, where it is meant to be so:\n\n" +
         client_tests::promise_block(observed);
}

}  // namespace mishap::reports
