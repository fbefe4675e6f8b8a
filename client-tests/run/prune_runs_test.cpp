#include "client-tests/run/prune_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PruneRuns : public ::testing::Test {
 protected:
  PruneRuns() {
    std::string pattern = (fs::temp_directory_path() / "prune-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~PruneRuns() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void make_run(const std::string& name, const std::string& verdict, std::size_t bytes = 0) {
    fs::create_directories(root_ / name / "case");
    std::ofstream(root_ / name / "suite.json") << "{}";
    std::ofstream(root_ / name / "case" / "journal.jsonl") << std::string(bytes, 'x');
    if (!verdict.empty()) {
      std::ofstream(root_ / name / "verdict.json") << R"({"verdict": ")" << verdict << "\"}";
    }
  }

  std::set<std::string> left() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(root_)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  fs::path root_;
};

TEST_F(PruneRuns, KeepsTheLastPassingAndAllOthers) {
  for (const char* name : {"1", "2", "3", "4"}) make_run(name, "pass");
  make_run("0-fail", "fail");
  make_run("0-inconclusive", "inconclusive");
  make_run("0-crashed", "");
  const auto pruned = prune_runs(root_.string(), 2);
  ASSERT_TRUE(pruned);
  EXPECT_THAT(pruned->removed, ElementsAre("1", "2"));
  EXPECT_THAT(left(), ElementsAre("0-crashed", "0-fail", "0-inconclusive", "3", "4"));
}

TEST_F(PruneRuns, RemovesTheOldestUntilTheRestFits) {
  make_run("1", "fail", 40'000);
  make_run("2", "pass", 40'000);
  make_run("3", "fail", 40'000);
  make_run("4", "pass", 40'000);
  const auto pruned = prune_runs(root_.string(), 20, 90'000);
  ASSERT_TRUE(pruned);
  EXPECT_THAT(pruned->removed, ElementsAre("1", "2")) << "the newest stays though it passed";
  EXPECT_GE(pruned->freed, 80'000U);
  EXPECT_THAT(prune_runs(root_.string(), 20, 90'000)->removed, IsEmpty());
  EXPECT_THAT(prune_runs(root_.string(), 20, 10'000)->removed, ElementsAre("3"));
}

TEST_F(PruneRuns, NeverTouchesWhatIsNoStoredRun) {
  fs::create_directories(root_ / "not-a-run");
  std::ofstream(root_ / "notes.txt") << "mine";
  make_run("elsewhere/1", "pass");
  fs::create_directory_symlink(root_ / "elsewhere" / "1", root_ / "link");
  make_run("9", "pass");
  const auto pruned = prune_runs(root_.string(), 0, 0);
  ASSERT_TRUE(pruned);
  EXPECT_THAT(pruned->removed, IsEmpty());
  EXPECT_THAT(left(), ElementsAre("9", "elsewhere", "link", "not-a-run", "notes.txt"));
  EXPECT_TRUE(fs::exists(root_ / "elsewhere" / "1" / "suite.json"));
}

TEST_F(PruneRuns, SaysWhenThereIsNoSuchFolder) {
  EXPECT_FALSE(prune_runs((root_ / "nowhere").string()));
}

}  // namespace
}  // namespace mishap::client_tests
