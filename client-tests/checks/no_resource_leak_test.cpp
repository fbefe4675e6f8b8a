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
  for (const auto& [name, kind] : kinds) {
    RecordingBuilder r("x");
    times_out(r, 60);
    r.process(0ms, 12s, 0).series = looks(60, [kind = kind](std::uint64_t call) {
      ProcessSample sample = level(call);
      sample.*kind += call;
      return sample;
    });
    const Finding finding = ask(kNoResourceLeak, r);
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
