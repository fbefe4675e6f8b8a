#include "mishap/error.h"

#include <gtest/gtest.h>

#include <memory>

namespace mishap {
namespace {

SourceSpan span(std::string text, int line, int column, int length) {
  const auto source = std::make_shared<const SourceText>(SourceText{"mine.yaml", std::move(text)});
  return {source, line, column, length};
}

std::string rendered(SourceSpan place) {
  return render(Diagnostic{Severity::Error, "wrong", std::move(place)});
}

TEST(Render, ShowsTheLineAndMarksThePlace) {
  EXPECT_EQ(rendered(span("a: 1\nfault: lost\n", 2, 8, 4)),
            "mine.yaml:2:8: wrong\n"
            "    2 | fault: lost\n"
            "      |        ^~~~\n");
}

TEST(Render, CountsCharactersForTheCaretAndBytesForTheColumn) {
  EXPECT_EQ(rendered(span("ä: öü", 1, 5, 4)),
            "mine.yaml:1:5: wrong\n"
            "    1 | ä: öü\n"
            "      |    ^~\n");
}

TEST(Render, ShowsTabsAsBlanksAndControlBytesAsQuestionMarks) {
  EXPECT_EQ(rendered(span("\ta\x1b b\r\nx", 1, 4, 1)),
            "mine.yaml:1:4: wrong\n"
            "    1 |  a? b\n"
            "      |    ^\n");
  EXPECT_EQ(rendered(span("a\xff", 1, 2, 1)), "mine.yaml:1:2: wrong\n    1 | a?\n      |  ^\n");
}

TEST(Render, SaysWhatAFileSaysWithoutObeyingIt) {
  EXPECT_EQ(render(Diagnostic{Severity::Error, "\"a\x1b[2J\xe2\x80\xae\" is none", {}}),
            "\"a\\x1b[2J\\u{202e}\" is none\n");
  const auto source = std::make_shared<const SourceText>(SourceText{"x\x1b]0;y\x07.yaml", "a"});
  EXPECT_EQ(render(Diagnostic{Severity::Warning, "line\nbreak", {source, 0, 0, 1}}),
            "x\\x1b]0;y\\x07.yaml: warning: line\\x0abreak\n");
  EXPECT_EQ(render(Error{ErrorCode::BadInput, "m", {}, "\x9b[31m"}), "m\n  \\x9b[31m\n");
}

TEST(Render, MarksThePlaceBehindTheEndOfALine) {
  EXPECT_EQ(rendered(span("ab\n", 1, 9, 3)), "mine.yaml:1:9: wrong\n    1 | ab\n      |   ^\n");
  EXPECT_EQ(rendered(span("ab\n", 7, 1, 1)), "mine.yaml:7:1: wrong\n    7 | \n      | ^\n");
}

TEST(Render, CutsAWindowOutOfALongLine) {
  const std::string text = rendered(span(std::string(100'000, 'x') + "here", 1, 100'001, 4));
  EXPECT_LT(text.size(), 400U);
  EXPECT_NE(text.find("xhere"), std::string::npos);
}

TEST(Render, KeepsThePlaceInSightAmongBytesThatAreNoText) {
  // Each of them looks like the middle of a character.
  const std::string line = "known: " + std::string(300, '\xb5');
  for (const int column : {1, 60, 71, 150, 307}) {
    const std::string text = rendered(span(line, 1, column, 5));
    EXPECT_NE(text.find("    1 | "), std::string::npos) << column;
    EXPECT_NE(text.find('^'), std::string::npos) << column;
  }
}

TEST(Render, NamesTheFileAloneWhereThereIsNoLine) {
  EXPECT_EQ(rendered(span("", 0, 0, 1)), "mine.yaml: wrong\n");
  EXPECT_EQ(rendered({}), "wrong\n");
}

TEST(Render, TellsWarningsFromErrors) {
  EXPECT_EQ(render(Diagnostic{Severity::Warning, "odd", {}}), "warning: odd\n");
}

TEST(Render, PutsTheHintBelow) {
  EXPECT_EQ(render(Error{ErrorCode::NotFound, "no client", {}, "give one after --"}),
            "no client\n  give one after --\n");
}

}  // namespace
}  // namespace mishap
