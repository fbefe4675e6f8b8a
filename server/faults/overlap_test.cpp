#include "server/faults/overlap.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using scenarios::CallClass;
using scenarios::Count;
using scenarios::FaultRule;
using scenarios::Matcher;

Matcher on(std::string method, std::string path) {
  Matcher matcher;
  matcher.method = std::move(method);
  matcher.path = std::move(path);
  return matcher;
}

TEST(Overlap, PathsMayMeet) {
  struct Case {
    std::string a, b;
    bool expected;
  };
  const std::vector<Case> cases = {
      {"*", "/v1/x", true},           {"/v1/x", "/v1/x", true},      {"/v1/x", "/v1/y", false},
      {"/v1/:id", "/v1/x", true},     {"/v1/:id", "/v1", false},     {"/v1/*", "/v1/x/y", true},
      {"/v1/*", "/v2/x", false},      {"/v1/x", "/v1/x/y", false},   {"/v1/:a/y", "/v1/x/:b", true},
      {"/v1/:a/y", "/v1/x/z", false}, {"/v1/a%20b", "/v1/a b", true}};
  for (const Case& c : cases) {
    EXPECT_EQ(paths_may_meet(c.a, c.b), c.expected) << c.a << " " << c.b;
    EXPECT_EQ(paths_may_meet(c.b, c.a), c.expected) << c.b << " " << c.a;
  }
}

TEST(Overlap, AMatcherCoversWhatItIsWiderThan) {
  struct Case {
    Matcher general, special;
    bool expected;
  };
  const std::vector<Case> cases = {{on("*", "*"), on("POST", "/v1/x"), true},
                                   {on("POST", "/v1/x"), on("*", "*"), false},
                                   {on("POST", "/v1/*"), on("POST", "/v1/x"), true},
                                   {on("POST", "/v1/*"), on("POST", "/v1"), false},
                                   {on("GET", "/v1/:id"), on("GET", "/v1/:x"), true},
                                   {on("GET", "/v1/a"), on("GET", "/v1/:x"), false},
                                   {on("GET", "/v1/a"), on("POST", "/v1/a"), false}};
  for (const Case& c : cases) {
    EXPECT_EQ(covers(c.general, c.special), c.expected)
        << c.general.path << " over " << c.special.path;
  }
}

TEST(Overlap, ConditionsMakeAMatcherNarrower) {
  Matcher narrow = on("*", "*");
  narrow.headers = {{"X-A", "1"}};
  EXPECT_FALSE(covers(narrow, on("*", "*")));
  EXPECT_TRUE(covers(on("*", "*"), narrow));
  EXPECT_TRUE(covers(narrow, narrow));
  Matcher safe = on("*", "*");
  safe.call_class = CallClass::Safe;
  EXPECT_FALSE(covers(safe, on("*", "*")));
  Matcher other = on("*", "*");
  other.api = "pay";
  EXPECT_FALSE(covers(other, on("*", "*")));
}

Count range(std::uint64_t first, std::uint64_t last) {
  return {first, last, 0, {}};
}
Count every(std::uint64_t n) {
  Count count;
  count.every = n;
  return count;
}

TEST(Overlap, CountersHoldWheneverTheyAreWider) {
  const auto holds = [](std::optional<Count> general, std::optional<Count> special) {
    FaultRule a, b;
    a.when.attempt = general;
    b.when.attempt = special;
    return holds_whenever(a, b);
  };
  EXPECT_TRUE(holds(std::nullopt, range(1, 1)));
  EXPECT_FALSE(holds(range(1, 1), std::nullopt));
  EXPECT_TRUE(holds(range(1, 3), range(2, 2)));
  EXPECT_FALSE(holds(range(1, 3), range(2, 4)));
  EXPECT_TRUE(holds(every(2), every(4)));
  EXPECT_FALSE(holds(every(4), every(2)));
  EXPECT_FALSE(holds(every(2), range(2, 2)));
}

TEST(Overlap, ChanceAndTimeNeverHoldForCertain) {
  FaultRule always, rare;
  rare.when.rate = 0.5;
  EXPECT_TRUE(holds_whenever(always, rare));
  EXPECT_FALSE(holds_whenever(rare, always));
  FaultRule ramp;
  ramp.when.rate_at_end = 0.0;
  EXPECT_FALSE(holds_whenever(ramp, always));
  FaultRule phase;
  phase.when.during_phase = "down";
  EXPECT_FALSE(holds_whenever(phase, always));
  EXPECT_TRUE(holds_whenever(phase, phase));
}

TEST(Overlap, OperationsAreCountedByEachMatcherForItself) {
  FaultRule wide, narrow;
  wide.on = on("POST", "/v1/x");
  narrow.on = wide.on;
  narrow.on.body = {{"product", "odd"}};
  wide.when.op = narrow.when.op = range(2, 2);
  EXPECT_FALSE(holds_whenever(wide, narrow));
  EXPECT_TRUE(holds_whenever(wide, wide));
}

TEST(Overlap, RequestsAreCountedByEachMatcherForItself) {
  FaultRule wide, narrow;
  wide.on = on("*", "*");
  narrow.on = on("POST", "/v1/x");
  wide.when.request = narrow.when.request = range(1, 1);
  EXPECT_FALSE(holds_whenever(wide, narrow));
  narrow.on = wide.on;
  EXPECT_TRUE(holds_whenever(wide, narrow));
}

}  // namespace
}  // namespace mishap::server
