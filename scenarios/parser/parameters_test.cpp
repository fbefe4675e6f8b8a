#include "mishap/parameters.h"

#include <gtest/gtest.h>

#include "scenarios/parser/source_file.h"
#include "scenarios/parser/yaml_reader.h"

namespace mishap {
namespace {

using namespace std::chrono_literals;

const std::vector<ParamSpec> kSpecs{
    {"for", ParamType::Duration, "2s", false, "", "1ms..1h", ""},
    {"after", ParamType::Position, "50%", false, "", "", ""},
    {"size", ParamType::Bytes, "", false, "", "..1MiB", ""},
    {"share", ParamType::Percent, "", false, "", "", ""},
    {"times", ParamType::Integer, "1", false, "", "1..", ""},
    {"sigma", ParamType::Number, "", false, "", "", ""},
    {"deep", ParamType::Boolean, "false", false, "", "", ""},
    {"code", ParamType::Status, "", true, "", "", ""},
    {"word", ParamType::Text, "", false, "", "", ""},
    {"by", ParamType::Choice, "reset", false, "reset|close", "", ""},
    {"headers", ParamType::Fields, "", false, "", "", ""},
    {"json", ParamType::Any, "", false, "", "", ""},
};

Node yaml(const std::string& text) {
  scenarios::Problems problems;
  auto node = scenarios::read_yaml(scenarios::make_source("t", text), problems);
  EXPECT_FALSE(problems.any_errors()) << text;
  return node.value_or(Node{});
}

std::string first_error(const std::string& text) {
  constexpr std::string_view kIgnored[] = {"kind"};
  Diagnostics diagnostics;
  read_params(yaml(text), kSpecs, "fault \"x\"", kIgnored, diagnostics);
  return diagnostics.empty() ? "" : diagnostics.front().message;
}

TEST(Params, ReadsEveryType) {
  Diagnostics diagnostics;
  const Params params = read_params(
      yaml("{for: 250ms, after: 37B, size: 1KiB, share: 30%, times: 3, sigma: 0.5, deep: true, "
           "code: 503, word: '429', by: close, headers: {A: [x, y], B: z}, json: {a: 1}}"),
      kSpecs, "fault \"x\"", {}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(params.duration("for"), 250ms);
  EXPECT_EQ(params.position("after").bytes, 37U);
  EXPECT_EQ(params.bytes("size"), 1024U);
  EXPECT_DOUBLE_EQ(params.share("share"), 0.3);
  EXPECT_EQ(params.integer("times"), 3);
  EXPECT_DOUBLE_EQ(params.number("sigma"), 0.5);
  EXPECT_TRUE(params.boolean("deep"));
  EXPECT_EQ(params.integer("code"), 503);
  EXPECT_EQ(params.text("word"), "429");
  EXPECT_EQ(params.text("by"), "close");
  EXPECT_EQ(params.fields("headers"), (std::vector<NameValue>{{"A", "x"}, {"A", "y"}, {"B", "z"}}));
  EXPECT_EQ(to_json(params.node("json")), "{\"a\":1}");
}

TEST(Params, TakesDefaultsAndLeavesTheRestAbsent) {
  Diagnostics diagnostics;
  const Params params = read_params(yaml("{code: 500}"), kSpecs, "f", {}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(params.duration("for"), 2s);
  EXPECT_EQ(params.position("after").share, 0.5);
  EXPECT_FALSE(params.boolean("deep"));
  EXPECT_FALSE(params.has("word"));
  EXPECT_FALSE(params.has("headers"));
}

TEST(Params, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{code: 500, kind: x}", ""},
      {"{}", "fault \"x\" needs \"code\""},
      {"{code: 500, foor: 1s}", "fault \"x\": unknown parameter \"foor\"; did you mean \"for\"?"},
      {"{code: 500, for: 2}", "a duration needs its unit: 2s, 2ms or 2m?"},
      {"{code: 500, for: 2h}", "for is between 1ms and 1h"},
      {"{code: 500, times: 0}", "times is at least 1"},
      {"{code: 500, size: 2MiB}", "size is at most 1MiB"},
      {"{code: 500, after: 37}", "a place needs its unit: 37B or 37%?"},
      {"{code: 500, after: 120%}", "120% is not between 0% and 100%"},
      {"{code: \"500\"}", "\"500\" in quotes is text: write it without them"},
      {"{code: 700}", "\"700\" is not an HTTP status from 100 to 599"},
      {"{code: 500, by: rset}", "by: unknown value \"rset\"; did you mean \"reset\"?"},
      {"{code: 500, deep: yes}", "\"yes\" is neither true nor false"},
      {"{code: 500, for: [1s]}", "fault \"x\": \"for\" is one value, not a list"},
      {"{code: 500, for: }", "fault \"x\": \"for\" has no value"},
      {"{code: 500, headers: X}", "fault \"x\": \"headers\" is a map of field names"},
      {"{code: 500, headers: {A: {b: c}}}", "the field \"A\" takes a text or a list of texts"},
      {"[1]", "fault \"x\" takes its parameters as a map"}};
  for (const auto& [text, message] : cases) EXPECT_EQ(first_error(text), message) << text;
}

TEST(Params, ReportsAllAtOnceWithTheirPlaces) {
  Diagnostics diagnostics;
  read_params(yaml("{for: 2, by: x, nope: 1}"), kSpecs, "f", {}, diagnostics);
  ASSERT_EQ(diagnostics.size(), 4U);
  EXPECT_EQ(diagnostics[0].span.column, 7);
  EXPECT_EQ(diagnostics[1].span.column, 14);
  EXPECT_EQ(diagnostics[2].span.column, 17);
  EXPECT_EQ(diagnostics[3].message, "f needs \"code\"");
}

}  // namespace
}  // namespace mishap
