#include "server/journal/hash.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

TEST(Hash, IsSha256AsHex) {
  // FIPS 180-4, example of one block; and the empty text.
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Hash, TellsListsOfPartsApart) {
  EXPECT_NE(joined_for_hash({"ab", "c"}), joined_for_hash({"a", "bc"}));
  EXPECT_NE(joined_for_hash({"a", ""}), joined_for_hash({"a"}));
  EXPECT_NE(joined_for_hash({"1:a"}), joined_for_hash({"a"}));
}

}  // namespace
}  // namespace mishap::server
