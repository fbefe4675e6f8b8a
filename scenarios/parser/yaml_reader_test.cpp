#include "scenarios/parser/yaml_reader.h"

#include <gtest/gtest.h>

#include <chrono>

namespace mishap::scenarios {
namespace {

struct Read {
  std::optional<Node> node;
  Diagnostics diagnostics;
};

Read read(const std::string& text) {
  Problems problems;
  auto node = read_yaml(make_source("t.yaml", text), problems);
  return {std::move(node), problems.sorted("t.yaml")};
}

std::string first_message(const std::string& text) {
  const Read result = read(text);
  if (result.diagnostics.empty()) return "";
  const auto& first = result.diagnostics.front();
  return std::to_string(first.span.line) + ":" + std::to_string(first.span.column) + " " +
         first.message;
}

std::string repeat(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

TEST(YamlReader, KeepsTextKindOrderAndPlace) {
  const auto node = read("b: {x: ä, \"y\": '1'}\na: [1, ~, null]\nc:\n").node;
  ASSERT_TRUE(node && node->is_map());
  ASSERT_EQ(node->members.size(), 3U);
  EXPECT_EQ(node->members[0].first.text, "b");
  const Node& map = node->members[0].second;
  EXPECT_EQ(map.find("x")->text, "ä");
  EXPECT_FALSE(map.find("x")->quoted);
  EXPECT_TRUE(map.find("y")->quoted);
  // Columns count bytes: "ä" has two.
  EXPECT_EQ(map.members[1].first.span.column, 12);
  EXPECT_EQ(map.find("y")->span.column, 17);
  EXPECT_EQ(map.find("y")->span.length, 3);
  EXPECT_TRUE(node->find("a")->items[1].is_null());
  EXPECT_TRUE(node->find("a")->items[2].is_null());
  EXPECT_TRUE(node->find("c")->is_null());
  EXPECT_EQ(node->find("c")->span.line, 3);
}

TEST(YamlReader, TakesNoBooleansFromYaml11) {
  const auto node = read("on: off\nyes: no\n").node;
  ASSERT_TRUE(node);
  EXPECT_EQ(node->find("on")->text, "off");
  EXPECT_EQ(node->find("yes")->text, "no");
}

TEST(YamlReader, ReadsWindowsLineEndsAndAByteOrderMark) {
  const auto node = read(
                        "\xEF\xBB\xBF"
                        "a: 1\r\nb: 2\r\n")
                        .node;
  ASSERT_TRUE(node);
  EXPECT_EQ(node->find("a")->text, "1");
  EXPECT_EQ(node->members[1].first.span.line, 2);
  EXPECT_EQ(node->members[1].first.span.column, 1);
}

TEST(YamlReader, CopiesAliases) {
  const auto node = read("a: &x {k: 1}\nb: *x\n").node;
  ASSERT_TRUE(node);
  EXPECT_EQ(to_json(*node), "{\"a\":{\"k\":1},\"b\":{\"k\":1}}");
}

TEST(YamlReader, LetsBlockTextHoldTabs) {
  const auto node = read("a: |\n  x\n  \ty\nb:\n  - c\n").node;
  ASSERT_TRUE(node);
  EXPECT_EQ(node->find("a")->text, "x\n\ty\n");
}

TEST(YamlReader, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "0:0 the file is empty"},
      {"# nothing\n\n", "0:0 the file is empty"},
      {"a:\n\tb: 1\n", "2:1 a tab in the indentation: YAML indents with spaces only"},
      {"a:\n  b: 1\n  \tc: 1\n", "3:3 a tab in the indentation: YAML indents with spaces only"},
      {"a: 1\na: 2\n", "2:1 the key \"a\" was given before, on line 1"},
      {"x: {a: 1, \"a\": 2}\n", "1:11 the key \"a\" was given before, on line 1"},
      {"a: 1\n---\nb: 2\n", "2:1 a second document begins here: one file holds one scenario"},
      {"  a: 1\nb: 2\n",
       "2:1 the file's first block has ended before this: does the indentation fit the first "
       "line?"},
      {"a: \xff\n", "1:4 byte 0xff is not UTF-8; save the file as UTF-8"},
      {"a: \xed\xa0\x80\n", "1:4 byte 0xed is not UTF-8; save the file as UTF-8"},
      {"a: \xc0\xaf\n", "1:4 byte 0xc0 is not UTF-8; save the file as UTF-8"},
      {std::string("a: \0b\n", 6), "1:4 control byte 0x00 cannot stand in a scenario"},
      {"a: 1\rb: 2\n", "1:5 control byte 0x0d cannot stand in a scenario"},
      {"a: {on: GET /b/{id}, f: x}\n",
       "1:16 YAML takes \"{id}\" for a map: write \":id\" for a segment of a path"},
      {"a: {b: ${create}, f: x}\n",
       "1:8 YAML takes \"{create}\" for a map: write \"$create\" for a parameter"},
      {"a: {b: /v1/[*], f: x}\n",
       "1:12 YAML takes \"[*]\" for a list with an alias: write \"*\" for the rest of a path"},
      {"a: {b: 1\n", "1:4 this bracket is never closed"},
      {"a: \"b\n", "1:4 this quote is never closed"},
      {"a: 'b''\nc: 1\n", "1:4 this quote is never closed"},
      {"a: {b: 1 c: 2}\n", "1:11 a \"{\" is not closed, or a comma is missing before this"},
      {"%\n", "0:0 the file is empty"},
      {"a: b: c\n",
       "1:5 a colon that YAML does not expect here: put the text in quotes, or look at "
       "the indentation"},
      {"a: *b\n", "1:4 no anchor (&name) of this name stands above"},
      {"a: !!int 5\n", "1:4 YAML tags (!!) are no part of the language"},
      {"? [a]\n: 1\n", "1:3 a key is one word, not a list or a map"},
      {"a: &x [*x]\n", "1:8 an alias cannot stand inside its own anchor"}};
  for (const auto& [text, message] : cases) EXPECT_EQ(first_message(text), message) << text;
}

TEST(YamlReader, ReportsEveryDuplicateKey) {
  EXPECT_EQ(read("a: 1\nb: {c: 1, c: 2}\na: 3\n").diagnostics.size(), 2U);
}

TEST(YamlReader, RefusesAboveAMebibyte) {
  EXPECT_EQ(first_message(std::string(kMostFileBytes + 1, 'a')),
            "0:0 1048577 bytes; a scenario file has at most 1 MiB");
}

TEST(YamlReader, GoesSixtyFourLevelsDeepAndNoFurther) {
  EXPECT_TRUE(read(repeat("[", 64) + repeat("]", 64)).node);
  EXPECT_EQ(first_message(repeat("[", 65) + repeat("]", 65)), "1:65 nested deeper than 64 levels");
  EXPECT_EQ(first_message(repeat("- ", 100) + "x"), "1:129 nested deeper than 64 levels");
  // An alias carries its own depth along.
  EXPECT_EQ(first_message("a: &x " + repeat("[", 40) + repeat("]", 40) + "\nb: " + repeat("[", 40) +
                          "*x" + repeat("]", 40)),
            "2:44 nested deeper than 64 levels");
}

TEST(YamlReader, RefusesWhatUnfoldsToTooMuch) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_NE(first_message(bomb).find("unfolds to more than 20000 values"), std::string::npos);
  // Few nodes, much text.
  const std::string text = "a: &t " + std::string(900'000, 't') + "\nb: [*t, *t, *t, *t, *t, *t]\n";
  EXPECT_NE(first_message(text).find("4 MiB of text"), std::string::npos);
}

// Whatever stands in a mebibyte: an answer, soon, without an exception or a deep recursion.
TEST(YamlReader, AnswersSoonWhateverTheTextHolds) {
  for (const std::string_view piece :
       {"[", "{",   "- ", "? ",  "a: {",  "&a ",        "!t ",     "\"",    "*a ",   "{?", "[a,",
        "'", "|\n", ": ", "%\n", "---\n", "a: &a *a\n", "- - a\n", "\"\\x", "# c\n", "x\n"}) {
    const auto begin = std::chrono::steady_clock::now();
    const Read result = read(repeat(piece, 1'000'000 / piece.size()));
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(result.node || has_errors(result.diagnostics)) << piece;
    EXPECT_LT(took, std::chrono::seconds(20)) << piece;  // 1 s, with room for sanitizers
  }
}

}  // namespace
}  // namespace mishap::scenarios
