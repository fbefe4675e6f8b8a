#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/spans.h"
#include "client-tests/checks/tally.h"

// A client that waits leaves the processor to others.
namespace mishap::client_tests {

namespace {

// Programs load, compile and connect when they start, which is no waiting.
constexpr Duration kStart = std::chrono::seconds(2);
// A few looks fall into a wait of that length.
constexpr Duration kShortest = std::chrono::milliseconds(250);
constexpr Duration kEnough = std::chrono::seconds(2);

// Waits between two attempts of an operation, by copy.
std::map<int, std::vector<TimeSpan>> waits_of(const History& history) {
  std::map<int, std::vector<TimeSpan>> waits;
  for (const Operation& operation : history.operations) {
    if (operation.polled || is_lookup(operation)) continue;
    for (const Attempt& attempt : operation.attempts) {
      if (!attempt.gap) continue;
      const Duration sent = attempt.exchange->first_byte;
      waits[operation.lane].push_back({sent - *attempt.gap, sent});
    }
  }
  return waits;
}

// Something of the copy was under way.
std::vector<TimeSpan> busy_spans(const History& history, int lane) {
  std::vector<TimeSpan> busy;
  for (const server::Exchange* exchange : lane_lines(history).of(lane).exchanges()) {
    const auto& receipt = exchange->receipt;
    Duration end = history.recording->length;
    if (receipt.ended) end = *receipt.ended;
    if (receipt.departed) end = std::min(end, *receipt.departed);
    busy.push_back({exchange->first_byte, end});
  }
  return merged(std::move(busy));
}

// What was measured while the copy waited.
struct Used {
  Duration waited{};
  Duration cpu{};
  double share() const {
    return waited == Duration{}
               ? 0
               : static_cast<double>(cpu.count()) / static_cast<double>(waited.count());
  }
};

// What the process does after its start and by its own will.
TimeSpan judged_of(const Recording& recording, const ProcessFacts& process) {
  return {process.started + kStart, own_until(recording, process.copy)};
}

// The spans with nothing under way, long enough to be looked at.
std::vector<TimeSpan> idle_in(std::vector<TimeSpan> spans, const History& history, int lane) {
  spans = without(merged(std::move(spans)), busy_spans(history, lane));
  std::erase_if(spans, [](const TimeSpan& span) { return span.length() < kShortest; });
  return spans;
}

// Between the first look in the span and the last one.
Used used_in(const std::vector<ProcessSample>& series, const TimeSpan& span) {
  const auto first = std::ranges::lower_bound(series, span.begin, {}, &ProcessSample::at);
  const auto behind = std::ranges::upper_bound(series, span.end, {}, &ProcessSample::at);
  if (behind - first < 2) return {};
  const ProcessSample& last = *(behind - 1);
  return {last.at - first->at, last.cpu - first->cpu};
}

struct Measured {
  Used all;
  Used last;
  std::size_t spans = 0;
};
Measured measured_in(const std::vector<ProcessSample>& series, const std::vector<TimeSpan>& spans) {
  Measured measured;
  for (const TimeSpan& span : spans) {
    const Used used = used_in(series, span);
    if (used.waited == Duration{}) continue;
    measured.last = used;
    measured.all.waited += used.waited;
    measured.all.cpu += used.cpu;
    ++measured.spans;
  }
  return measured;
}

// On the good day, while nothing is under way. One that is over too soon to be measured has no work
// of its own that could fill the waits here: the same work would be done there.
double usual_share(const Case& c, int lane) {
  if (!c.control_history) return 0;
  const int usual_lane = lane_in_control(c, lane);
  const ProcessFacts* process = process_of(*c.control, usual_lane);
  if (process == nullptr) return 0;
  const auto idle = idle_in({judged_of(*c.control, *process)}, *c.control_history, usual_lane);
  const Used used = measured_in(process->series, idle).all;
  return used.waited < kEnough / 2 ? 0 : used.share();
}

class Judge {
 public:
  Judge(const Case& c, const Params& params)
      : case_(c), calm_(params.share("calm")), hot_(params.share("hot")) {}

