#include "server/faults/chunks.h"

#include <algorithm>

#include <fmt/format.h>

namespace mishap::server {
namespace {

std::string size_line(std::uint64_t size, ChunkMistake mistake) {
  switch (mistake) {
    case ChunkMistake::BadSize:
      return "xyz\r\n";
    case ChunkMistake::HugeSize:
      return "1ffffffffffffffff\r\n";
    case ChunkMistake::ShortSize:
      return fmt::format("{:x}\r\n", size - 1);
    default:
      return fmt::format("{:x}\r\n", size);
  }
}

}  // namespace

std::string in_chunks(std::string_view body, const Chunking& chunking) {
  const std::uint64_t count = (body.size() + chunking.size - 1) / chunking.size;
  const std::uint64_t wrong = std::min(chunking.wrong, std::max<std::uint64_t>(count, 1));
  std::string coded;
  for (std::uint64_t n = 1; !body.empty(); ++n) {
    const std::string_view data = body.substr(0, chunking.size);
    const ChunkMistake mistake = n == wrong ? chunking.mistake : ChunkMistake::None;
    coded += size_line(data.size(), mistake);
    coded += data;
    if (mistake != ChunkMistake::NoLineEnd) coded += "\r\n";
    body.remove_prefix(data.size());
  }
  if (chunking.mistake == ChunkMistake::NoLastChunk) return coded;
  coded += "0\r\n";
  for (const NameValue& field : chunking.trailers)
    coded += field.name + ": " + field.value + "\r\n";
  return coded + "\r\n";
}

}  // namespace mishap::server
