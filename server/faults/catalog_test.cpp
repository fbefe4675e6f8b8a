#include "server/faults/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mishap/server.h"
#include "server/faults/fault_fixture.h"
#include "server/faults/rule.h"
#include "server/faults/table.h"

namespace mishap::server {
namespace {

TEST(Catalog, IsCompleteForEveryFault) {
  std::set<std::string_view> names;
  std::set<std::string_view> actions;
  for (const FaultDescriptor* fault : fault_descriptors()) {
    EXPECT_TRUE(names.insert(fault->name).second) << fault->name;
    EXPECT_TRUE(fault->action.empty() || actions.insert(fault->action).second) << fault->action;
    EXPECT_FALSE(fault->summary.empty() || fault->stands_for.empty() || fault->since.empty())
        << fault->name;
    EXPECT_FALSE(fault->points.empty()) << fault->name;
    EXPECT_TRUE(fault->plan != nullptr && fault->shortfall != nullptr) << fault->name;
    for (const ParamSpec& spec : fault->params)
      EXPECT_FALSE(spec.help.empty()) << fault->name << " " << spec.name;
    EXPECT_EQ(find_fault(fault->name), fault);
  }
  EXPECT_EQ(names.size(), 42u);
  EXPECT_EQ(find_fault("nonsense"), nullptr);
  EXPECT_EQ(find_action(""), nullptr);
  EXPECT_EQ(find_action("delay")->name, "latency");
}

// What has to be written at least.
Written least(const FaultDescriptor& fault) {
  Written written;
  for (const ParamSpec& spec : fault.params) {
    if (spec.required) written.emplace_back(spec.name, "2");
  }
  return written;
}

TEST(Catalog, FaultsAtConnectAndNoOthersAreTheListeners) {
  for (const FaultDescriptor* fault : fault_descriptors()) {
    const bool at_connect = fault->points == std::vector<Point>{Point::Connect};
    EXPECT_EQ(at_connect, fault->listen != nullptr) << fault->name;
    if (!at_connect) continue;
    const ListenerAction action = fault->listen(params_of(*fault, least(*fault)));
    EXPECT_FALSE(std::holds_alternative<TakeConnections>(action)) << fault->name;
    EXPECT_NE(proof(*fault, Point::Connect, answered()), "delivered") << fault->name;
  }
}

Steps ordinary_steps(Point point, Moment moment) {
  if (point == Point::Handshake) return {Handshake{}};
  Steps steps = ordinary(moment);
  // Of a client that asks before it sends its body.
  if (moment == Moment::Head) {
    steps.insert(steps.begin(), Send{Part::Interim, "HTTP/1.1 100 Continue\r\n\r\n", 0, {}});
  }
  return steps;
}

bool changes_the_plan(const FaultDescriptor& fault, Point point, Moment moment) {
  Steps steps = ordinary_steps(point, moment);
  const std::string spoilt = planned(fault, point, moment, least(fault), steps);
  if (!fault.shapes_answer) steps = encode(std::move(steps));
  return spoilt != print(steps);
}

// Whatever the point: a fault that is left as it is by default does something there, or in another
// moment that it asks for, and is not proven by an exchange that went well.
TEST(Catalog, EveryFaultChangesThePlanAndIsNotProvenByAHealthyExchange) {
  Connection healthy;
  healthy.exchanges = 1;
  for (const FaultDescriptor* fault : fault_descriptors()) {
    for (const Point point : fault->points) {
      if (point == Point::Connect) continue;
      std::vector<Moment> moments = fault->also;
      moments.push_back(moment_of(point));
      EXPECT_TRUE(std::ranges::any_of(
          moments, [&](Moment moment) { return changes_the_plan(*fault, point, moment); }))
          << fault->name << " at " << scenarios::to_string(point);
      EXPECT_NE(proof(*fault, point, answered(), least(*fault), &healthy), "delivered")
          << fault->name << " at " << scenarios::to_string(point);
    }
  }
}

TEST(Catalog, SaysItInPlainWords) {
  const auto entries = fault_catalogue();
  ASSERT_EQ(entries.size(), fault_descriptors().size());
  EXPECT_EQ(entries.front().name, "latency");
  ASSERT_EQ(entries.front().details.size(), 3u);
  EXPECT_EQ(entries.front().details[1].first, "at");
  EXPECT_EQ(entries.front().details[1].second,
            "before_effect (default), accept, request_head, after_effect, response_body");
  EXPECT_EQ(entries.front().details[2].second, "delay");
}

TEST(Catalog, GivesEveryPointToOneMoment) {
  EXPECT_EQ(moment_of(Point::Handshake), Moment::Accept);
  EXPECT_EQ(moment_of(Point::RequestBody), Moment::Head);
  EXPECT_EQ(moment_of(Point::BeforeEffect), Moment::Request);
  EXPECT_EQ(moment_of(Point::AfterEffect), Moment::Apply);
  EXPECT_EQ(moment_of(Point::Idle), Moment::Apply);
}

// The points belong to the language, and their faults to this room.
TEST(Points, AreExplainedWithARuleThatIsRight) {
  const auto entries = scenarios::point_catalogue();
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : entries) names.emplace_back(entry.name);
  EXPECT_EQ(names, scenarios::point_names());
  for (const CatalogueEntry& entry : entries) {
    ASSERT_EQ(entry.details.back().first, "example");
    const std::string text = "mishap: 1\nscenario: t\napi: {from: any, tls: true}\nfaults:\n  - " +
                             std::string(entry.details.back().second) + "\n";
    const auto loaded = scenarios::load_scenario_text("t.yaml", text, "", {});
    ASSERT_TRUE(loaded.scenario) << entry.name << render(loaded.diagnostics.at(0));
    Diagnostics diagnostics;
    const auto rules = compile_rules(*loaded.scenario, diagnostics);
    ASSERT_EQ(rules.size(), 1U) << entry.name;
    EXPECT_TRUE(diagnostics.empty() && check_scenario(*loaded.scenario).empty()) << entry.name;
    EXPECT_EQ(scenarios::to_string(rules[0].point), entry.name);
  }
}

TEST(FaultTable, HasARowOfFiveCellsForEveryFault) {
  const std::string table = fault_table_markdown();
  std::size_t rows = 0;
  for (std::size_t begin = 0; begin < table.size(); ++rows) {
    const std::size_t end = table.find('\n', begin);
    std::size_t bars = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (table[i] == '|' && (i == begin || table[i - 1] != '\\')) ++bars;
    }
    EXPECT_EQ(bars, 6u) << table.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_EQ(rows, fault_descriptors().size() + 2);
}

}  // namespace
}  // namespace mishap::server
