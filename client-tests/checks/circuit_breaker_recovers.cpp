#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/breaker.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/tally.h"

// It closes again.
namespace mishap::client_tests {

namespace {

constexpr Duration kMoment = std::chrono::seconds(1);  // over which a rate is taken
constexpr double kNormal = 0.8;

class Judge {
 public:
  Judge(const Case& c, Duration promised)
      : case_(c),
        promised_(promised),
        limit_(2 * promised + std::chrono::seconds(5)),
        lines_(c.history),
        unsent_(c) {
    if (c.control_history) usual_.emplace(*c.control_history);
  }

  void look_at_all() {
    for (const auto& story : tell_breakers(case_, lines_, unsent_, promised_, 1)) look_at(story);
  }

  Finding settle() && {
    return std::move(tally_).settle(
        {.failed = "the breaker does not close again",
         .reason = "The vendor was there again, or might have been, and the client stayed away.",
         .held = "calls come at their usual rate again",
         .none = is_ill_
                     ? "no probe was answered well: the vendor was still ill, as far as is known"
                     : "the breaker was never seen open"});
  }

 private:
  void look_at(const BreakerStory& story) {
    const CallLine& line = *story.line;
    const auto open = std::ranges::find_if(story.silences, &Silence::is_open);
    if (open == story.silences.end()) return look_at_doubt(story);
    if (const auto back = well_again(line, open->next)) return judge_return(line, *back);
    const Silence& last = story.silences.back();
    const bool is_last_word = last.is_open() && last.next == line.sent.size();
    // Until then its time is hardly over.
    const bool is_overdue = last.to - last.from >= 2 * promised_;
    if (is_last_word && is_overdue) return judge_silence(line, last);
    is_ill_ = true;
  }

  void look_at_doubt(const BreakerStory& story) {
    if (std::ranges::none_of(story.silences, &Silence::is_doubtful)) return;
    tally_.open(std::string(kDoubtful), said(story.line->name() + ": perhaps it was open"));
  }

  // The first success behind the last failure: a vendor that fails again gives a breaker every
  // reason to open again.
  static std::optional<Duration> well_again(const CallLine& line, std::size_t first) {
    Duration failed{};
    for (const Sent& sent : line.sent) {
      const auto end = seen_to_end(*sent.attempt);
      if (end && is_transient(*sent.attempt)) failed = std::max(failed, *end);
    }
    std::optional<Duration> earliest;
    for (std::size_t i = first; i < line.sent.size(); ++i) {
      if (line.sent[i].attempt->result != Result::Success) continue;
      const auto end = seen_to_end(*line.sent[i].attempt);
      if (end && *end > failed && (!earliest || *end < *earliest)) earliest = end;
    }
    return earliest;
  }

  // Open for good: it did not even try.
  void judge_silence(const CallLine& line, const Silence& silence) {
    const Duration watched = silence.to - silence.from;
    const bool goes_on = begins_late(line, silence.to);
    Witness cited =
        witness_of(line, silence.next - 1, silence.next,
                   fmt::format("{}: not a single call for {} {} {} though {} operations were begun",
                               line.name(), seconds(watched), watched >= limit_ ? ">=" : "<",
                               seconds(limit_), silence.unsent));
    if (watched >= limit_ && goes_on) return tally_.broke(cited);
    tally_.open("the client ended before its breaker had to try again", std::move(cited));
  }

  void judge_return(const CallLine& line, Duration back) {
    const CallLine* usual = usual_ ? usual_line(case_, *usual_, line) : nullptr;
    const auto pace = usual ? pace_of(*usual) : std::nullopt;
    if (!pace) {
      return tally_.open("the healthy control does not show the usual rate",
                         said(line.name() + ": no usual rate"));
    }
    const Duration until = back + limit_;
    const std::size_t first = line.first_from(back);
    const double most = most_in_a_moment(line, first, until);
    const bool is_normal = most >= kNormal * pace->per_second;
    Witness cited = witness_of(
        line, first, line.sent.size(),
        fmt::format("{}: within {} of the first success at most {:.0f} a second {} {:.1f} x {:.1f}",
                    line.name(), seconds(limit_), most, is_normal ? ">=" : "<", kNormal,
                    pace->per_second));
    if (is_normal) return tally_.held(std::move(cited));
    const Duration end = own_until(case_.recording, line.lane);
    if (end >= until && begins_late(line, until)) return tally_.broke(std::move(cited));
    tally_.open("the client ended before its calls had to be as many as usual", std::move(cited));
  }

  static double most_in_a_moment(const CallLine& line, std::size_t first, Duration until) {
    std::size_t most = 0;
    std::size_t from = first;
    std::size_t begun = 0;  // in [from, to]
    for (std::size_t to = first; to < line.sent.size() && line.sent[to].at < until; ++to) {
      begun += line.sent[to].begins ? 1 : 0;
      for (; line.sent[to].at - line.sent[from].at > kMoment; ++from) {
        begun -= line.sent[from].begins ? 1 : 0;
      }
      most = std::max(most, begun);
    }
    return static_cast<double>(most);
  }

  // It had operations to begin until then.
  bool begins_late(const CallLine& line, Duration until) const {
    const Duration from = until - 2 * kMoment;
    if (!unsent_.between(line.lane, from, until + kMoment).empty()) return true;
    const auto late = std::ranges::find_if(
        line.sent, [&](const Sent& sent) { return sent.begins && sent.at >= from; });
    return late != line.sent.end();
  }

  const Case& case_;
  Duration promised_;
  Duration limit_;
  CallLines lines_;
  Unsent unsent_;
  std::optional<CallLines> usual_;
  bool is_ill_ = false;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  const auto& promised = c.recording.scenario.promise.breaker;
  if (!promised) return not_applicable("no breaker is promised (--promise breaker=5s)");
  Judge judge(c, *promised);
  judge.look_at_all();
  return std::move(judge).settle();
}

}  // namespace

const CheckDescriptor kCircuitBreakerRecovers = {
    .name = "circuit_breaker_recovers",
    .summary = "a breaker closes again",
    .rule =
        "within twice the promised time + 5 s of the first success behind the last failure 80 % of "
        "the usual calls come in some second; no call at all for that long while operations are "
        "begun: fail",
    .judged =
        "clients that promise a breaker, after it was seen open; the usual rate is the control's",
    .why = "A breaker that does not close makes a short outage a long one, for this client alone.",
    .change = "Try again when the time is over, and close at the first success, or the first few.",
    .source = "Polly and Resilience4j, half-open and closed states",
    .since = "0.1",
    .severity = 48,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
