#include "client-tests/run/last_run.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "mishap/recording.h"

namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;

class LastRun : public ::testing::Test {
 protected:
  LastRun() {
    std::string pattern = (fs::temp_directory_path() / "last-run-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~LastRun() override { fs::remove_all(folder_); }

  void store(const std::string& name, const std::vector<std::string>& targets) {
    Suite suite;
    suite.targets = targets;
    ASSERT_TRUE(store_suite(suite, (fs::path(folder_) / name).string()));
  }
  std::string last(const std::vector<std::string>& targets) {
    return fs::path(last_run(folder_, targets)).filename().string();
  }

  std::string folder_;
};

TEST_F(LastRun, IsTheNewestOfTheSameTargets) {
  EXPECT_EQ(last({"core"}), "");
  store("2026-01-01T00-00-00-core", {"core"});
  store("2026-01-02T00-00-00-core", {"core"});
  store("2026-01-03T00-00-00-mine", {"mine"});
  EXPECT_EQ(last({"core"}), "2026-01-02T00-00-00-core");
  EXPECT_EQ(last({"mine"}), "2026-01-03T00-00-00-mine");
  EXPECT_EQ(last({"core", "mine"}), "");
}

TEST_F(LastRun, PassesOverWhatIsNoWholeRun) {
  store("2026-01-01T00-00-00-core", {"core"});
  fs::create_directory(fs::path(folder_) / "2026-01-02T00-00-00-core");
  fs::create_directory(fs::path(folder_) / "2026-01-03T00-00-00-core");
  std::ofstream(fs::path(folder_) / "2026-01-03T00-00-00-core" / "suite.json") << "{broken";
  EXPECT_EQ(last({"core"}), "2026-01-01T00-00-00-core");
}

}  // namespace
}  // namespace mishap::client_tests
