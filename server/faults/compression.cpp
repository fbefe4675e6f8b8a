#include "server/faults/compression.h"

#include <algorithm>
#include <array>
#include <cassert>

#include <zlib.h>

namespace mishap::server {
namespace {

// Without a header, so that the pieces can be put together by hand.
class Deflate {
 public:
  Deflate() {
    [[maybe_unused]] const int result = deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED,
                                                     -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);
    assert(result == Z_OK && "zlib has its memory");
  }
  ~Deflate() { deflateEnd(&stream_); }
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;

  std::string add(std::string_view bytes, int flush) {
    // zlib does not change its input, but its interface is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::string out;
    std::array<Bytef, 16 * 1024> piece{};
    do {
      stream_.next_out = piece.data();
      stream_.avail_out = static_cast<uInt>(piece.size());
      deflate(&stream_, flush);
      out.append(reinterpret_cast<const char*>(piece.data()), piece.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return out;
  }

 private:
  z_stream stream_{};
};

std::string header() {
  return {"\x1f\x8b\x08\0\0\0\0\0\x02\xff", 10};
}

void append_number(std::string& out, std::uint64_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    out += static_cast<char>((value >> shift) & 0xFFU);
}

uLong sum_of(std::string_view bytes) {
  return crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
}

// The check sum of so many times the same bytes, by doubling.
uLong repeated(uLong sum, std::uint64_t length, std::uint64_t times) {
  uLong all = 0;
  for (; times > 0;
       times /= 2, sum = crc32_combine(sum, sum, static_cast<z_off_t>(length)), length *= 2) {
    if (times % 2 == 1) all = crc32_combine(all, sum, static_cast<z_off_t>(length));
  }
  return all;
}

}  // namespace

std::string gzip(std::string_view bytes) {
  std::string out = header() + Deflate().add(bytes, Z_FINISH);
  append_number(out, sum_of(bytes));
  append_number(out, bytes.size());
  return out;
}

GzipOfZeros gzip_of_zeros(std::uint64_t block, std::uint64_t blocks) {
  assert(blocks > 0 && "nothing is no bomb");
  const std::string zeros(block, '\0');
  Deflate deflate;
  GzipOfZeros made;
  made.head = header() + deflate.add(zeros, Z_FULL_FLUSH);
  made.block = deflate.add(zeros, Z_FULL_FLUSH);
  made.times = blocks - 1;
  made.tail = deflate.add({}, Z_FINISH);
  append_number(made.tail, repeated(sum_of(zeros), block, blocks));
  append_number(made.tail, block * blocks);
  return made;
}

}  // namespace mishap::server
