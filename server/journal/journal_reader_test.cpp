#include "mishap/journal_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace mishap::server {
namespace {

using testing::HasSubstr;

// Enough of it that it is read by two threads.
std::string many_lines(std::size_t lines) {
  Journal journal;
  for (std::size_t i = 1; i <= lines; ++i) {
    Exchange& exchange = journal.exchanges.emplace_back();
    exchange.number = i;
    exchange.request.method = "POST";
    exchange.request.headers = {{"X-Number", std::to_string(i), false}};
  }
  journal.lost = 7;
  return to_json_lines(journal);
}

std::string message_of(const std::string& text) {
  const auto read = parse_json_lines(text);
  return read ? std::string() : read.error().message;
}

TEST(JournalReader, ReadsALargeJournalAsItReadsASmallOne) {
  const std::string text = many_lines(4000);
  ASSERT_GT(text.size(), 2U * 1024 * 1024);
  const auto read = parse_json_lines(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json_lines(*read), text);
}

TEST(JournalReader, TellsTheLineInWhicheverHalfItStands) {
  const std::string text = many_lines(4000);
  for (const std::size_t line : {2U, 1500U, 3999U, 4001U}) {
    std::string broken = text;
    std::size_t at = 0;
    for (std::size_t i = 1; i < line; ++i) at = broken.find('\n', at) + 1;
    broken[at] = '[';
    EXPECT_EQ(message_of(broken), fmt::format("journal, line {}: not a JSON map", line));
  }
  std::string twice = text + "x\n";
  twice[twice.find('\n') + 1] = '[';
  EXPECT_THAT(message_of(twice), HasSubstr("line 2:")) << "the first that is wrong";
}

TEST(JournalReader, CountsLinesOverAllPieces) {
  const std::string text = many_lines(10);
  for (std::size_t cut = 1; cut < 10; ++cut) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < cut; ++i) at = text.find('\n', at) + 1;
    JournalReader reader(text.size());
    ASSERT_TRUE(reader.add(std::string_view(text).substr(0, at)));
    ASSERT_TRUE(reader.add(std::string_view(text).substr(at)));
    const auto wrong = reader.add("{}\n");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message, "journal, line 12: unknown kind \"\"");
    EXPECT_EQ(to_json_lines(reader.take()), text);
  }
}

TEST(JournalReader, TakesMembersInAnyOrderAndTheLastOfTwo) {
  const auto read = parse_json_lines(
      R"({"found":true,"request":{"path":"/b","method":"GET"},"number":1,"kind":"exchange","number":2})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->exchanges.at(0).number, 2U);
  EXPECT_TRUE(read->exchanges.at(0).found);
  EXPECT_EQ(read->exchanges.at(0).request.path, "/b");
  EXPECT_EQ(read->exchanges.at(0).request.method, "GET");
}

TEST(JournalReader, HoldsNumbersToTheirRanges) {
  const auto exchange = [](const std::string& member) {
    return message_of("{\"kind\":\"exchange\"," + member + "}");
  };
  EXPECT_EQ(exchange("\"number\":18446744073709551615"), "");
  EXPECT_THAT(exchange("\"number\":1.0"), HasSubstr("\"number\" should be a whole number from 0"));
  EXPECT_THAT(exchange("\"lane\":2147483648"), HasSubstr("\"lane\" should be a smaller number"));
  EXPECT_THAT(exchange("\"lane\":-2147483649"), HasSubstr("\"lane\" should be within its range"));
  EXPECT_THAT(exchange("\"first_byte\":18446744073709551615"), HasSubstr("a smaller number"));
  EXPECT_THAT(exchange("\"first_byte\":\"1\""), HasSubstr("should be a whole number"));
  EXPECT_EQ(exchange("\"rules\":[{\"draws\":[{\"value\":3}]}]"), "");
  EXPECT_THAT(exchange("\"rules\":[{\"draws\":[{\"value\":null}]}]"), HasSubstr("a number"));
  EXPECT_THAT(exchange("\"rules\":[[]]"), HasSubstr("\"rules\" should be a map"));
}

TEST(JournalReader, RefusesWhatIsNoJson) {
  for (const char* line :
       {"{\"kind\":\"effect\",}", "{\"kind\":\"effect\"} {}", "{\"kind\":\"eff\xff\"}",
        "{\"kind\":\"effect\",\"new\":\"\\ud800\"}", "{\"kind\":\"effect\",\"new\":01}",
        "{\"kind\":\"effect\",\"new\":\"\t\"}", " "}) {
    EXPECT_THAT(message_of(line), HasSubstr("line 1: not a JSON map")) << line;
  }
  const std::string deep(100'000, '[');
  EXPECT_THAT(message_of("{\"kind\":\"effect\",\"new\":" + deep), HasSubstr("not a JSON map"));
}

TEST(JournalReader, ReadsALineWithNothingBehindIt) {
  // The parser looks ahead by more than there is.
  const std::string line = "{\"kind\":\"effect\",\"id\":\"x\"}";
  const std::vector<char> exact(line.begin(), line.end());
  const auto read = parse_json_lines(std::string_view(exact.data(), exact.size()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->effects.at(0).id, "x");
}

}  // namespace
}  // namespace mishap::server
