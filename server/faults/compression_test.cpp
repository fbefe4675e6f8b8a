#include "server/faults/compression.h"

#include <array>

#include <gtest/gtest.h>
#include <zlib.h>

namespace mishap::server {
namespace {

// By zlib's own reader of gzip, which proves the check sum and the length.
std::string unpacked(std::string packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  std::array<Bytef, 64 * 1024> piece{};
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = piece.data();
    stream.avail_out = piece.size();
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(reinterpret_cast<const char*>(piece.data()), piece.size() - stream.avail_out);
  }
  EXPECT_EQ(result, Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U) << "something stands behind it";
  inflateEnd(&stream);
  return out;
}

TEST(Gzip, ComesBack) {
  for (const std::string& text :
       {std::string(), std::string("{\"id\":\"bk_1\"}"), std::string(100'000, 'x')}) {
    EXPECT_EQ(unpacked(gzip(text)), text);
  }
}

TEST(GzipOfZeros, IsOneRightMemberHoweverLong) {
  for (const std::uint64_t blocks : {1U, 2U, 3U, 7U, 64U}) {
    const GzipOfZeros made = gzip_of_zeros(64 * 1024, blocks);
    std::string packed = made.head;
    for (std::uint64_t i = 0; i < made.times; ++i) packed += made.block;
    packed += made.tail;
    EXPECT_EQ(unpacked(packed), std::string(blocks * 64 * 1024, '\0')) << blocks;
    EXPECT_LT(packed.size(), blocks * 64 * 1024 / 100);
  }
}

}  // namespace
}  // namespace mishap::server
