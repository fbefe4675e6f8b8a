#include "server/resources/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace mishap::server {
namespace {

struct JsonCase {
  std::string text;
  bool is_json;
};

class ReadJson : public testing::TestWithParam<JsonCase> {};

TEST_P(ReadJson, IsWhatTheLibraryReads) {
  const auto& [text, is_json] = GetParam();
  const auto read = parse_json(text);
  ASSERT_EQ(read.has_value(), is_json) << text;
  const auto expected = JsonValue::parse(text, nullptr, false);
  ASSERT_EQ(expected.is_discarded(), !is_json) << text;
  if (!is_json) return;
  EXPECT_EQ(*read, expected) << text;
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

INSTANTIATE_TEST_SUITE_P(
    Table, ReadJson,
    testing::Values(JsonCase{"{}", true}, JsonCase{"[]", true}, JsonCase{" 1 ", true},
                    JsonCase{"\"a\\u00e9\\ud83c\\udca1\"", true}, JsonCase{"null", true},
                    JsonCase{"{\"b\":1,\"a\":[true,false,null,-1,-0,0.1,1e3]}", true},
                    JsonCase{"18446744073709551615", true}, JsonCase{"-9223372036854775808", true},
                    JsonCase{"18446744073709551616", true},
                    JsonCase{"123456789012345678901e2", true},
                    JsonCase{"{\"a\":1,\"b\":2,\"a\":3}", true}, JsonCase{nested(1500), true},
                    JsonCase{"", false}, JsonCase{"{", false}, JsonCase{"{}x", false},
                    JsonCase{"{\"a\":01}", false}, JsonCase{"\"\xff\"", false},
                    JsonCase{"1e400", false}, JsonCase{"{'a':1}", false}, JsonCase{"[1,]", false},
                    JsonCase{"nul", false}, JsonCase{"\"a\nb\"", false}));

// nlohmann would stop reading there.
TEST(ReadJson, NothingMayStandBehindANul) {
  using namespace std::string_literals;
  for (const std::string& text : {"{\"a\":1}\0"s, "{\"a\":1}\0{\"b\""s, "\0"s, "{\"a\":\"\0\"}"s}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
}

TEST(ReadJson, TheLastOfEqualNamesCountsAlsoAmongMany) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i)
    text += "\"n" + std::to_string(i % 60) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  EXPECT_EQ(*parse_json(text), JsonValue::parse(text));
}

JsonValue random_value(std::mt19937& random, int depth) {
  const std::vector<std::string> texts = {"", "a", "\"\\\n", "é🂡", std::string("\0x", 2)};
  switch (random() % (depth > 3 ? 6U : 8U)) {
    case 0:
      return texts[random() % texts.size()];
    case 1:
      return random() % 2 == 0;
    case 2:
      return nullptr;
    case 3:
      return static_cast<double>(random()) / 7.0;
    case 4:
      return -static_cast<std::int64_t>(random());
    case 5:
      return static_cast<std::uint64_t>(random());
    case 6: {
      JsonValue list = JsonValue::array();
      for (auto left = random() % 4; left > 0; --left)
        list.push_back(random_value(random, depth + 1));
      return list;
    }
    default: {
      JsonValue object = JsonValue::object();
      for (auto left = random() % 4; left > 0; --left) {
        object[texts[random() % texts.size()]] = random_value(random, depth + 1);
      }
      return object;
    }
  }
}

TEST(JsonText, IsWhatTheLibraryWrites) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    const JsonValue value = random_value(random, 0);
    EXPECT_EQ(to_text(value), value.dump());
    // nlohmann::json keeps its members sorted by name, at every level.
    std::string sorted;
    append_sorted_text(sorted, value);
    EXPECT_EQ(sorted, nlohmann::json(value).dump());
    EXPECT_EQ(*parse_json(to_text(value)), value);
  }
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
  const JsonValue value = {{"a\xff", "b\xfe"}};
  EXPECT_EQ(to_text(value), "{\"a\xEF\xBF\xBD\":\"b\xEF\xBF\xBD\"}");
  EXPECT_EQ(text_with_id("id", "\xff", value),
            "{\"id\":\"\xEF\xBF\xBD\",\"a\xEF\xBF\xBD\":\"b\xEF\xBF\xBD\"}");
}

TEST(JsonText, PutsTheIdInFrontAndLeavesOutAnother) {
  const JsonValue value = {{"a", 1}, {"id", "x"}, {"b", {{"id", 2}}}};
  EXPECT_EQ(text_with_id("id", "7", value), R"({"id":"7","a":1,"b":{"id":2}})");
  EXPECT_EQ(text_with_id("id", "7", JsonValue::object()), R"({"id":"7"})");
}

}  // namespace
}  // namespace mishap::server
