#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "server/wire/wire_fixture.h"

namespace mishap::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Where a run listens and what its URLs say.
struct PortsTest : WireTest {
  tl::expected<std::unique_ptr<Run>, Error> begin_with(LiveRunSetup more) {
    more.io = io_;
    more.engine = std::make_shared<FakeEngine>();
    more.clock = RunClock(clock_, clock_.now());
    if (more.plans.empty()) more.plans = {{0, "booking", {}}};
    return begin_live_run(std::move(more));
  }
  LiveRunSetup setup() const {
    return {.io = io_, .engine = engine_, .clock = RunClock(clock_, clock_.now()), .plans = {}};
  }
  // A range that was free a moment ago.
  PortRange free_range(Port count) {
    begin();
    const Port first = port();
    run_.reset();
    return {first, static_cast<Port>(first + count - 1)};
  }
};

TEST_F(PortsTest, ARangeIsUsedUpAndThenSaysSo) {
  auto with = setup();
  with.ports = free_range(3);
  std::vector<std::unique_ptr<Run>> runs;
  std::set<Port> seen;
  for (;;) {
    auto run = begin_with(with);
    if (!run) {
      EXPECT_EQ(run.error().code, ErrorCode::Environment);
      EXPECT_THAT(run.error().message, HasSubstr("every port of "));
      break;
    }
    seen.insert((*run)->addresses().at(0).port);
    runs.push_back(std::move(*run));
    ASSERT_LE(runs.size(), 3U);
  }
  EXPECT_EQ(seen.size(), runs.size());
  for (const Port one : seen) EXPECT_TRUE(one >= with.ports.first && one <= with.ports.last);
  ASSERT_FALSE(runs.empty());
  runs.pop_back();
  EXPECT_TRUE(begin_with(with)) << "a port that was given back";
}

TEST_F(PortsTest, EachLaneTakesOneOfTheRange) {
  auto with = setup();
  with.ports = free_range(4);
  with.plans = {{0, "a", {}}, {1, "a", {}}};
  const auto run = begin_with(with);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_NE((*run)->addresses().at(0).port, (*run)->addresses().at(1).port);
}

TEST_F(PortsTest, UrlsNameWhatIsAdvertised) {
  auto with = setup();
  with.advertise = "mishap.test";
  EXPECT_THAT((*begin_with(with))->addresses().at(0).url, StartsWith("http://mishap.test:"));
  with.advertise = "";
  with.address = "::1";
  EXPECT_THAT((*begin_with(with))->addresses().at(0).url, StartsWith("http://[::1]:"));
}

}  // namespace
}  // namespace mishap::server
