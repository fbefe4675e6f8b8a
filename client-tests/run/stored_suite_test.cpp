#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "client-tests/run/stored_suite_fixture.h"

namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST_F(StoredSuite, ComesBackEqual) {
  const Suite suite = a_suite();
  ASSERT_TRUE(store_suite(suite, at("run")));
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded) << render(loaded.error());
  EXPECT_EQ(loaded->name, suite.name);
  EXPECT_EQ(loaded->seed, suite.seed);
  EXPECT_EQ(loaded->again, suite.again);
  EXPECT_EQ(loaded->project, suite.project);
  EXPECT_EQ(loaded->jobs, suite.jobs);
  EXPECT_EQ(loaded->jobs_reason, suite.jobs_reason);
  EXPECT_EQ(loaded->length, suite.length);
  EXPECT_EQ(loaded->stopped, suite.stopped);
  EXPECT_EQ(loaded->targets, suite.targets);
  EXPECT_EQ(loaded->narrowed, suite.narrowed);
  EXPECT_EQ(loaded->shard, suite.shard);
  EXPECT_EQ(loaded->day, suite.day);
  EXPECT_EQ(loaded->known, suite.known);
  EXPECT_EQ(loaded->strict_known, suite.strict_known);
  EXPECT_TRUE(loaded->recordings[0].companion);
  ASSERT_EQ(loaded->recordings[0].earlier.size(), 1U);
  EXPECT_EQ(loaded->recordings[0].earlier[0].why, "the machine was busy");
  EXPECT_EQ(loaded->recordings[0].earlier[0].wall_start, milliseconds(1));
  EXPECT_EQ(loaded->recordings[0].earlier[0].length, milliseconds(2));
  expect_same(loaded->controls, suite.controls);
  expect_same(loaded->recordings, suite.recordings);
}

TEST_F(StoredSuite, GivesTheSameBytesWhenStoredAgain) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded);
  ASSERT_TRUE(store_suite(*loaded, at("again")));
  const auto first = files_of(at("run"));
  EXPECT_EQ(first, files_of(at("again")));
  EXPECT_GE(first.size(), 20U);
}

TEST_F(StoredSuite, OfAnOlderVersionTakesDefaultsForWhatItDidNotKnow) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  for (const std::string name : {"targets", "narrowed", "shard", "day", "known", "strict_known"}) {
    change(at("run/suite.json"), "\"" + name + "\":", "\"not-" + name + "\":");
  }
  for (const std::string name : {"companion", "earlier"}) {
    change(at("run/core-lost/recording.json"), "\"" + name + "\":", "\"not-" + name + "\":");
  }
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(loaded->known.empty() && loaded->targets.empty() && loaded->shard.empty());
  EXPECT_FALSE(loaded->strict_known || loaded->narrowed);
  EXPECT_FALSE(loaded->recordings[0].companion);
  EXPECT_TRUE(loaded->recordings[0].earlier.empty());
}

TEST_F(StoredSuite, OfNothingComesBackAsWell) {
  ASSERT_TRUE(store_suite(Suite{}, at("run")));
  const auto loaded = load_suite(at("run"));
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->recordings.empty());
}

TEST_F(StoredSuite, NamesItsFoldersSafelyAndApart) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  for (const char* name : {"control-healthy", "core-lost", "core-lost-2", "_.-..-etc"}) {
    EXPECT_TRUE(fs::is_regular_file(at("run") + "/" + name + "/recording.json")) << name;
  }
}

TEST_F(StoredSuite, IsForItsOwnerOnly) {
  ASSERT_TRUE(store_suite(a_suite(), at("runs/run")));
  for (const auto& entry : fs::recursive_directory_iterator(at("runs"))) {
    const auto others = entry.status().permissions() & fs::perms(077);
    EXPECT_EQ(others, fs::perms::none) << entry.path();
  }
}

TEST_F(StoredSuite, HidesOnlyItsOwnFolderFromGit) {
  ASSERT_TRUE(store_suite(Suite{}, at("mishap-runs/one")));
  EXPECT_EQ(text_of(at("mishap-runs/.gitignore")), "*\n");
  EXPECT_FALSE(fs::exists(at("mishap-runs/one/.gitignore")));
  ASSERT_TRUE(store_suite(Suite{}, at("project/out/")));
  EXPECT_FALSE(fs::exists(at("project/.gitignore")));
  EXPECT_EQ(text_of(at("project/out/.gitignore")), "*\n");
}

TEST_F(StoredSuite, ReplacesAnOlderOneAndItsVerdict) {
  ASSERT_TRUE(store_suite(a_suite(), at("run")));
  std::ofstream(at("run/verdict.json")) << "{}";
  Suite other;
  other.name = "other";
  ASSERT_TRUE(store_suite(other, at("run")));
  EXPECT_EQ(load_suite(at("run"))->name, "other");
  EXPECT_FALSE(fs::exists(at("run/verdict.json")));
}

TEST_F(StoredSuite, SaysWhenItCannotBeWritten) {
  std::ofstream(at("file")) << "x";
  const auto stored = store_suite(Suite{}, at("file/run"));
  ASSERT_FALSE(stored);
  EXPECT_THAT(render(stored.error()), HasSubstr(at("file")));
}

TEST_F(StoredSuite, DoesNotWriteThroughALink) {
  fs::create_directories(at("run"));
  std::ofstream(at("victim")) << "precious";
  fs::create_symlink(at("victim"), at("run/suite.json"));
  fs::create_symlink(at("victim"), at("run/suite.json.new"));
  ASSERT_TRUE(store_suite(Suite{}, at("run")));
  EXPECT_EQ(text_of(at("victim")), "precious");
  EXPECT_TRUE(load_suite(at("run")));
}

}  // namespace
}  // namespace mishap::client_tests
