#include "server/resources/decoded.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace mishap::server {
namespace {

constexpr std::uint64_t kMost = 1 << 20;

std::string deflated(const std::string& text, int window) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(compressBound(text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Decoded, TakesABodyOutOfTheCodingsThatItKnows) {
  const std::string text(100000, 'x');
  EXPECT_EQ(decoded("", text, kMost), text);
  EXPECT_EQ(decoded("identity", text, kMost), text);
  EXPECT_EQ(decoded("GZIP", deflated(text, 31), kMost), text);
  EXPECT_EQ(decoded("deflate", deflated(text, 15), kMost), text);
  EXPECT_EQ(decoded("deflate", deflated(text, -15), kMost), text);
}

TEST(Decoded, GivesNothingForWhatItCannotRead) {
  const std::string packed = deflated("hello", 31);
  EXPECT_EQ(decoded("br", "x", kMost), std::nullopt);
  EXPECT_EQ(decoded("gzip", "no gzip", kMost), std::nullopt);
  EXPECT_EQ(decoded("gzip", packed.substr(0, packed.size() - 4), kMost), std::nullopt);
  EXPECT_EQ(decoded("gzip", "", kMost), std::nullopt);
}

TEST(Decoded, StopsAtTheLimit) {
  const std::string bomb = deflated(std::string(kMost + 1, '\0'), 31);
  EXPECT_LT(bomb.size(), 4096U);
  EXPECT_EQ(decoded("gzip", bomb, kMost), std::nullopt);
}

}  // namespace
}  // namespace mishap::server
