#include "client-tests/launch/secret_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mishap::client_tests {
namespace {

using Match = SecretForms::Match;

const std::string kToken = "mishap_Qw3rTz9uiOpAsDfGhJkL1yXcVbNm77qq";

std::string hex(const std::string& bytes, const char* format = "%02x") {
  std::string text;
  for (const char c : bytes) {
    char digits[8];
    std::snprintf(digits, sizeof digits, format, static_cast<unsigned char>(c));
    text += digits;
  }
  return text;
}

// RFC 4648, with its padding.
std::string base64(const std::string& bytes, const char* signs = "+/") {
  const std::string alphabet =
      std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") + signs;
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      value =
          value << 8U | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    const std::size_t held = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= held ? alphabet[value >> (18 - 6 * i) & 63U] : '=';
    }
  }
  return text;
}

std::vector<std::string> forms_in(const std::string& text, Match match = Match::Parts) {
  std::vector<std::string> forms;
  for (const auto& seen : SecretForms(kToken, match).find(text)) forms.emplace_back(seen.form);
  return forms;
}

TEST(SecretForms, KnowsTheTokenInClearAndInPart) {
  EXPECT_THAT(forms_in("Bearer " + kToken + "!"), testing::ElementsAre("in clear"));
  EXPECT_THAT(forms_in("x" + kToken.substr(10, 12) + "x"), testing::ElementsAre("in clear"));
  EXPECT_THAT(forms_in("x" + kToken.substr(10, 11) + "x"), testing::IsEmpty());
  EXPECT_THAT(forms_in("Bearer ..." + kToken.substr(kToken.size() - 4)), testing::IsEmpty());
  EXPECT_THAT(forms_in(kToken + " " + kToken), testing::SizeIs(2));
}

TEST(SecretForms, KnowsBase64AtEveryAlignment) {
  for (const char* signs : {"+/", "-_"}) {
    for (const std::string before : {"", "a", "ab", "abc", "client:"}) {
      EXPECT_THAT(forms_in("x=" + base64(before + kToken + "tail", signs)),
                  testing::ElementsAre("as base64"))
          << before;
    }
  }
  for (std::size_t at = 0; at + 12 <= kToken.size(); ++at) {
    EXPECT_THAT(forms_in(base64("ab" + kToken.substr(at, 12) + "cd")), testing::SizeIs(1)) << at;
  }
}

TEST(SecretForms, KnowsHexadecimalInBothCases) {
  EXPECT_THAT(forms_in("0x" + hex(kToken)), testing::ElementsAre("in hexadecimal"));
  EXPECT_THAT(forms_in(hex(kToken, "%02X")), testing::ElementsAre("in hexadecimal"));
  EXPECT_THAT(forms_in(hex(kToken.substr(3, 12))), testing::SizeIs(1));
}

TEST(SecretForms, KnowsWhatStandsBehindEscapes) {
  for (const char* format : {"%%%02X", "%%%02x", "\\u%04x", "\\x%02x"}) {
    EXPECT_THAT(forms_in("a " + hex(kToken, format) + " b"), testing::ElementsAre("behind escapes"))
        << format;
  }
  EXPECT_THAT(forms_in("Basic%20" + base64("u:" + kToken)), testing::ElementsAre("as base64"));
}

TEST(SecretForms, TellsWhereItStands) {
  const std::string text = "a %6D" + kToken.substr(1) + " b";
  const auto found = SecretForms(kToken, Match::Parts).find(text);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(text.substr(found[0].at.begin, found[0].at.end - found[0].at.begin),
            "%6D" + kToken.substr(1));
}

TEST(SecretForms, OfAWholeTextNoPartCounts) {
  EXPECT_THAT(forms_in(kToken.substr(1), Match::Whole), testing::IsEmpty());
  EXPECT_THAT(forms_in(kToken, Match::Whole), testing::ElementsAre("in clear"));
  EXPECT_THAT(forms_in(base64("a" + kToken + "b"), Match::Whole),
              testing::ElementsAre("as base64"));
}

TEST(SecretForms, NothingIsSeenOfAnEmptySecret) {
  EXPECT_TRUE(SecretForms("", Match::Parts).find("anything at all").empty());
}

TEST(SecretWatch, CountsEachOnceHoweverTheStreamIsCut) {
  const std::string text = "one " + kToken + kToken + " two " + base64("u:" + kToken) + " three " +
                           hex(kToken, "%%%02X") + " " + kToken.substr(0, 11);
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 50U, 1000U}) {
    SecretWatch watch(kToken, Match::Parts);
    for (std::size_t at = 0; at < text.size(); at += piece) watch.take(text.substr(at, piece));
    EXPECT_EQ(watch.hits(), 4u) << "pieces of " << piece;
  }
}

}  // namespace
}  // namespace mishap::client_tests
