#include "cli/known.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace mishap::cli {
namespace {

namespace fs = std::filesystem;
using client_tests::Ruling;
using scenarios::KnownFinding;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

client_tests::SuiteVerdict verdict_of(
    const std::vector<std::pair<std::string, client_tests::Finding>>& findings) {
  client_tests::SuiteVerdict verdict;
  for (const auto& [scenario, finding] : findings) {
    auto& one = verdict.cases.emplace_back();
    one.pack = "core";
    one.scenario = scenario;
    one.findings = {finding};
  }
  return verdict;
}

client_tests::Finding finding(const std::string& check, Ruling ruling) {
  client_tests::Finding made;
  made.check = check;
  made.ruling = ruling;
  return made;
}

TEST(WriteKnown, TakesEveryFailThatCountsAndNoOther) {
  auto advisory = finding("c", Ruling::Fail);
  advisory.advisory = true;
  auto known = finding("d", Ruling::Fail);
  known.known = client_tests::Known{"r", "2027-01-01", false};
  const auto update = with_new_fails({},
                                     verdict_of({{"x", finding("a", Ruling::Fail)},
                                                 {"y", finding("b", Ruling::Inconclusive)},
                                                 {"z", advisory},
                                                 {"w", known}}),
                                     "2026-11-29");
  EXPECT_EQ(update.added, 1U);
  EXPECT_THAT(
      update.list,
      ElementsAre(KnownFinding{
          "core/x", "a", "written by --write-known on 2026-11-29: explain why", "2027-02-27", {}}));
}

TEST(WriteKnown, EntriesStayAndOneThatIsOverIsRenewedWithItsReason) {
  auto over = finding("a", Ruling::Fail);
  over.known = client_tests::Known{"mine", "2026-11-01", true};
  const KnownFinding stale{"gone", "b", "old", "2027-01-01", {}};
  const auto update = with_new_fails({stale, {"x", "a", "mine", "2026-11-01", {}}},
                                     verdict_of({{"x", over}}), "2026-11-29");
  EXPECT_EQ(update.added, 0U);
  EXPECT_THAT(update.list, ElementsAre(stale, KnownFinding{"x", "a", "mine", "2027-02-27", {}}));
  EXPECT_EQ(update.renewed.size(), 1U);
}

class KnownFile : public ::testing::Test {
 protected:
  KnownFile() {
    std::string pattern = (fs::temp_directory_path() / "known-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~KnownFile() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(KnownFile, IsWrittenWholeAndReadBack) {
  const KnownFinding entry{"core/healthy", "no_duplicate_effects", "r", "2027-01-01", {}};
  TestArguments arguments;
  arguments.project_folder = folder_.string();
  auto list = load_known_list(arguments, {});
  ASSERT_TRUE(list);
  EXPECT_THAT(list->all, IsEmpty());
  ASSERT_TRUE(write_known(*list, {{entry}, 1, {}}));
  arguments.project_known = {entry};
  list = load_known_list(arguments, {});
  ASSERT_TRUE(list);
  EXPECT_THAT(list->of_file, ElementsAre(entry));
  EXPECT_THAT(list->all, ElementsAre(entry, entry));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(KnownFile, ALinkStaysALink) {
  std::ofstream(folder_ / "real.yaml") << "known: []\n";
  fs::create_symlink(folder_ / "real.yaml", folder_ / "link.yaml");
  KnownList list;
  list.file = (folder_ / "link.yaml").string();
  ASSERT_TRUE(write_known(list, {{{"core/healthy", "*", "r", "2027-01-01", {}}}, 1, {}}));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.yaml"));
  EXPECT_EQ(scenarios::load_known((folder_ / "real.yaml").string()).known.size(), 1U);
}

TEST_F(KnownFile, OneThatCannotBeWrittenLeavesTheOldOne) {
  KnownList list;
  list.file = (folder_ / "none" / "k.yaml").string();
  const auto said = write_known(list, {});
  ASSERT_FALSE(said);
  EXPECT_THAT(said.error().message, HasSubstr("none/k.yaml"));
}

TEST_F(KnownFile, NamedButNotThereIsAnError) {
  TestArguments arguments;
  arguments.known_file = (folder_ / "k.yaml").string();
  EXPECT_FALSE(load_known_list(arguments, {}));
  arguments.write_known = "true";
  EXPECT_TRUE(load_known_list(arguments, {}));
}

}  // namespace
}  // namespace mishap::cli
