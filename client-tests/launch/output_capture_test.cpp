#include "client-tests/launch/output_capture.h"

#include <gtest/gtest.h>

namespace mishap::client_tests {
namespace {

constexpr auto kKept = OutputCapture::kKept;

void take_in_pieces(OutputCapture& capture, std::string_view text, std::size_t size) {
  for (std::size_t at = 0; at < text.size(); at += size) capture.take(text.substr(at, size));
}

std::string numbered(std::size_t bytes) {
  std::string text;
  for (int line = 0; text.size() < bytes; ++line) text += std::to_string(line) + "\n";
  return text.substr(0, bytes);
}

TEST(OutputCapture, KeepsAShortStreamWhole) {
  OutputCapture capture("", {});
  capture.take("one\ntwo");
  const auto captured = capture.result(2, "stderr");
  EXPECT_EQ(captured.copy, 2);
  EXPECT_EQ(captured.stream, "stderr");
  EXPECT_EQ(captured.head, "one\ntwo");
  EXPECT_EQ(captured.tail, "");
  EXPECT_EQ(captured.bytes, 7U);
  EXPECT_EQ(captured.lines, 2U);
}

TEST(OutputCapture, IsEmptyForAClientThatSaysNothing) {
  const auto captured = OutputCapture("token-1", {"secret"}).result(0, "stdout");
  EXPECT_EQ(captured.head + captured.tail, "");
  EXPECT_EQ(captured.lines, 0U);
}

TEST(OutputCapture, KeepsHeadAndTailOfALongOneHoweverItIsCut) {
  for (const std::size_t total : {kKept, kKept + 1, 2 * kKept, 2 * kKept + 1, 10 * kKept}) {
    const std::string text = numbered(total);
    for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}, 3 * kKept, total}) {
      OutputCapture capture("", {"no-such-secret"});
      take_in_pieces(capture, text, piece);
      const auto captured = capture.result(0, "stdout");
      EXPECT_EQ(captured.head, text.substr(0, kKept));
      const std::size_t tail = std::min(kKept, total - kKept);
      EXPECT_EQ(captured.tail, text.substr(total - tail)) << total << " by " << piece;
      EXPECT_EQ(captured.bytes, total);
    }
  }
}

TEST(OutputCapture, CountsTheTokenAcrossPieces) {
  const std::string token = "tok-aab-aab";
  const std::string text = "x" + token + token + "y tok-aab" + token + " tok-aab-aa";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    OutputCapture capture(token, {});
    take_in_pieces(capture, text, piece);
    EXPECT_EQ(capture.result(0, "stdout").canary_hits, 3U) << "pieces of " << piece;
  }
}

TEST(OutputCapture, CountsTheTokenInWhatIsNotKept) {
  OutputCapture capture("tok-aab", {});
  capture.take(numbered(5 * kKept));
  capture.take("tok-aab");
  capture.take(numbered(5 * kKept));
  const auto captured = capture.result(0, "stdout");
  EXPECT_EQ(captured.canary_hits, 1U);
  EXPECT_EQ((captured.head + captured.tail).find("tok-aab"), std::string::npos);
}

TEST(OutputCapture, ShowsNoPartOfASecretAtAnyPlace) {
  const std::string secret = "QWERTZUIOP";
  for (const std::size_t total : {kKept + 5, 2 * kKept, 4 * kKept}) {
    // Around the end of the head and around the beginning of the tail.
    for (const std::size_t border : {kKept, std::max(kKept, total - kKept)}) {
      for (std::size_t back = 0; back <= secret.size(); ++back) {
        std::string text(total, '.');
        if (border - back + secret.size() > total) continue;
        text.replace(border - back, secret.size(), secret);
        OutputCapture capture("", {secret});
        take_in_pieces(capture, text, 1000);
        const auto captured = capture.result(0, "stdout");
        const std::string kept = captured.head + captured.tail;
        EXPECT_EQ(kept.find_first_of(secret), std::string::npos)
            << total << " " << border << " " << back;
        EXPECT_LE(captured.masked, 1U);
        const std::size_t begin = border - back;
        const bool in_gap = begin >= kKept && begin + secret.size() <= total - kKept;
        EXPECT_EQ(kept.find("***") == std::string::npos, in_gap)
            << total << " " << border << " " << back;
      }
    }
  }
}

TEST(OutputCapture, MasksTheUsersSecretsInEveryForm) {
  OutputCapture capture("", {"RealSecret_9f8e7d6c5b4a"});
  capture.take(
      "Basic UmVhbFNlY3JldF85ZjhlN2Q2YzViNGE= 5265616c5365637265745f396638653764366335623461\n");
  const auto shown = capture.result(0, "stdout").head;
  EXPECT_EQ(shown.find("UmVhbFNl"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("5265616c"), std::string::npos) << shown;
}

TEST(OutputCapture, CountsMaskedSecrets) {
  OutputCapture capture("", {"QWERTZ"});
  capture.take("a QWERTZ b QWERTZ c");
  const auto captured = capture.result(0, "stdout");
  EXPECT_EQ(captured.head, "a *** b *** c");
  EXPECT_EQ(captured.masked, 2U);
}

}  // namespace
}  // namespace mishap::client_tests
