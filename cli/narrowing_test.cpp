#include "cli/narrowing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "mishap/recording.h"

namespace mishap::cli {
namespace {

namespace fs = std::filesystem;
using scenarios::Scenario;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Scenario scenario(const std::string& name, std::vector<std::string> tags = {}) {
  Scenario made;
  made.pack = "core";
  made.name = name;
  made.tags = std::move(tags);
  return made;
}

std::vector<std::string> names(const std::vector<Scenario>& scenarios) {
  std::vector<std::string> all;
  for (const auto& one : scenarios) all.push_back(one.name);
  return all;
}

// Chosen from four with their tags.
std::vector<std::string> tagged(std::vector<std::string> tags) {
  TestArguments arguments;
  arguments.targets = {"core"};
  arguments.tags = std::move(tags);
  arguments.shard = "off";
  std::vector<Scenario> all{scenario("a", {"create"}), scenario("b", {"read"}),
                            scenario("c", {"create", "slow"}), scenario("d")};
  Narrowing narrowing;
  if (!narrowing.prepare(arguments) || !narrowing.apply(all)) return {"refused"};
  EXPECT_THAT(narrowing.all_names(), SizeIs(4));
  EXPECT_EQ(narrowing.narrowed(), all.size() != 4);
  return names(all);
}

TEST(Narrowing, ByTag) {
  EXPECT_THAT(tagged({}), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(tagged({"create"}), ElementsAre("a", "c"));
  EXPECT_THAT(tagged({"create", "read"}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(tagged({"not:slow"}), ElementsAre("a", "b", "d"));
  EXPECT_THAT(tagged({"create", "not:slow"}), ElementsAre("a"));
  EXPECT_THAT(tagged({"slow", "not:create"}), ElementsAre("refused"));
  EXPECT_THAT(tagged({"craete"}), ElementsAre("refused"));
}

TEST(Narrowing, EveryScenarioIsInOneShard) {
  for (const std::string total : {"2", "3", "7"}) {
    std::vector<std::string> seen;
    for (int index = 1; index <= std::stoi(total); ++index) {
      TestArguments arguments;
      arguments.targets = {"core"};
      arguments.shard = std::to_string(index) + "/" + total;
      std::vector<Scenario> all{scenario("a"), scenario("b"), scenario("c"), scenario("d")};
      Narrowing narrowing;
      ASSERT_TRUE(narrowing.prepare(arguments) && narrowing.apply(all));
      EXPECT_THAT(narrowing.lines(), HasSubstr("of 4 scenarios"));
      for (const auto& name : names(all)) seen.push_back(name);
    }
    EXPECT_THAT(seen, ::testing::UnorderedElementsAre("a", "b", "c", "d"));
  }
}

// In a folder of its own, where runs are stored as `test` does.
class LastFailed : public ::testing::Test {
 protected:
  LastFailed() {
    std::string pattern = (fs::temp_directory_path() / "narrowing-XXXXXX").string();
    fs::current_path(::mkdtemp(pattern.data()));
    arguments_.targets = {"core"};
    arguments_.shard = "off";
    arguments_.last_failed = "true";
  }
  ~LastFailed() override {
    const auto folder = fs::current_path();
    fs::current_path("/");
    fs::remove_all(folder);
  }

  // Without a request all of its scenarios are inconclusive; `not_run` ones are not applicable.
  void store(const std::string& name, const std::vector<std::string>& targets,
             const std::vector<std::string>& open, const std::vector<std::string>& not_run,
             const std::vector<std::string>& stopped = {}) {
    client_tests::Suite suite;
    suite.targets = targets;
    suite.stopped = stopped;
    for (const auto* list : {&open, &not_run}) {
      for (const auto& scenario : *list) {
        auto& recording = suite.recordings.emplace_back();
        recording.scenario.pack = "core";
        recording.scenario.name = scenario;
        if (list == &not_run) recording.not_run = "your client makes no such call";
      }
    }
    ASSERT_TRUE(client_tests::store_suite(suite, "mishap-runs/" + name));
  }

  std::vector<std::string> chosen() {
    std::vector<Scenario> all{scenario("a"), scenario("b"), scenario("c")};
    narrowing_ = {};
    if (!narrowing_.prepare(arguments_) || !narrowing_.apply(all)) return {"refused"};
    return names(all);
  }

  TestArguments arguments_;
  Narrowing narrowing_;
};

TEST_F(LastFailed, WithoutARunThereIsNothingToRepeat) {
  EXPECT_THAT(chosen(), ElementsAre("refused"));
}

TEST_F(LastFailed, IsTakenFromTheNewestRunOfTheSameTargets) {
  store("2026-01-01T00-00-00-core", {"core"}, {"a", "b"}, {"c"});
  store("2026-01-02T00-00-00-core", {"core"}, {"b"}, {"a", "c"});
  store("2026-01-03T00-00-00-other", {"other"}, {"c"}, {});
  EXPECT_THAT(chosen(), ElementsAre("b"));
  EXPECT_TRUE(narrowing_.narrowed());
  EXPECT_THAT(narrowing_.lines(), HasSubstr("2026-01-02"));
  arguments_.last_failed = "mishap-runs/2026-01-01T00-00-00-core";
  EXPECT_THAT(chosen(), ElementsAre("a", "b"));
}

TEST_F(LastFailed, OfARunThatWasStoppedWhateverDidNotComeCountsAsOpen) {
  store("2026-01-01T00-00-00-core", {"core"}, {"b"}, {"a"}, {"interrupted"});
  EXPECT_THAT(chosen(), ElementsAre("b", "c"));
}

TEST_F(LastFailed, WhereAllIsWellThereIsNothingToDo) {
  store("2026-01-01T00-00-00-core", {"core"}, {}, {"a", "b", "c"});
  EXPECT_THAT(chosen(), IsEmpty());
  EXPECT_TRUE(narrowing_.nothing_failed());
}

}  // namespace
}  // namespace mishap::cli
