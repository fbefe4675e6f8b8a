#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "mishap/scenario.h"
#include "scenarios/parser/reading.h"
#include "scenarios/parser/tables.h"

namespace mishap::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::load;
using testing::said;
using testing::said_about;
using namespace std::chrono_literals;

TEST(Load, ReadsAFileOfSixLines) {
  const Loaded loaded = load_scenario_text("t",
                                           "mishap: 1\nscenario: lost\napi: booking\nfaults:\n  - "
                                           "on: POST /v1/bookings\n    fault: stall\n",
                                           "", {});
  ASSERT_THAT(said(loaded), IsEmpty());
  EXPECT_EQ(loaded.scenario->name, "lost");
  EXPECT_EQ(loaded.scenario->client.copies, 1);
  EXPECT_EQ(loaded.scenario->rules.size(), 1U);
  EXPECT_FALSE(loaded.scenario->counts.any());
}

TEST(Load, ReadsClientPromiseTimelineAndExpectations) {
  const Loaded loaded = load(R"(api: booking
timeline: [{phase: well, for: 5s}, {phase: down, for: 20s}]
faults: [{when: {during: down}, fault: stall}]
client: {copies: {count: 3, share: state}, kill_after: 40s}
promise: {max_attempts: 5, attempt_timeout: 2s, deadline: 120s, max_delay: 30s, retries: none}
expect:
  outcome: succeeded
  attempts: 2..5
  effects: {bookings: 1}
  seen: {409: 1..}
  no_duplicate_effects: required
  outcome_truthful: {off: "it has none"}
  bounded_attempts: {level: advisory, most: 3}
compare_with: other
tags: [core, create]
)");
  ASSERT_THAT(said(loaded), IsEmpty());
  const Scenario& s = *loaded.scenario;
  EXPECT_EQ(s.timeline.at(1).name, "down");
  EXPECT_EQ(s.timeline.at(1).length, 20s);
  EXPECT_EQ(s.client.copies, 3);
  EXPECT_TRUE(s.client.share_state);
  EXPECT_EQ(s.client.kill_after, 40s);
  EXPECT_EQ(s.promise.max_attempts, 5);
  EXPECT_EQ(s.promise.deadline, 2min);
  EXPECT_EQ(s.promise.retries, false);
  EXPECT_EQ(s.counts.outcome, "succeeded");
  EXPECT_TRUE(s.counts.attempts->contains(5) && !s.counts.attempts->contains(6));
  EXPECT_TRUE(s.counts.effects.at("bookings").contains(1));
  EXPECT_TRUE(s.counts.seen.at(409).contains(7));
  ASSERT_EQ(s.expectations.size(), 3U);
  EXPECT_EQ(s.expectations[0].level, Level::Required);
  EXPECT_EQ(s.expectations[1].level, Level::Off);
  EXPECT_EQ(s.expectations[1].reason, "it has none");
  EXPECT_EQ(s.expectations[2].level, Level::Advisory);
  EXPECT_EQ(to_json(s.expectations[2].parameters), "{\"most\":3}");
  EXPECT_EQ(s.compare_with, "other");
  EXPECT_THAT(s.tags, ElementsAre("core", "create"));
}

