// Judging takes as many times longer as the run is larger, and not the square of it: compared
// within one process, as CPU time, since no time as such means anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <map>
#include <string>

#include "bench/made_run.h"
#include "client-tests/checks/check.h"
#include "mishap/history.h"
#include "mishap/verdict.h"

namespace mishap::bench {
namespace {

using namespace client_tests;

constexpr std::uint64_t kSmall = 2000;  // attempts
constexpr std::uint64_t kTimes = 8;
// Eight times the work, and something for sorting and for memory that is further away: twelve are
// seen. Work that grows with the square is sixty-four times as much.
constexpr double kBound = 24;
// Less than that says nothing: a small run is in the caches, and what then takes microseconds takes
// four times as long for each attempt of a large one. Work that grows with the square takes a
// hundred times this for the large one.
constexpr double kNothing = 0.001;  // seconds
constexpr int kRounds = 4;

Recording recorded(const RunPlan& plan) {
  Recording made = made_frame(plan);
  MadeRun(plan).add(plan.attempts, made.journal, made.outcomes);
  made.length = std::chrono::hours(1);
  for (int copy = 0; copy < plan.copies; ++copy) {
    ProcessFacts process;
    process.copy = copy;
    process.ended = made.length;
    made.processes.push_back(process);
  }
  return made;
}

// The longer its line, the more there is to walk through.
constexpr RunPlan kOneCopy{.copies = 1};

using Change = std::function<void(Suite&)>;

Suite suite_of(const RunPlan& shape, std::uint64_t attempts, const Change& change) {
  RunPlan plan = shape;
  plan.attempts = attempts;
  RunPlan control = plan;
  control.faults = false;
  control.copies = 1;
  control.attempts = attempts / 4;
  Suite suite;
  suite.controls = {recorded(control)};
  suite.recordings = {recorded(plan)};
  if (change) change(suite);
  return suite;
}

// Of three times the least: other work on the machine only makes it longer.
double cpu_seconds_of(const std::function<void()>& work) {
  std::clock_t least = 0;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t begin = std::clock();
    work();
    const std::clock_t took = std::clock() - begin;
    least = i == 0 ? took : std::min(least, took);
  }
  return static_cast<double>(least) / CLOCKS_PER_SEC;
}

using Times = std::map<std::string, double, std::less<>>;

// Of each check, and of judging as a whole.
Times times_of(const Suite& suite) {
  Times times;
  times["judging"] = cpu_seconds_of([&] {
    const SuiteVerdict verdict = judge(suite);
    EXPECT_GT(verdict.cases.front().findings.size(), 20U);  // it was judged
  });
  const Recording& run = suite.recordings.front();
  const bool has_control = !suite.controls.empty();
  const bool has_companion = suite.recordings.size() > 1;
  const History history = make_history(run);
  const History usual = has_control ? make_history(suite.controls.front()) : History{};
  const History other = has_companion ? make_history(suite.recordings.back()) : History{};
  const Case value{.recording = run,
                   .history = history,
                   .control = has_control ? &suite.controls.front() : nullptr,
                   .control_history = has_control ? &usual : nullptr,
                   .comparison = has_companion ? &suite.recordings.back() : nullptr,
                   .comparison_history = has_companion ? &other : nullptr,
                   .bounds = bounds_of(run.scenario.promise)};
  for (const CheckDescriptor* check : check_descriptors()) {
    Diagnostics diagnostics;
    const Params params = read_params({}, check->params, check->name, {}, diagnostics);
    times[std::string(check->name)] = cpu_seconds_of([&] { (void)check->evaluate(value, params); });
  }
  return times;
}

using Growths = std::map<std::string, double, std::less<>>;

// How many times as long the large run took.
Growths growths_of(const Suite& small_suite, const Suite& large_suite) {
  const Times small = times_of(small_suite);
  Growths growths;
  for (const auto& [what, more] : times_of(large_suite)) {
    growths[what] = more / std::max(kNothing, small.at(what));
  }
  return growths;
}

bool all_within_bound(const Growths& growths) {
  return std::ranges::all_of(growths, [](const auto& one) { return one.second < kBound; });
}

// A machine that is busy with something else can make one round look like anything, so that what
// is out of bounds is measured again; what grows with the square is out of bounds in every round.
void expect_linear(const RunPlan& shape, const Change& change = {}, std::uint64_t least = kSmall) {
  const Suite small = suite_of(shape, least, change);
  const Suite large = suite_of(shape, kTimes * least, change);
  Growths growths = growths_of(small, large);
  for (int round = 1; round < kRounds && !all_within_bound(growths); ++round) {
    for (const auto& [what, again] : growths_of(small, large)) {
      growths[what] = std::min(growths[what], again);
    }
  }
  for (const auto& [what, growth] : growths) {
    EXPECT_LT(growth, kBound) << what << ": of " << kTimes
                              << " times as much it took so many times as long";
  }
}

TEST(JudgingGrows, WithTheRun) {
  expect_linear({});
}

// Then silence has to be told from waiting.
TEST(JudgingGrows, WithARunWhoseClientNeverEnded) {
  expect_linear(kOneCopy, [](Suite& suite) {
    for (ProcessFacts& process : suite.recordings.front().processes) process.stop = Stop::Killed;
  });
}

TEST(JudgingGrows, WithWhatAServiceDid) {
  expect_linear(kOneCopy, [](Suite& suite) {
    for (Recording* recording : {&suite.controls.front(), &suite.recordings.front()}) {
      for (ProcessFacts& process : recording->processes) {
        process.role = ProcessRole::Service;
        process.stop = Stop::Stopped;
        process.told_to_end = process.ended;
      }
    }
  });
}

TEST(JudgingGrows, WhereNothingCanBeLookedUp) {
  expect_linear(kOneCopy, [](Suite& suite) {
    auto& scenario = suite.recordings.front().scenario;
    scenario.offers_keys = scenario.offers_lookup = false;
  });
}

TEST(JudgingGrows, WithoutAControl) {
  expect_linear(kOneCopy, [](Suite& suite) {
    suite.controls.clear();
    suite.recordings.front().control.clear();
  });
}

TEST(JudgingGrows, WithACompanionToCompareWith) {
  expect_linear(kOneCopy, [](Suite& suite) {
    Recording companion = suite.recordings.front();
    companion.scenario.name = "companion";
    companion.companion = true;
    suite.recordings.front().scenario.compare_with = companion.scenario.name;
    suite.recordings.push_back(std::move(companion));
  });
}

// What is judged only of a client that claims it.
TEST(JudgingGrows, WithAllThatCanBePromised) {
  const auto promise_all = [](Suite& suite) {
    auto& promise = suite.recordings.front().scenario.promise;
    promise.breaker = std::chrono::seconds(1);
    promise.retry_budget = 2;
    promise.answer_within = std::chrono::seconds(3);
  };
  expect_linear({}, promise_all);
  expect_linear(kOneCopy, [&](Suite& suite) {
    promise_all(suite);
    auto& lines = suite.recordings.front().outcomes;
    for (std::size_t i = 0; i < lines.size(); i += 2) lines[i].operation += "x";
  });
}

void fail_all(Recording& recording) {
  recording.outcomes.clear();
  recording.journal.effects.clear();
  for (server::Exchange& exchange : recording.journal.exchanges) {
    exchange.effects.clear();
    exchange.answer.status = 503;
    exchange.answer.success = exchange.answer.healthy = false;
  }
}

TEST(JudgingGrows, WhereAllFails) {
  expect_linear(kOneCopy, [](Suite& suite) { fail_all(suite.recordings.front()); });
}

TEST(JudgingGrows, WhereAllFailsAndTheClientNeverEnded) {
  expect_linear(kOneCopy, [](Suite& suite) {
    fail_all(suite.recordings.front());
    for (ProcessFacts& process : suite.recordings.front().processes) process.stop = Stop::Killed;
  });
}

// Whoever lets go of each attempt is looked at for what became of its connection.
TEST(JudgingGrows, WhereAllIsGivenUp) {
  expect_linear(kOneCopy, [](Suite& suite) {
    for (server::Exchange& exchange : suite.recordings.front().journal.exchanges) {
      auto& receipt = exchange.receipt;
      receipt.delivery = server::Delivery::Nothing;
      receipt.ending = server::Ending::ClientLeft;
      receipt.last_write.reset();
      receipt.departure = server::Departure::Fin;
      receipt.departed = exchange.first_byte + std::chrono::milliseconds(1);
    }
  });
}

// Of a client that names its operations as nobody else does.
TEST(JudgingGrows, WithLinesAboutNothingThatWasSeen) {
  expect_linear(kOneCopy, [](Suite& suite) {
    for (OutcomeLine& line : suite.recordings.front().outcomes) line.operation += "x";
    server::TurnedAway& one = suite.recordings.front().journal.turned_away.emplace_back();
    one.client_port = 1;
  });
}

// Whatever is asked about a place, a call or a content is asked about everything then.
TEST(JudgingGrows, WhereAllIsTheSame) {
  expect_linear(kOneCopy, [](Suite& suite) {
    for (Recording* recording : {&suite.controls.front(), &suite.recordings.front()}) {
      recording->outcomes.clear();
      for (server::Exchange& exchange : recording->journal.exchanges) {
        exchange.connection = 1;
        exchange.request.content_hash = exchange.request.body_hash = "same";
        exchange.request.reference.clear();
        exchange.request.key.clear();
        exchange.identity.by = server::IdentifiedBy::Content;
      }
    }
  });
}

TEST(JudgingGrows, WithBatches) {
  RunPlan shape{.shape = Shape::Batches};
  shape.items = 100;
  expect_linear(shape);
}

TEST(JudgingGrows, WithBatchesAndWithoutAControl) {
  RunPlan shape{.shape = Shape::Batches};
  shape.items = 100;
  expect_linear(shape, [](Suite& suite) {
    suite.controls.clear();
    suite.recordings.front().control.clear();
  });
}

// The larger batch, not more of them.
TEST(JudgingGrows, WithTheSizeOfABatch) {
  RunPlan shape{.shape = Shape::Batches};
  shape.copies = 1;
  shape.items = kTimes * kSmall;
  expect_linear(shape, {}, kSmall / 2);
}

}  // namespace
}  // namespace mishap::bench
