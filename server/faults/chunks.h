#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/parameters.h"

// The chunked transfer coding (RFC 9112 section 7.1) and the ways to get it wrong.
namespace mishap::server {

enum class ChunkMistake { None, BadSize, HugeSize, ShortSize, NoLineEnd, NoLastChunk };

struct Chunking {
  std::uint64_t size = 16;  // bytes of each chunk but the last
  ChunkMistake mistake = ChunkMistake::None;
  std::uint64_t wrong = 1;  // which chunk, from 1; the last one where there are fewer
  std::vector<NameValue> trailers{};
};

std::string in_chunks(std::string_view body, const Chunking& chunking);

}  // namespace mishap::server
