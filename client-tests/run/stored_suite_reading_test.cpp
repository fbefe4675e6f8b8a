#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "client-tests/run/stored_suite_fixture.h"

namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(StoredSuite, SaysWhatIsMissing) {
  const auto nowhere = load_suite(at("nowhere"));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::NotFound);
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  for (const char* name :
       {"output-0-stdout.head", "outcomes.jsonl", "journal.jsonl", "recording.json"}) {
    const std::string path = at("run/core-lost/") + name;
    fs::remove(path);
    const auto loaded = load_suite(at("run"));
    ASSERT_FALSE(loaded) << name;
    EXPECT_EQ(loaded.error().code, ErrorCode::NotFound);
    EXPECT_EQ(render(loaded.error()), path + ": there is no such file\n");
  }
}

TEST_F(StoredSuite, OfAnOlderMishapIsReadWithDefaults) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  change(at("run/suite.json"), "\"project\"", "\"of-long-ago\"");
  change(at("run/core-lost/recording.json"), "\"profile\"", "\"of-long-ago\"");
  change(at("run/core-lost/recording.json"), "\"listening\"", "\"of-long-ago\"");
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->project, "");
  EXPECT_EQ(loaded->recordings[0].scenario.promise.profile, "");
  EXPECT_TRUE(loaded->recordings[0].processes[0].listening.empty());
}

TEST_F(StoredSuite, RefusesWhatANewerMishapWrote) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  change(at("run/core-lost/recording.json"), "\"format\": 1", "\"format\": 2");
  const auto loaded = load_suite(at("run"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::BadInput);
  EXPECT_EQ(loaded.error().message, "written by a newer mishap: format 2, this one reads up to 1");
}

TEST_F(StoredSuite, WhatAnOlderMishapDidNotKnowTakesItsDefault) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  for (const char* member :
       {"\"trouble\"", "\"drives\"", "\"role\"", "\"told_to_end\"", "\"unread_dead_letters\""}) {
    change(at("run/core-lost/recording.json"), member, "\"not_there\"");
  }
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Recording& recording = loaded->recordings.at(0);
  EXPECT_EQ(recording.trouble, "");
  EXPECT_TRUE(recording.drives.empty());
  EXPECT_TRUE(recording.unread_dead_letters.empty());
  EXPECT_EQ(recording.processes.at(0).role, ProcessRole::Command);
  EXPECT_FALSE(recording.processes.at(0).told_to_end);
}

TEST_F(StoredSuite, AListThatAnOlderMishapDidNotKnowIsEmpty) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  change(at("run/core-lost/recording.json"), "\"calls\"", "\"unheard-of\"");
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(loaded->recordings.front().scenario.counts.calls.empty());
}

struct Corruption {
  const char* file;
  const char* from;
  const char* to;
  const char* message;
  int line;
};

TEST_F(StoredSuite, SaysWhereAFileIsCorrupt) {
  const Corruption corruptions[] = {
      {"suite.json", "\"seed\": 77,", "\"seed\": 77 oops,", "not valid JSON", 4},
      {"suite.json", "\"seed\": 77,", "\"seed\": -77,", "/seed must be a whole number in its range",
       0},
      {"suite.json", "\"jobs\"", "\"bobs\"", "/jobs is missing", 0},
      {"suite.json", "\"core-lost\"", "\"../run/core-lost\"", "is not the name of a folder in it",
       0},
      {"core-lost/recording.json", "\"rate\": 0.1", "\"rate\": \"x\"",
       "/scenario/rules/0/rate must be a number", 0},
      {"core-lost/recording.json", "\"killed\"", "\"vanished\"",
       "/processes/0/stop is a word that this mishap does not know", 0},
      {"core-lost/recording.json", "\"local_port\": 50123", "\"local_port\": 70000",
       "/processes/0/sockets/0/local_port must be a whole number in its range", 0},
      {"core-lost/outcomes.jsonl", "\"pending\"", "\"perhaps\"",
       "/outcome is a word that this mishap does not know", 2},
      {"core-lost/outcomes.jsonl", "\"copy\":2", "\"copy\":,", "not valid JSON", 2},
  };
  for (const auto& corruption : corruptions) {
    fs::remove_all(at("run"));
    ASSERT_TRUE(store_suite(a_suite(), at("run")));
    const std::string path = at("run/") + corruption.file;
    change(path, corruption.from, corruption.to);
    const auto loaded = load_suite(at("run"));
    ASSERT_FALSE(loaded) << corruption.to;
    EXPECT_THAT(loaded.error().message, HasSubstr(corruption.message));
    EXPECT_EQ(loaded.error().span.line, corruption.line) << corruption.to;
    EXPECT_EQ(loaded.error().span.source->name, path);
    EXPECT_EQ(loaded.error().code, ErrorCode::BadInput);
  }
}

TEST_F(StoredSuite, NamesTheFileOfABrokenJournal) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  const std::string path = at("run/core-lost/journal.jsonl");
  std::ofstream(path, std::ios::app) << "{broken\n";
  const auto loaded = load_suite(at("run"));
  ASSERT_FALSE(loaded);
  EXPECT_THAT(render(loaded.error()), HasSubstr(path));
  EXPECT_THAT(loaded.error().message, HasSubstr("line"));
}

TEST_F(StoredSuite, SurvivesAnyCutOfItsFiles) {
  Suite suite;
  suite.recordings = {a_recording("one")};
  ASSERT_TRUE(store_suite(suite, at("run")));
  const std::string path = at("run/one/recording.json");
  const std::string whole = text_of(path);
  for (std::size_t size = 0; size + 2 < whole.size(); size += 37) {
    std::ofstream(path) << whole.substr(0, size);
    EXPECT_FALSE(load_suite(at("run"))) << size;
  }
}

TEST_F(StoredSuite, RefusesNodesWithoutEnd) {
  Suite suite;
  suite.recordings = {a_recording("one")};
  ASSERT_TRUE(store_suite(suite, at("run")));
  const std::string open =
      R"({"kind":"list","text":"","quoted":false,"members":[],"span":[-1,0,0,1],"items":[)";
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += open;
  for (int i = 0; i < 5000; ++i) deep += "]}";
  change(at("run/one/recording.json"), "\"parameters\": {",
         "\"parameters\": " + deep + ",\"x\": {");
  const auto loaded = load_suite(at("run"));
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace mishap::client_tests
