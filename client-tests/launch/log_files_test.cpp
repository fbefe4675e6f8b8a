#include "client-tests/launch/log_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;

class LogFilesTest : public testing::Test {
 protected:
  LogFilesTest() {
    std::string pattern = (fs::temp_directory_path() / "log-files-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    fs::create_directories(root_ / "state" / "logs");
  }
  ~LogFilesTest() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name, std::ios::app) << text;
  }
  LogFiles files(const std::string& pattern) const {
    return {{{(root_ / "state").string(), pattern}},
            "token-token-token",
            {"secret-1"},
            {{"mail", "ann@example.com"}}};
  }
  static std::string told(const std::vector<Captured>& all) {
    std::string text;
    for (const auto& one : all) text += one.stream + "=" + one.head + ";";
    return text;
  }

  fs::path root_;
  std::vector<std::string> notes_;
};

TEST_F(LogFilesTest, GiveWhatWasAddedToThem) {
  write("state/logs/a.log", "old token-token-token\n");
  LogFiles logs = files("logs/*.log");
  logs.begin();
  write("state/logs/a.log", "new\n");
  write("state/logs/b.log", "token-token-token secret-1 ann@example.com\n");
  write("state/logs/c.txt", "another\n");
  const auto all = logs.captured(3, notes_);
  EXPECT_EQ(told(all), "file:logs/a.log=new\n;file:logs/b.log=*** *** ***\n;");
  EXPECT_EQ(all.at(0).copy, 3);
  EXPECT_EQ(all.at(0).canary_hits, 0u);
  EXPECT_EQ(all.at(1).canary_hits, 1u);
  EXPECT_THAT(all.at(1).sensitive_hits, testing::ElementsAre("mail"));
  EXPECT_THAT(notes_, testing::IsEmpty());
}

TEST_F(LogFilesTest, AreKnownByMoreThanTheirNames) {
  write("state/a.log", "old\n");
  write("state/cut.log", "a long old text\n");
  LogFiles logs = files("*");
  logs.begin();
  fs::rename(root_ / "state/a.log", root_ / "state/a.log.1");
  write("state/a.log.1", "last\n");
  write("state/a.log", "first\n");
  fs::remove(root_ / "state/cut.log");
  write("state/cut.log", "new\n");
  EXPECT_EQ(told(logs.captured(0, notes_)),
            "file:a.log=first\n;file:a.log.1=last\n;file:cut.log=new\n;");
}

TEST_F(LogFilesTest, StayInTheirFolder) {
  write("other.log", "not its own\n");
  fs::create_directories(root_ / "elsewhere");
  write("elsewhere/x.log", "not its own\n");
  fs::create_symlink(root_ / "other.log", root_ / "state" / "link.log");
  fs::create_directory_symlink(root_ / "elsewhere", root_ / "state" / "folder");
  ASSERT_EQ(::mkfifo((root_ / "state" / "pipe.log").c_str(), 0600), 0);
  for (const std::string pattern : {"*.log", "*/*.log", "../*.log"}) {
    LogFiles logs = files(pattern);
    logs.begin();
    EXPECT_EQ(told(logs.captured(0, notes_)), "") << pattern;
  }
}

TEST_F(LogFilesTest, SayWhatWasNotLookedAt) {
  LogFiles logs({{(root_ / "state").string(), "*.log"}}, "", {}, {}, 100);
  logs.begin();
  write("state/large.log", std::string(110, 'x'));
  const auto all = logs.captured(0, notes_);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].bytes, 100u);
  EXPECT_EQ(all[0].unread, 10u);
  EXPECT_THAT(notes_,
              testing::ElementsAre(testing::HasSubstr("10 bytes of the log file large.log")));
}

// Opened for writing and not for adding: as long as before, or longer.
TEST_F(LogFilesTest, AreReadFromTheirBeginningWhereTheyAreWrittenAnew) {
  for (const std::string more : {"", " and more"}) {
    write("state/a.log", "begun by an earlier start\n");
    LogFiles logs = files("*.log");
    logs.begin();
    std::ofstream(root_ / "state/a.log", std::ios::trunc)
        << "key token-token-token now" << more << "\n";
    const auto all = logs.captured(0, notes_);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].head, "key *** now" + more + "\n");
    EXPECT_EQ(all[0].canary_hits, 1u);
    fs::remove(root_ / "state/a.log");
  }
}

TEST_F(LogFilesTest, ATokenInTheNameIsHidden) {
  LogFiles logs = files("*.log");
  logs.begin();
  write("state/token-token-token.log", "x\n");
  EXPECT_EQ(told(logs.captured(0, notes_)), "file:***.log=x\n;");
}

TEST_F(LogFilesTest, AreFewEnough) {
  LogFiles logs = files("*.log");
  logs.begin();
  for (std::size_t i = 0; i < LogFiles::kMostFiles + 2; ++i) {
    write("state/" + std::to_string(i) + ".log", "x\n");
  }
  EXPECT_EQ(logs.captured(0, notes_).size(), LogFiles::kMostFiles);
  EXPECT_THAT(notes_, testing::ElementsAre(testing::HasSubstr("2 more log files")));
}

}  // namespace
}  // namespace mishap::client_tests