TEST(Load, SaysWhatIsWrongAtTheTopLevel) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"summary: x", "1:1 the key \"api\" is missing here: the vendor, as in api: booking"},
      {"api: any\napis: {a: any}", "4:7 a scenario has \"api\" or \"apis\", not both"},
      {"api: any\nsumary: x", "4:1 unknown key \"sumary\"; did you mean \"summary\"?"},
      {"api: any\nfaults: {fault: x}", "4:9 \"faults\" is a list: each rule begins with a dash"},
      {"api: any\nsummary:", "4:1 \"summary\" has no value"},
      {"api: any\nsummary: [a]", "4:10 \"summary\" is one value, not a list"},
      {"api: any\ntags: core", "4:7 \"tags\" is a list: [create, retry]"},
      {"api: any\nclient: {copies: 0}", "4:18 \"copies\" is between 1 and 1000"},
      {"api: any\nclient: {copies: {share: state}}", "4:18 the key \"count\" is missing here"},
      {"api: any\npromise: {attempt_timeout: 2}", "4:28 a duration needs its unit: 2s, 2ms or 2m?"},
      {"api: any\npromise: {retries: maybe}",
       "4:20 retries: unknown word \"maybe\"; known: none, declared"},
      {"api: any\ntimeline: {repeat: true}", "4:11 the key \"phases\" is missing here"},
      {"api: any\ntimeline: down", "4:11 a timeline is a list of phases: [{phase: well, for: 5s}]"},
      {"api: any\ntimeline: {phases: [{phase: a, for: 1s}], repaet: true}",
       "4:43 unknown key \"repaet\"; did you mean \"repeat\"?"},
      {"api: any\ntimeline: [{phase: a}]", "4:12 the key \"for\" is missing here"},
      {"api: any\nexpect: {calls: [~]}", "4:18 the key \"on\" is missing here"},
      {"api: {from: any, routes: [~]}", "3:27 the key \"on\" is missing here"},
      {"api: any\ntimeline: [{phase: a, for: 1s}, {phase: a, for: 1s}]",
       "4:33 there is a phase \"a\" before"},
      {"api: any\nexpect: {x: off}", "4:13 switching a check off needs a reason: {off: \"why\"}"},
      {"api: any\nexpect: {x: {off: ''}}",
       "4:19 switching a check off needs a reason: {off: \"why\"}"},
      {"api: any\nexpect: {x: {off: why, a: 1}}",
       "4:19 a check that is off has nothing but its reason"},
      {"api: any\nexpect: {x: requird}",
       "4:13 unknown level \"requird\"; did you mean \"required\"?"},
      {"api: booking\nexpect: {effects: {bokings: 1}}",
       "4:20 unknown resource \"bokings\"; did you mean \"bookings\"?"},
      {"api: any\nexpect: {seen: {999: 1}}", "4:17 \"999\" is not an HTTP status from 100 to 599"},
      {"api: any\nexpect: {attempts: every 2}",
       "4:20 \"every\" makes no sense here: give n, n..m or n.."}};
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(said_about(text + "\n"), ElementsAre(message)) << text;
  }
}

TEST(Load, WantsToKnowTheVersion) {
  const auto about = [](const std::string& text) {
    return said(load_scenario_text("t", text, "", {}));
  };
  EXPECT_THAT(about("scenario: t\napi: any\n"),
              ElementsAre("1:1 the key \"mishap\" is missing: a file begins with mishap: 1"));
  // Words of a newer version are not called unknown.
  EXPECT_THAT(about("mishap: 2\nscenario: t\nvendor: any\n"),
              ElementsAre("1:9 this file needs a newer mishap: it is written in version 2 of the "
                          "language, and this one reads version 1"));
  EXPECT_THAT(about("mishap: one\nscenario: t\napi: any\n"),
              ElementsAre("1:9 \"mishap\" is the version of the language: 1"));
  EXPECT_THAT(about("- a\n"),
              ElementsAre("1:1 a scenario is a map of keys, beginning with mishap: 1"));
}

TEST(Load, ReportsAllErrorsInTheOrderOfTheFile) {
  EXPECT_THAT(said_about("api: any\nfaults:\n  - {fault: stall, when: {attempt: 0}}\nsumary: x\n"
                         "promise: {deadline: 5, max_delay: 6}\n"),
              ElementsAre("5:36 this counts from 1",
                          "6:1 unknown key \"sumary\"; did you mean \"summary\"?",
                          "7:21 a duration needs its unit: 5s, 5ms or 5m?",
                          "7:35 a duration needs its unit: 6s, 6ms or 6m?"));
}

TEST(Load, ShowsFiftyErrorsAndCountsTheRest) {
  std::string text = "api: any\nfaults:\n";
  for (int i = 0; i < 80; ++i) text += "  - {fault: stall, when: {attempt: 0}}\n";
  const auto lines = said_about(text);
  ASSERT_EQ(lines.size(), 51U);
  EXPECT_EQ(lines.back(), "54:36 and 30 more errors below");
}

TEST(Load, HandsOnWhatCanBeReadInSpiteOfErrors) {
  const Loaded loaded =
      load("api: nowhere\nfaults:\n  - {on: pay GET /x, fault: stal}\n  - {fault: x, when: 1}\n");
  EXPECT_FALSE(loaded.scenario);
  ASSERT_TRUE(loaded.partial);
  ASSERT_EQ(loaded.partial->rules.size(), 1U);
  EXPECT_EQ(loaded.partial->rules[0].fault, "stal");
  ASSERT_EQ(loaded.partial->apis.size(), 1U);
  EXPECT_TRUE(loaded.partial->apis[0].any_path);
}

