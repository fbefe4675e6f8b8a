#pragma once

#include <atomic>
#include <memory>

#include "server/control/judge.h"

// Runs that only remember what was asked of them, and a clock that stands until it is moved.
namespace mishap::server::control {

class StandingClock final : public Clock {
 public:
  Duration now() const override { return Duration(now_.load()); }
  std::chrono::system_clock::time_point wall(Duration instant) const override {
    return std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(instant));
  }
  void move(Duration by) { now_ += by.count(); }

 private:
  std::atomic<Duration::rep> now_ = 0;
};

struct FakeFacts {
  std::atomic<int> live = 0;
  std::atomic<int> begun = 0;
  std::atomic<int> ended = 0;
  std::atomic<int> abandoned = 0;
  std::atomic<Duration::rep> last_activity = 0;
  std::string last_outcomes;
  int last_copy = -1;
  RunEnd last_end;
  RunRequest last_request;
  const JudgedRun* last_control = nullptr;
};

class FakeRun final : public JudgedRun {
 public:
  FakeRun(FakeFacts& facts, const RunRequest& request) : seen_(facts) {
    facts_.name = request.name.empty() ? request.scenario : request.name;
    facts_.token = "tok";
    facts_.seed = 7;
    facts_.addresses = {{0, "booking", "http://127.0.0.1:1", 1},
                        {1, "booking", "http://127.0.0.1:2", 2}};
    ++seen_.live;
  }
  ~FakeRun() override { --seen_.live; }
  const RunFacts& facts() const override { return facts_; }
  std::uint64_t requests() const override { return 3; }
  Duration last_activity() const override { return Duration(seen_.last_activity.load()); }
  OutcomesTaken take_outcomes(std::string_view lines, int copy) override {
    seen_.last_outcomes = lines;
    seen_.last_copy = copy;
    if (lines.find("bad") != std::string_view::npos) return {0, {"line 1: not JSON"}};
    return {1, {}};
  }
  std::size_t outcomes() const override { return 1; }
  tl::expected<Judged, Problem> end(const RunEnd& how, const JudgedRun* control) override {
    ++seen_.ended;
    seen_.last_end = how;
    seen_.last_control = control;
    return Judged{"fail", "2 bookings", "long text", R"({"format": 1, "verdict": "fail"})"};
  }
  void abandon() override { ++seen_.abandoned; }

 private:
  FakeFacts& seen_;
  RunFacts facts_;
};

class FakeMaker final : public RunMaker {
 public:
  tl::expected<std::unique_ptr<JudgedRun>, Problem> begin(const RunRequest& request) override {
    if (request.scenario == "bad") {
      return tl::unexpected(
          Problem{422, "The scenario is wrong", "no", "", {{"no", "yaml", 3, 9, false}}});
    }
    ++seen.begun;
    seen.last_request = request;
    return std::make_unique<FakeRun>(seen, request);
  }
  FakeFacts seen;
};

}  // namespace mishap::server::control
