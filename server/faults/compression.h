#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// What gzip makes of bytes (RFC 1952).
namespace mishap::server {

std::string gzip(std::string_view bytes);

// One member that unpacks to `blocks` times `block` zeros: `head`, then `block` so many times, then
// `tail`. Each block is compressed for itself, so that all but the first are the same bytes.
struct GzipOfZeros {
  std::string head;
  std::string block;
  std::uint64_t times = 0;
  std::string tail;
};
// At least one block.
GzipOfZeros gzip_of_zeros(std::uint64_t block, std::uint64_t blocks);

}  // namespace mishap::server
