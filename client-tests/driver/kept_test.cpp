#include "client-tests/driver/kept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class KeptTest : public testing::Test {
 protected:
  KeptTest() {
    std::string pattern = (fs::temp_directory_path() / "kept-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    fs::create_directories(root_ / "state");
  }
  ~KeptTest() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
  }
  KeptIn at() const { return {(root_ / "state").string(), 1, 2, {"secret-1"}}; }

  fs::path root_;
  std::vector<std::string> notes_;
};

TEST_F(KeptTest, ReadsDeadLetters) {
  write("state/p.json", "{}");
  write("state/dead.jsonl",
        R"({"operation":"r-1","error":"503 secret-1","attempts":3,"payload":{"a":1}})"
        "\n\n"
        R"({"operation":"r-2","attempts":"3","payload":{},"payload_file":"p.json"})"
        "\n");
  const auto read = read_dead_letters("dead.jsonl", at(), notes_);
  EXPECT_TRUE(read.whole);
  const auto& letters = read.entries;
  ASSERT_EQ(letters.size(), 2u);
  EXPECT_EQ(letters[0].operation, "r-1");
  EXPECT_EQ(letters[0].error, "503 ***");
  EXPECT_EQ(letters[0].attempts, 3);
  EXPECT_TRUE(letters[0].has_payload);
  EXPECT_EQ(letters[0].copy, 1);
  EXPECT_EQ(letters[0].run, 2);
  EXPECT_FALSE(letters[1].attempts);
  EXPECT_FALSE(letters[1].has_payload);
  EXPECT_EQ(letters[1].payload_bytes, 2u);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(KeptTest, NotesLinesThatItCannotRead) {
  write("state/dead.jsonl",
        "not JSON\n[1]\n{\"operation\":\"r-1\"}\n" + std::string(100, '[') + "\n");
  const auto read = read_dead_letters("dead.jsonl", at(), notes_);
  EXPECT_EQ(read.entries.size(), 1u);
  EXPECT_FALSE(read.whole);
  EXPECT_THAT(notes_, testing::ElementsAre(HasSubstr("3 lines of dead.jsonl")));
}

TEST_F(KeptTest, AFileThatIsNotThereIsReadWhole) {
  const auto read = read_dead_letters("none.jsonl", at(), notes_);
  EXPECT_THAT(read.entries, IsEmpty());
  EXPECT_TRUE(read.whole);
}

TEST_F(KeptTest, AnArrayIsNotReadWhole) {
  write("state/dead.json", R"([{"operation":"r-1","error":"503","attempts":3,"payload":1}])");
  EXPECT_FALSE(read_dead_letters("dead.json", at(), notes_).whole);
}

// Letters behind the end of reading are not missing.
TEST_F(KeptTest, SaysWhereItStoppedReading) {
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "{\"operation\":\"r\"}\n";
  write("state/dead.jsonl", many + "{\"operation\":\"r-1\"}\n");
  const auto read = read_dead_letters("dead.jsonl", at(), notes_);
  EXPECT_EQ(read.entries.size(), 100'000u);
  EXPECT_FALSE(read.whole);
  EXPECT_THAT(notes_, testing::ElementsAre(HasSubstr("only the first 100000 entries")));

  notes_.clear();
  const std::string line = "{\"operation\":\"" + std::string(1024 * 1024, 'x') + "\"}\n";
  std::string large;
  for (int i = 0; i < 17; ++i) large += line;
  write("state/dead.jsonl", large);
  const auto begun = read_dead_letters("dead.jsonl", at(), notes_);
  EXPECT_EQ(begun.entries.size(), 15u);
  EXPECT_FALSE(begun.whole);
  EXPECT_THAT(notes_, testing::ElementsAre(HasSubstr("only the first 15 entries")));
}

TEST_F(KeptTest, OfLongTelemetryTheLastLineCounts) {
  std::string large;
  while (large.size() < 17 * 1024 * 1024)
    large += "{\"attempts\": 1}" + std::string(100'000, ' ') + "\n";
  write("state/t.json", large + "{\"attempts\": 2}\n");
  const Telemetry told = read_telemetry("t.json", at());
  EXPECT_EQ(told.trouble, "");
  EXPECT_EQ(told.counters.at("attempts"), 2);
}

TEST_F(KeptTest, LooksAtNoFileOutside) {
  write("outside.json", "{}");
  fs::create_symlink(root_ / "outside.json", root_ / "state" / "link.json");
  std::vector<OutcomeLine> lines(4);
  lines[0].kept = "../outside.json";
  lines[1].kept = "link.json";
  lines[2].kept = (root_ / "outside.json").string();
  write("state/in.json", "{}");
  lines[3].kept = (root_ / "state" / "in.json").string();
  look_at_kept(at(), lines);
  EXPECT_FALSE(lines[0].kept_bytes);
  EXPECT_FALSE(lines[1].kept_bytes);
  EXPECT_FALSE(lines[2].kept_bytes);
  EXPECT_EQ(lines[3].kept_bytes, 2u);
}

TEST_F(KeptTest, ReadsCountersFromAnObjectOrTheLastLine) {
  write("state/t.json", R"({"attempts": 3, "rate": 0.5, "name": "x", "retries": 1})");
  const Telemetry told = read_telemetry("t.json", at());
  EXPECT_EQ(told.trouble, "");
  EXPECT_EQ(told.counters, (std::map<std::string, std::int64_t>{{"attempts", 3}, {"retries", 1}}));
  write("state/t.json", "{\"attempts\": 1}\n{\"attempts\": 2}\n");
  EXPECT_EQ(read_telemetry("t.json", at()).counters.at("attempts"), 2);
  write("state/t.json", "attempts 3\n");
  EXPECT_THAT(read_telemetry("t.json", at()).trouble, HasSubstr("no JSON object"));
  EXPECT_THAT(read_telemetry("none.json", at()).trouble, HasSubstr("there is no none.json"));
}

}  // namespace
}  // namespace mishap::client_tests
