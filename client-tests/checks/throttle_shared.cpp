#include <fmt/format.h>

#include <algorithm>

#include "client-tests/checks/call_lines.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/retry_after.h"
#include "client-tests/checks/tally.h"

// One operation that is told to wait slows those beside it.
namespace mishap::client_tests {

namespace {

constexpr double kQuiet = 0.1;
constexpr double kLoud = 0.3;
constexpr double kPaced = 2;        // calls a second on a good day
constexpr std::size_t kAtOnce = 3;  // calls under way when the first is told
constexpr Duration kReaction = std::chrono::milliseconds(100);
constexpr Duration kShortest = std::chrono::seconds(1);
constexpr double kEnough = 5;  // calls to be expected in the wait

struct Told {
  std::size_t index = 0;  // of the attempt
  Duration at{};
  Duration wait{};
};

class Judge {
 public:
  Judge(const Case& c, const CallLines& usual) : case_(c), usual_(usual) {}

  void look_at(const CallLine& line) {
    Duration quiet_until{};
    for (const Told& told : told_of(line)) {
      if (told.at < quiet_until) continue;  // it is waited already
      quiet_until = told.at + told.wait;
      look_at(line, told);
    }
  }

  Finding settle() && {
    return std::move(tally_).settle(
        {.failed = "others go on while one was told to wait",
         .reason = "The vendor throttles the client, and only one of its calls listens.",
         .held = counted(tally_.judged(), "wait") + " kept by all",
         .none = "no answer asked to wait while three calls to its route were under way"});
  }

 private:
  std::vector<Told> told_of(const CallLine& line) const {
    std::vector<Told> all;
    for (std::size_t i = 0; i < line.sent.size(); ++i) {
      const server::Exchange& exchange = *line.sent[i].attempt->exchange;
      if (line.sent[i].attempt->result != Result::Throttled) continue;
      const auto asked = retry_after(case_.recording, exchange);
      if (!asked || asked->form != RetryAfter::Form::Seconds || asked->wait < kShortest) continue;
      all.push_back({i, *exchange.receipt.last_write, asked->wait});
    }
    std::ranges::stable_sort(all, {}, &Told::at);
    return all;
  }

  // Begun before this instant and not answered by then.
  static std::size_t under_way(const CallLine& line, const Told& told) {
    constexpr Duration kLongest = std::chrono::seconds(30);
    std::size_t count = 0;
    for (std::size_t i = line.first_from(told.at - kLongest); i < line.sent.size(); ++i) {
      if (line.sent[i].at > told.at) break;
      const auto end = seen_to_end(*line.sent[i].attempt);
      if (!end || *end >= told.at) ++count;
    }
    return count;
  }

  void look_at(const CallLine& line, const Told& told) {
    if (under_way(line, told) < kAtOnce) return;
    const CallLine* usual = usual_line(case_, usual_, line);
    const auto pace = usual ? pace_of(*usual) : std::nullopt;
    if (!pace || pace->per_second < kPaced || pace->span < told.wait) return;
    const Duration from = told.at + kReaction;
    const Duration to = told.at + told.wait;
    const auto expected = static_cast<double>(stretches_of(begins_of(*usual), to - from).fewest);
    if (expected >= kEnough) judge(line, from, to, expected);
  }

  void judge(const CallLine& line, Duration from, Duration to, double expected) {
    const std::size_t count = line.sent_between(from, to);
    const double share = static_cast<double>(count) / expected;
    const std::size_t first = line.first_from(from);
    Witness cited = witness_of(
        line, count == 0 ? first - 1 : first, first + std::max<std::size_t>(1, count),
        fmt::format("{}: {} sent in the {} to wait, of {:.0f} on a good day: {:.0f} % {} {:.0f} %",
                    line.name(), counted(count, "attempt"), seconds(to - from), expected,
                    100 * share, share <= kQuiet ? "<=" : ">", 100 * kQuiet));
    if (share > kLoud) {
      tally_.broke(std::move(cited));
    } else if (share > kQuiet) {
      tally_.open("fewer calls came than usual, and not as few as in a wait", std::move(cited));
    } else if (first + count < line.sent.size()) {
      tally_.held(std::move(cited));
    } else {
      tally_.open("the client did not come back: it may have had nothing more to do",
                  std::move(cited));
    }
  }

  const Case& case_;
  const CallLines& usual_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  if (!c.control_history) return not_applicable("there is no healthy control to compare with");
  const CallLines lines(c.history);
  const CallLines usual(*c.control_history);
  Judge judge(c, usual);
  for (const CallLine& line : lines.all()) judge.look_at(line);
  return std::move(judge).settle();
}

}  // namespace

const CheckDescriptor kThrottleShared = {
    .name = "throttle_shared",
    .summary = "one call that is told to wait slows those beside it",
    .rule =
        "attempts on the route during the wait <= 10 % of those of the control's emptiest stretch "
        "of "
        "that length: pass; > 30 %: fail",
    .judged =
        "answers with a Retry-After of one second or more that came while three calls to the route "
        "were under way, of clients that make two a second or more; other routes are exempt",
    .why = "The limit is the client's, not the call's: the others run into it one by one.",
    .change = "Keep the time to come back for each route, where all that call it can see it.",
    .source = "draft-ietf-httpapi-ratelimit-headers; AWS SDK, adaptive retry mode",
    .since = "0.1",
    .advisory = true,
    .timing = true,
    .severity = 27,
    .families = {Family::Pace},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
