#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {
namespace resource_leaks {

// Calls one after the other, each given up after 100 ms and then answered; a look every 50 ms.
void times_out(RecordingBuilder& r, int calls) {
  for (int i = 0; i < calls; ++i) {
    auto op = r.create("r-" + std::to_string(i)).key("k" + std::to_string(i));
    op.attempt(i * 200ms).fired("stall").stalled().left(i * 200ms + 100ms);
    op.attempt(i * 200ms + 150ms).effect().answered(201, i * 200ms + 151ms);
  }
}

template <typename Sample>
std::vector<ProcessSample> looks(int calls, Sample sample) {
  std::vector<ProcessSample> series;
  for (Duration at = 50ms; at <= calls * 200ms; at += 50ms) {
    series.push_back(sample(static_cast<std::uint64_t>(at / Duration(200ms))));
    series.back().at = at;
  }
  return series;
}

ProcessSample level(std::uint64_t) {
  return {0ms, 0ms, 1, 12, 4, 1};
}

// Grows by one for each call, up to so many.
auto growing(std::vector<std::uint64_t ProcessSample::*> kinds, std::uint64_t most = 1000) {
  return [kinds, most](std::uint64_t call) {
    ProcessSample sample = level(call);
    for (const auto kind : kinds) sample.*kind += std::min(call, most);
    return sample;
  };
}

// The good day: as many calls, each answered at once.
template <typename Sample>
void goes_well(RecordingBuilder& well, int calls, Sample sample) {
  well.control();
  for (int i = 0; i < calls; ++i) {
    const std::string number = std::to_string(i);
    well.create("r-" + number)
        .key("k" + number)
        .attempt(i * 200ms)
        .effect()
        .answered(201, i * 200ms + 1ms);
  }
  well.process(0ms, calls * 200ms, 0).series = looks(calls, sample);
}

TEST(NoResourceLeak, PassesAClientThatHoldsNoMoreThanBefore) {
  RecordingBuilder r("x");
  times_out(r, 60);
  r.process(0ms, 12s, 0).series = looks(60, level);
  EXPECT_RULING(Pass, ask(kNoResourceLeak, r));
}

TEST(NoResourceLeak, FailsOneThatKeepsSomethingOfEachCall) {
  const std::pair<const char*, std::uint64_t ProcessSample::*> kinds[] = {
      {"sockets", &ProcessSample::sockets},
      {"descriptors", &ProcessSample::fds},
      {"threads", &ProcessSample::threads}};
  RecordingBuilder well("control");
  goes_well(well, 60, level);
  for (const auto& [name, kind] : kinds) {
    RecordingBuilder r("x");
    times_out(r, 60);
    r.process(0ms, 12s, 0).series = looks(60, growing({kind}));
    const Finding finding = ask(kNoResourceLeak, r, &well);
    EXPECT_RULING(Fail, finding);
    EXPECT_TRUE(mentions(finding, std::string("timeouts pile up ") + name)) << statements(finding);
    EXPECT_TRUE(mentions(finding, "+1.00 for each (> 0.02)"));
  }
}

TEST(NoResourceLeak, APoolThatFillsIsNoLeak) {
  RecordingBuilder r("x");
  times_out(r, 60);
  r.process(0ms, 12s, 0).series = looks(60, [](std::uint64_t call) {
    ProcessSample sample = level(call);
    sample.sockets += std::min<std::uint64_t>(call / 12, 4);
    return sample;
  });
  EXPECT_RULING(Pass, ask(kNoResourceLeak, r));
}

// newFixedThreadPool(64) makes a thread for each task until it has that many, whatever becomes of
// it; each may have a connection of its own.
TEST(NoResourceLeak, APoolOfWorkersThatFillsOnTheGoodDayTooMayBeNoLeak) {
  for (const auto& workers : {growing({&ProcessSample::threads}, 64),
                              growing({&ProcessSample::threads, &ProcessSample::sockets}, 64)}) {
    RecordingBuilder r("x");
    times_out(r, 60);
    r.process(0ms, 12s, 0).series = looks(60, workers);
    RecordingBuilder well("control");
    goes_well(well, 60, workers);
    const Finding finding = ask(kNoResourceLeak, r, &well);
    EXPECT_RULING(Inconclusive, finding);
    EXPECT_TRUE(mentions(finding, "grow as well, by 1.00 for each call")) << statements(finding);
  }
}

// One connection is enough for calls that come one after the other.
TEST(NoResourceLeak, WhatLeaksOnTheGoodDayTooLeaks) {
  RecordingBuilder r("x");
  times_out(r, 60);
  r.process(0ms, 12s, 0).series = looks(60, growing({&ProcessSample::sockets}));
  RecordingBuilder well("control");
  goes_well(well, 60, growing({&ProcessSample::sockets}));
  EXPECT_RULING(Fail, ask(kNoResourceLeak, r, &well));
}

TEST(NoResourceLeak, ThreadsAreToldFromAPoolByAGoodDayThatIsSeen) {
  RecordingBuilder r("x");
  times_out(r, 60);
  r.process(0ms, 12s, 0).series = looks(60, growing({&ProcessSample::threads}));
  EXPECT_RULING(Inconclusive, ask(kNoResourceLeak, r)) << "there is none";
  RecordingBuilder brief("control");
  goes_well(brief, 60, level);
  auto& series = brief.recording().processes.back().series;
  series.resize(8);  // one call or two were looked at
  EXPECT_RULING(Inconclusive, ask(kNoResourceLeak, r, &brief));
  RecordingBuilder slow("control");
  goes_well(slow, 60, [](std::uint64_t call) {
    ProcessSample sample = level(call);
    sample.threads += call / 10;  // an engine that makes one now and then
    return sample;
  });
  EXPECT_RULING(Fail, ask(kNoResourceLeak, r, &slow)) << "ten times as fast as there";
}

TEST(NoResourceLeak, WhatACallNeedsWhileItRunsIsNoLeak) {
  RecordingBuilder r("x");
  times_out(r, 60);
  r.process(0ms, 12s, 0).series = looks(60, level);
  auto& series = r.recording().processes.back().series;
  for (std::size_t i = 0; i < series.size(); i += 2) series[i].threads += i;
  EXPECT_RULING(Pass, ask(kNoResourceLeak, r));
}

TEST(NoResourceLeak, WhatIsLetGoAtTheEndLeaksAllTheSame) {
  RecordingBuilder r("x");
  times_out(r, 60);
  ProcessFacts& process = r.process(0ms, 12s, 0);
  process.series = looks(60, [](std::uint64_t call) {
    ProcessSample sample = level(call);
    sample.sockets += call;
    return sample;
  });
  // On its way out, behind the last timeout, it holds nothing any more.
  process.series.push_back({11'990ms, 0ms, 1, 3, 0, 1});
  EXPECT_RULING(Fail, ask(kNoResourceLeak, r));
}

TEST(NoResourceLeak, OneJumpIsNoLeakAndNoPass) {
  RecordingBuilder r("x");
  times_out(r, 60);
  r.process(0ms, 12s, 0).series = looks(60, [](std::uint64_t call) {
    ProcessSample sample = level(call);
    if (call > 52) sample.threads += 16;
    return sample;
  });
  EXPECT_RULING(Inconclusive, ask(kNoResourceLeak, r));
}

TEST(NoResourceLeak, FailsOnSocketsThatOnlyTheClientHolds) {
  RecordingBuilder r("x");
  times_out(r, 60);
  ProcessFacts& process = r.process(0ms, 12s, 0);
  process.series = looks(60, level);
  for (Port port = 1; port <= 5; ++port) {
    process.sockets.push_back({port, 0ms, 11s, std::nullopt, 1s});
  }
  const Finding few = ask(kNoResourceLeak, r);
  EXPECT_RULING(Pass, few);
  EXPECT_TRUE(mentions(few, "warning: copy 0: 5 sockets that the server had ended"));
  process.sockets.push_back({6, 0ms, 11s, std::nullopt, 1s});
  EXPECT_RULING(Fail, ask(kNoResourceLeak, r));
}

// A pool that looks at its connections when it needs one drops the dead one then.
TEST(NoResourceLeak, HalfClosedSocketsOfOneAfterTheOtherAreNoPile) {
  RecordingBuilder r("x");
  times_out(r, 60);
  ProcessFacts& process = r.process(0ms, 60s, 0);
  process.series = looks(60, level);
  for (int i = 0; i < 8; ++i) {
    process.sockets.push_back(
        {static_cast<Port>(i + 1), i * 6s, i * 6s + 6s, std::nullopt, i * 6s});
  }
  const Finding finding = ask(kNoResourceLeak, r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "warning: copy 0: 1 socket that the server had ended"))
      << statements(finding);
}

TEST(NoResourceLeak, AsksForEnoughTimeouts) {
  RecordingBuilder r("x");
  times_out(r, 54);
  r.process(0ms, 12s, 0).series = looks(54, level);
  EXPECT_RULING(NotApplicable, ask(kNoResourceLeak, r));
  EXPECT_RULING(Pass, ask(kNoResourceLeak, r, parameters({{"calls", "20"}})));
}

TEST(NoResourceLeak, CannotTellWithoutEvidence) {
  RecordingBuilder r("x");
  times_out(r, 60);
  r.process(0ms, 12s, 0);
  EXPECT_RULING(Inconclusive, ask(kNoResourceLeak, r));
  r.recording().child = false;
  EXPECT_RULING(NotObserved, ask(kNoResourceLeak, r));
}

}  // namespace resource_leaks
}  // namespace mishap::client_tests
