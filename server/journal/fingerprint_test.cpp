#include "server/journal/fingerprint.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

// XXH3's own vector for no bytes with seed 0.
TEST(Fingerprint, IsThatOfXxh3) {
  const Fingerprint empty = fingerprint("");
  EXPECT_EQ(empty.high, 0x99AA06D3014798D8ULL);
  EXPECT_EQ(empty.low, 0x6001C324468D497FULL);
}

TEST(Fingerprint, TextTellsPrintsApart) {
  EXPECT_EQ(fingerprint("abc").text().size(), 15U);
  EXPECT_EQ(fingerprint("abc").text(), fingerprint("abc").text());
  EXPECT_NE(fingerprint("abc").text(), fingerprint("abd").text());
  EXPECT_EQ(fingerprint("abc").text().find_first_not_of(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
            std::string::npos);
}

TEST(Fingerprint, OfPartsKnowsWhereTheyEnd) {
  EXPECT_NE(fingerprint_of({"ab", "c"}), fingerprint_of({"a", "bc"}));
  EXPECT_NE(fingerprint_of({"a", ""}), fingerprint_of({"a"}));
  EXPECT_EQ(fingerprint_of({"a", "b"}), fingerprint_of({"a", "b"}));
  EXPECT_NE(fingerprint_of({bytes_of(fingerprint("a")), "b"}),
            fingerprint_of({bytes_of(fingerprint("b")), "a"}));
}

TEST(Fingerprint, OfNothingIsNoneAndOfNoBytesIsOne) {
  EXPECT_FALSE(Fingerprint{});
  EXPECT_TRUE(fingerprint(""));
  EXPECT_FALSE(fingerprint_of_word(""));
  EXPECT_EQ(fingerprint_of_word("a"), fingerprint("a"));
}

TEST(RunningFingerprint, IsTheSameHoweverTheBytesAreCut) {
  const std::string bytes(5000, 'x');
  for (const std::size_t cut : {0U, 1U, 240U, 4999U}) {
    RunningFingerprint running;
    running.add(std::string_view(bytes).substr(0, cut));
    running.add(std::string_view(bytes).substr(cut));
    EXPECT_EQ(running.so_far(), fingerprint(bytes)) << cut;
  }
}

}  // namespace
}  // namespace mishap::server
