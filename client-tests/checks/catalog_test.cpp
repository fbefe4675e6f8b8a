#include <algorithm>
#include <set>

#include "client-tests/checks/check_testing.h"
#include "client-tests/checks/table.h"

namespace mishap::client_tests {

TEST(Catalog, NamesEachCheckOnceAndTellsAllAboutIt) {
  std::set<std::string_view> names;
  for (const CheckDescriptor* check : check_descriptors()) {
    EXPECT_TRUE(names.insert(check->name).second) << check->name;
    EXPECT_EQ(find_check(check->name), check);
    for (const auto text : {check->summary, check->rule, check->judged, check->why, check->change,
                            check->source, check->since}) {
      EXPECT_FALSE(text.empty()) << check->name;
    }
    EXPECT_NE(check->evaluate, nullptr) << check->name;
    EXPECT_TRUE(check->on_faults || check->on_control) << check->name;
    EXPECT_NE(check_table_markdown().find("| `" + std::string(check->name) + "` |"),
              std::string::npos);
  }
  EXPECT_EQ(names.size(), 77u);
  EXPECT_EQ(find_check("no_such_check"), nullptr);
}

TEST(Catalog, NoCheckPassesAnEmptyRun) {
  for (const CheckDescriptor* check : check_descriptors()) {
    RecordingBuilder r("x");
    r.rule("lost", "response_lost");
    r.process(0ms, 10ms, 0);
    EXPECT_NE(ask(*check, r).ruling, Ruling::Pass) << check->name;
    EXPECT_NE(ask(*check, r).ruling, Ruling::Fail) << check->name;
  }
}

TEST(Catalog, NoCheckFailsARightClient) {
  for (const CheckDescriptor* check : check_descriptors()) {
    RecordingBuilder r("response-lost");
    r.rule("lost", "response_lost").attempt = only(1, 1);
    r.promise().retries = true;
    for (int i = 0; i < 3; ++i) {
      auto op = r.create("r-" + std::to_string(i)).key("k" + std::to_string(i));
      op.attempt(i * 1s).effect().fired("lost").lost_by_reset(i * 1s + 4ms);
      op.attempt(i * 1s + 300ms).replayed().answered(201, i * 1s + 302ms);
      r.outcome(i * 1s + 310ms, "r-" + std::to_string(i), OutcomeKind::Succeeded);
    }
    r.process(0ms, 3s, 0);
    const Finding finding = ask(*check, r);
    EXPECT_NE(finding.ruling, Ruling::Fail) << check->name << " " << statements(finding);
    EXPECT_NE(finding.ruling, Ruling::Inconclusive) << check->name << " " << statements(finding);
  }
}

}  // namespace mishap::client_tests
