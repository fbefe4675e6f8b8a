#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/keyed_operations.h"
#include "client-tests/checks/lives.h"
#include "client-tests/checks/tally.h"

// A job that was broken off goes on where it was, and does not begin anew.
namespace mishap::client_tests {

namespace {

// In which life the client was told that it is done; 0: never, or in the last one.
int done_in_life(const Operation& operation, const Lives& lives) {
  const auto told = confirmed_at(operation);
  if (!told || !lives.any_followed()) return 0;
  const int life = lives.at(*told);
  return life < lives.all().back()->life ? life : 0;
}

bool made_an_effect(const Operation& operation, const Attempt& attempt) {
  return std::ranges::any_of(operation.effects, [&](const server::Effect* effect) {
    return effect->exchange == attempt.exchange->number;
  });
}

// It was answered just when the client was killed: whether that was still read nobody knows.
bool was_cut_short(const Operation& operation) {
  return std::ranges::any_of(operation.attempts, [](const Attempt& attempt) {
    return attempt.cut_by_signal || !attempt.exchange->receipt.signals.empty();
  });
}

class Judge {
 public:
  explicit Judge(const Case& c) : case_(c) {}

  void look_at(int lane) {
    const Lives lives(case_.recording, lane);
    std::size_t done = 0;
    for (const Operation* operation : unsafe_ones(lane)) {
      const int life = done_in_life(*operation, lives);
      if (life == 0 || was_cut_short(*operation)) continue;
      ++done;
      judge_done(*operation, life);
    }
    if (lives.any_followed()) judge_number(lane, lives, done);
  }

  Finding settle() {
    return std::move(tally_).settle(
        {.failed = "a job did not go on where it was",
         .reason = "What was done before the client was killed was done again, or the rest of it "
                   "was never done.",
         .held = counted(tally_.judged(), "operation") + " done once over the crash",
         .none = "no scenario killed the client and had it started again"});
  }

 private:
  std::vector<const Operation*> unsafe_ones(int lane) const {
    std::vector<const Operation*> found;
    for (const Operation* operation : operations_of(case_.history, lane)) {
      if (operation->klass != OperationClass::Safe) found.push_back(operation);
    }
    return found;
  }

  // Under its old key the vendor knows it again: a waste, no harm.
  void judge_done(const Operation& operation, int life) {
    const auto keyed = keyed_attempts(operation);
    const auto again = std::ranges::find_if(
        operation.attempts, [&](const Attempt& attempt) { return attempt.life > life; });
    if (again == operation.attempts.end()) {
      tally_.held(witness(operation, operation.name + ": done before the crash, and left alone"));
      return;
    }
    const bool has_old_key =
        operation.keys.size() == 1 &&
        std::ranges::find(keyed, &*again, &KeyedAttempt::attempt) != keyed.end();
    Witness cited =
        witness(operation, fmt::format("{}: done before the crash, and sent again in #{}",
                                       operation.name, again->exchange->number));
    if (made_an_effect(operation, *again) || !has_old_key) return tally_.broke(std::move(cited));
    tally_.warn(cited.statement + " under its old key");
    tally_.held(std::move(cited));
  }

  // Names that are made anew at each start hide the repetition, not the number.
  void judge_number(int lane, const Lives& lives, std::size_t done) {
    if (!case_.control || lane >= case_.control->scenario.copies) return;
    const std::size_t made = creations(case_.history, lane);
    const std::size_t usual = creations(*case_.control_history, lane_in_control(case_, lane));
    const Witness cited = said(
        fmt::format("{} made, {} on a good day, {} of them before the crash", made, usual, done));
    if (made > usual) {
      tally_.broke(cited);
    } else if (made < usual) {
      judge_rest(lane, lives, cited);
    } else if (usual > 0) {
      tally_.held(cited);
    }
  }

  // Another exit code than 0 says that not all is done. A service has none, only its silence.
  void judge_rest(int lane, const Lives& lives, const Witness& cited) {
    const ProcessFacts& last = *lives.all().back();
    const bool is_over = last.stop == Stop::Exited || last.stop == Stop::Stopped;
    if (is_over && last.role == ProcessRole::Command && last.exit_code != 0) return;
    if (is_over && is_closed_after(case_, lane, last_request(lane, last.started))) {
      tally_.broke(cited);
    } else {
      tally_.open(cited.statement + "; " + how_it_ended(case_.recording, lane), cited);
    }
  }

  Duration last_request(int lane, Duration from) const {
    Duration last = from;
    for (const server::Exchange* exchange : lane_lines(case_.history).of(lane).exchanges()) {
      last = std::max(last, exchange->first_byte);
    }
    return last;
  }

  static std::size_t creations(const History& history, int lane) {
    std::size_t count = 0;
    for (const Operation* operation : operations_of(history, lane)) {
      count += standing_creations(history, *operation).size();
    }
    return count;
  }

  const Case& case_;
  Tally tally_;
};

Finding evaluate(const Case& c, const Params&) {
  Judge judge(c);
  for (int lane = 0; lane < c.recording.scenario.copies; ++lane) judge.look_at(lane);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kResumesFromCheckpoint = {
    .name = "resumes_from_checkpoint",
    .summary = "a job that was broken off goes on where it was",
    .rule =
        "what was done before the crash is not sent again (with its old key and no further "
        "effect: a warning), and in the end as much is made as on a good day",
    .judged =
        "clients that a scenario killed and had started again; another exit code than 0 in the "
        "end says that not all is done",
    .why = "A job that begins anew books half of its list twice; one that forgets leaves half out.",
    .change =
        "Write down what is done, durably, as soon as it is known; begin each start by reading "
        "it.",
    .source = "mission A37, A38; Jepsen's set checker (duplicated elements)",
    .since = "0.1",
    .severity = 91,
    .families = {Family::SecondEffect, Family::Crash},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