TEST(Params, StandForWholeValues) {
  const std::string text =
      "params: {create: {method: POST, class: unsafe}, n: 2, spare: x}\napi: any\nsummary: $$n or "
      "$n\n"
      "stands_for: $$n\nremedy: \"$spare\"\nfaults: [{on: $create, when: {attempt: $n}, fault: "
      "stall}]\n";
  const Loaded loaded = load(text);
  ASSERT_THAT(said(loaded), IsEmpty());
  EXPECT_EQ(loaded.scenario->rules[0].on.call_class, CallClass::Unsafe);
  EXPECT_TRUE(loaded.scenario->rules[0].when.attempt->contains(2));
  EXPECT_EQ(loaded.scenario->summary, "$n or $n");
  EXPECT_EQ(loaded.scenario->stands_for, "$n");
  EXPECT_EQ(loaded.scenario->remedy, "x");
  EXPECT_THAT(loaded.scenario->param_names, ElementsAre("create", "n", "spare"));
}

TEST(Params, AreReplacedBySet) {
  LoadOptions options;
  options.set = {{"create", "PUT /orders"}};
  const Loaded loaded =
      load("params: {create: any}\napi: any\nfaults: [{on: $create, fault: stall}]\n", options);
  ASSERT_THAT(said(loaded), IsEmpty());
  EXPECT_EQ(loaded.scenario->rules[0].on.method, "PUT");
}

TEST(Params, SayWhatIsWrong) {
  const std::string text =
      "params: {create: any}\napi: any\nfaults: [{on: $create, fault: stall}]\n";
  LoadOptions options;
  options.set = {{"creat", "PUT /orders"}};
  EXPECT_THAT(said_about(text, options),
              ElementsAre("1:1 unknown parameter \"creat\"; did you mean \"create\"?"));
  options.pass_over_unknown_set = true;
  EXPECT_THAT(said_about(text, options), IsEmpty());
  options.set = {{"create", "PUT orders"}};
  const Loaded bad_value = load(text, options);
  EXPECT_EQ(render(bad_value.diagnostics.at(0)),
            "--set create:1:5: a path begins with \"/\": /orders\n"
            "    1 | PUT orders\n"
            "      |     ^~~~~~\n");
  EXPECT_THAT(
      said_about("params: {create: any}\napi: any\nfaults: [{on: $creat, fault: $create}]\n"),
      ElementsAre("5:15 unknown parameter \"creat\"; did you mean \"create\"?"));
  EXPECT_THAT(said_about("api: any\nsummary: $x\n"),
              ElementsAre("4:10 unknown parameter \"x\"; this file has no params (a dollar sign is "
                          "written $$)"));
  EXPECT_THAT(
      said_about("params: {Bad: 1}\napi: any\n"),
      ::testing::Contains("3:10 a parameter's name is lower case letters, digits and \"_\", "
                          "no digit first"));
  EXPECT_THAT(said_about("params: {a: any, b: $a}\napi: $a\nsummary: $b\n"),
              ElementsAre("3:21 a default cannot be made of another parameter"));
  EXPECT_THAT(said_about("params: {n: 1}\napi: any\n"),
              ElementsAre("warning 3:10 the parameter \"n\" is never used"));
}

TEST(Params, DoNotUnfoldWithoutBound) {
  std::string text = "params: {big: [";
  for (int i = 0; i < 1000; ++i) text += "x, ";
  text += "x]}\napi: any\nfaults: [{fault: {kind: status, json: [";
  for (int i = 0; i < 1000; ++i) text += "$big, ";
  text += "x]}}]\n";
  const auto lines = said_about(text);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("with its parameters the file unfolds to more than 20000 values"),
            std::string::npos);
}

TEST(Options, ReplaceTheApiAndAddPromises) {
  LoadOptions options;
  options.api = "booking";
  options.promise = {{"max_attempts", "5"}};
  const Loaded loaded = load("api: any\npromise: {max_attempts: 3, deadline: 9s}\n", options);
  ASSERT_THAT(said(loaded), IsEmpty());
  EXPECT_EQ(loaded.scenario->apis[0].name, "booking");
  EXPECT_EQ(loaded.scenario->promise.max_attempts, 5);
  EXPECT_EQ(loaded.scenario->promise.deadline, 9s);
}

TEST(Options, SayWhatIsWrongAsTheUserTypedIt) {
  LoadOptions options;
  options.promise = {{"deadline", "5"}};
  EXPECT_EQ(render(load("api: any\n", options).diagnostics.at(0)),
            "--promise:1:10: a duration needs its unit: 5s, 5ms or 5m?\n"
            "    1 | deadline=5\n"
            "      |          ^\n");
  options.promise.clear();
  options.api = "bookin";
  EXPECT_EQ(render(load("api: any\n", options).diagnostics.at(0)),
            "--api:1:1: unknown api \"bookin\"; did you mean \"booking\"?\n"
            "    1 | bookin\n"
            "      | ^~~~~~\n");
}