  void look_at(int lane, std::vector<TimeSpan> waits) {
    const ProcessFacts* process = process_of(case_.recording, lane);
    if (process == nullptr) return;
    const TimeSpan judged = judged_of(case_.recording, *process);
    for (TimeSpan& wait : waits) {
      wait = {std::max(wait.begin, judged.begin), std::min(wait.end, judged.end)};
    }
    waits = idle_in(std::move(waits), case_.history, lane);
    Duration waited{};
    for (const TimeSpan& wait : waits) waited += wait.length();
    if (waited < kEnough) return;
    measure(lane, *process, waits);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "waiting keeps the processor busy",
         .reason = "The client spends its waits between two attempts computing.",
         .held = fmt::format("waiting cost at most {:.0f} % of one core", most_ * 100),
         .none = too_few_ ? "the waits were looked at too rarely to say what they cost"
                          : fmt::format("no client waited for {} after its first {} with nothing "
                                        "under way",
                                        seconds(kEnough), seconds(kStart))});
  }

 private:
  void measure(int lane, const ProcessFacts& process, const std::vector<TimeSpan>& waits) {
    if (process.series.empty()) {
      tally_.open("nothing was seen of the client's process", said(how(lane, {}, 0)));
      return;
    }
    const Measured measured = measured_in(process.series, waits);
    if (measured.all.waited < kEnough / 2) {
      too_few_ = true;
      return;
    }
    judge(lane, measured.all, measured.last, measured.spans);
  }

  // What compiles itself while it runs is busy in its first waits; what spins is so in each.
  void judge(int lane, const Used& all, const Used& last, std::size_t measured) {
    const Witness cited = said(how(lane, all, measured));
    if (all.share() <= calm_) {
      most_ = std::max(most_, all.share());
      tally_.held(cited);
    } else if (all.share() > hot_ && last.share() > hot_) {
      judge_hot(usual_share(case_, lane), cited);
    } else {
      tally_.open(fmt::format("waiting cost {:.0f} % of one core: more than {:.0f} %, and a fail "
                              "asks for {:.0f} % up to the last wait",
                              all.share() * 100, calm_ * 100, hot_ * 100),
                  cited);
    }
  }

  // Who computes beside its calls on the good day need not spin on the bad one.
  void judge_hot(double usual, const Witness& cited) {
    if (usual <= hot_) return tally_.broke(cited);
    tally_.open(fmt::format("on the good day it uses {:.0f} % of one core with nothing under way, "
                            "too: it may compute something else",
                            usual * 100),
                cited);
  }

  std::string how(int lane, const Used& all, std::size_t measured) const {
    if (measured == 0) return fmt::format("copy {}", lane);
    return fmt::format("copy {}: {} of processor in {} of waiting ({}): {:.0f} % {} {:.0f} %", lane,
                       seconds(all.cpu), seconds(all.waited), counted(measured, "wait"),
                       all.share() * 100, all.share() <= calm_ ? "<=" : ">",
                       (all.share() > hot_ ? hot_ : calm_) * 100);
  }

  const Case& case_;
  double calm_;
  double hot_;
  double most_ = 0;
  bool too_few_ = false;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  if (!c.recording.child)
    return not_observed("the client is not our child: its processor time is unknown");
  Judge judge(c, params);
  for (auto& [lane, waits] : waits_of(c.history)) judge.look_at(lane, std::move(waits));
  return judge.settle();
}

}  // namespace

const CheckDescriptor kNoBusyWait = {
    .name = "no_busy_wait",
    .summary = "waiting costs no processor time",
    .rule =
        "processor time / time, while the client waits between two attempts and nothing is under "
        "way: <= 20 % of one core pass, > 80 % (in the last wait too) fail",
    .judged =
        "clients that waited for 2 s or more in all, their first 2 s and waits under 250 ms aside; "
        "one that is as busy between its calls on the good day may compute something else",
    .why = "A client that spins while the vendor is ill takes the machine down with it.",
    .change = "Sleep, or wait for an event, until the next attempt is due.",
    .source = "checks.md, check 9 (a timeout frees what it held)",
    .since = "0.1",
    .params = {{.name = "calm",
                .type = ParamType::Percent,
                .default_text = "20%",
                .help = "of one core, up to which waiting is calm"},
               {.name = "hot",
                .type = ParamType::Percent,
                .default_text = "80%",
                .help = "of one core, above which it spins"}},
    .advisory = true,
    .timing = true,
    .severity = 40,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
