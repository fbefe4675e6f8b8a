#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mishap/observed.h"

namespace mishap::client_tests {

namespace {

// What people write is met within a hundredth; what is longer is rounded up, by a twentieth at
// most.
std::string tidy(double seconds) {
  const double at_least = seconds - std::max(0.01, seconds / 100);
  for (const double step : std::array{1.0, 0.5, 0.1, 0.05, 0.01}) {
    const double rounded = std::ceil(at_least / step) * step;
    if (rounded <= 0 || rounded - seconds > seconds / 20) continue;
    const auto milliseconds = std::llround(rounded * 1000);
    return milliseconds % 1000 == 0 ? fmt::format("{}s", milliseconds / 1000)
                                    : fmt::format("{}ms", milliseconds);
  }
  return fmt::format("{}ms", std::max(1LL, std::llround(std::ceil(seconds * 1000))));
}

class Block {
 public:
  explicit Block(const Observed& observed) : observed_(observed) {}

  std::string text() {
    retries();
    max_attempts();
    attempt_timeout();
    deadline();
    max_delay();
    return (promised_.empty() ? "# promise:\n" : "promise:\n") + promised_ + left_open_;
  }

 private:
  void promise(std::string_view name, std::string_view value, std::string_view of) {
    promised_ += fmt::format("  {:<23} # {}\n", fmt::format("{}: {}", name, value), of);
  }
  void leave_open(std::string_view name, std::string_view why) {
    left_open_ += fmt::format("  # {}: {}\n", name, why);
  }

  // Of calls that were given up, or of those whose client was ended before.
  std::uint64_t most_attempts(bool stopped) const {
    std::uint64_t most = 0;
    for (const AttemptsSeen& row : observed_.attempts) {
      if (!row.uncertain && row.stopped == stopped) most = std::max(most, row.most);
    }
    return most;
  }

  void retries() {
    const std::uint64_t most = std::max(most_attempts(false), most_attempts(true));
    if (most > 1) {
      promise("retries", "declared", "some failures are tried again");
    } else if (most_attempts(false) == 1) {
      promise("retries", "none", "no failure that was seen is tried again");
    } else {
      leave_open("retries", "not seen, no call was given up");
    }
  }

  void max_attempts() {
    const std::uint64_t most = most_attempts(false);
    const std::uint64_t so_far = most_attempts(true);
    if (so_far > most) {
      return leave_open("max_attempts",
                        fmt::format("not seen, it still tried after {} when it was ended", so_far));
    }
    if (most == 0) return leave_open("max_attempts", "not seen");
    promise("max_attempts", std::to_string(most), "the most of any call, the first one included");
  }

  void attempt_timeout() {
    const auto& seen = observed_.attempt_timeout;
    if (!seen) {
      const auto& waited = observed_.no_timeout_within;
      return leave_open(
          "attempt_timeout",
          waited ? fmt::format("not seen, it still waited after {:.1f} s", *waited) : "not seen");
    }
    // One that was cut short says less than those that were not; one that was longer says more.
    const bool varies = seen->most > seen->middle * 1.1;
    promise("attempt_timeout", tidy(varies ? seen->most : seen->middle),
            fmt::format("{} of {} attempts without an answer",
                        varies ? "the longest" : "the median", seen->count));
  }

  void deadline() {
    if (const auto& seen = observed_.deadline) {
      return promise("deadline", tidy(seen->at_most),
                     fmt::format("a call went on for {:.1f} s, and no longer than {:.1f} s",
                                 seen->at_least, seen->at_most));
    }
    const auto& longest = observed_.longest_operation;
    leave_open("deadline", longest ? fmt::format("not seen, attempts ended first; the longest call "
                                                 "took {:.1f} s",
                                                 *longest)
                                   : "not seen");
  }

  void max_delay() {
    const auto& seen = observed_.backoff;
    if (!seen) return leave_open("max_delay", "not seen, no call waited");
    if (seen->cap) return promise("max_delay", tidy(*seen->cap), "where the waits stood still");
    if (seen->growth == GrowthSeen::Constant) {
      return promise("max_delay", tidy(seen->longest), "the longest of waits that do not grow");
    }
    leave_open("max_delay", fmt::format("not seen, {}; the longest wait was {:.2f} s",
                                        seen->growth == GrowthSeen::Grows
                                            ? "the waits still grew at the last retry"
                                            : "too few waits",
                                        seen->longest));
  }

  const Observed& observed_;
  std::string promised_;
  std::string left_open_;
};

}  // namespace

std::string promise_block(const Observed& observed) {
  return Block(observed).text();
}

}  // namespace mishap::client_tests