TEST(LoadApi, IsAScenarioWithoutFaults) {
  const Loaded loaded = load_api("booking", {});
  ASSERT_TRUE(loaded.scenario);
  EXPECT_EQ(loaded.scenario->name, "booking");
  EXPECT_THAT(loaded.scenario->rules, IsEmpty());
  EXPECT_EQ(load_api("bokking", {}).diagnostics.at(0).message,
            "unknown api \"bokking\"; did you mean \"booking\"?");
}

TEST(LoadScenario, RefusesWhatIsNoFile) {
  EXPECT_EQ(load_scenario("./no.yaml", {}).diagnostics.at(0).message,
            "there is no file \"./no.yaml\"");
  EXPECT_EQ(load_scenario("/dev/zero", {}).diagnostics.at(0).message,
            "\"/dev/zero\" is not a regular file");
  EXPECT_EQ(load_scenario("/", {}).diagnostics.at(0).message, "\"/\" is a folder, not a file");
}

TEST(LoadScenario, ReadsEveryShippedOne) {
  ASSERT_THAT(shipped_apis(), ::testing::Not(IsEmpty()));
  for (const Shipped& shipped : shipped_scenarios()) {
    const Loaded loaded = load_scenario(shipped.name, {});
    EXPECT_THAT(said(loaded), IsEmpty()) << shipped.name;
    ASSERT_TRUE(loaded.scenario) << shipped.name;
    EXPECT_TRUE(loaded.scenario->shipped);
    EXPECT_EQ(loaded.scenario->pack + "/" + loaded.scenario->name, shipped.name);
    EXPECT_EQ(loaded.scenario->path, "shipped:" + shipped.name + ".yaml");
  }
}

class TargetsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        (std::filesystem::temp_directory_path() / ("mishap-targets-" + std::to_string(getpid())))
            .string();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/empty");
    for (const std::string name : {"b.yaml", "a.yaml", "c.txt"}) {
      std::ofstream(folder_ + "/" + name) << "mishap: 1\nscenario: x\napi: any\n";
    }
    std::ofstream(folder_ + "/vendor.yaml") << "mishap: 1\napi: x\nany_path: true\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(TargetsTest, AreFilesFoldersAndShippedNamesEachOnce) {
  const auto targets = resolve_targets({folder_ + "/b.yaml", folder_});
  ASSERT_TRUE(targets);
  EXPECT_THAT(*targets, ElementsAre(folder_ + "/b.yaml", folder_ + "/a.yaml"));
}

TEST_F(TargetsTest, SayWhatIsMissing) {
  EXPECT_EQ(resolve_targets({folder_ + "/no.yaml"}).error().message,
            "there is no file \"" + folder_ + "/no.yaml\"");
  EXPECT_EQ(resolve_targets({folder_ + "/empty"}).error().message,
            "there is no scenario (*.yaml) in \"" + folder_ + "/empty\"");
  EXPECT_EQ(resolve_targets({"no-such-thing-at-all"}).error().code, ErrorCode::NotFound);
}

TEST(Targets, APackIsAllItsScenarios) {
  ASSERT_FALSE(shipped_scenarios().empty());
  const std::string& name = shipped_scenarios().front().name;
  const std::string pack = name.substr(0, name.find('/'));
  const auto targets = resolve_targets({pack});
  ASSERT_TRUE(targets);
  EXPECT_THAT(*targets, ::testing::Contains(name));
  EXPECT_EQ(resolve_targets({name}).value(), std::vector<std::string>{name});
  EXPECT_EQ(resolve_targets({name.substr(name.find('/') + 1)}).value(),
            std::vector<std::string>{name});
  const auto slip = resolve_targets({name.substr(name.find('/') + 1) + "x"});
  EXPECT_NE(slip.error().message.find("did you mean"), std::string::npos);
}

TEST(KeyTables, NameEachKeyOnceAndExplainIt) {
  for (const KeyTable* table : all_key_tables()) {
    std::set<std::string> names;
    for (const KeySpec& key : table->keys) {
      EXPECT_TRUE(names.insert(std::string(key.name)).second) << table->id << "." << key.name;
      EXPECT_FALSE(key.help.empty()) << table->id << "." << key.name;
      EXPECT_FALSE(key.example.empty()) << table->id << "." << key.name;
      EXPECT_EQ(key.shape == Shape::Word, !key.choices.empty()) << table->id << "." << key.name;
    }
  }
}

}  // namespace
}  // namespace mishap::scenarios
