#include "server/faults/place.h"

#include <charconv>

namespace mishap::server {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

using Offset = std::optional<std::uint64_t>;

// Behind the CRLF of the line that begins at `from`.
Offset behind_line(std::string_view text, std::uint64_t from) {
  const auto end = text.find(kLineEnd, from);
  if (end == std::string_view::npos) return std::nullopt;
  return end + kLineEnd.size();
}

// Behind the n-th of the lines that begin at `from`, none of which is the empty one.
Offset behind_lines(std::string_view text, std::uint64_t from, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) {
    const Offset end = behind_line(text, from);
    if (!end || *end == from + kLineEnd.size()) return std::nullopt;
    from = *end;
  }
  return from;
}

Offset landmark_in_head(std::string_view head, const Position& place) {
  const Offset fields = behind_line(head, 0);
  if (place.landmark == Landmark::StatusLine || !fields) return fields;
  return behind_lines(head, *fields, place.ordinal);
}

struct ChunkBounds {
  std::uint64_t data = 0;
  std::uint64_t end = 0;  // of the data
};

std::optional<ChunkBounds> chunk_at(std::string_view body, std::uint64_t from) {
  const Offset data = behind_line(body, from);
  if (!data) return std::nullopt;
  std::uint64_t size = 0;
  const char* const first = body.data() + from;
  const auto read = std::from_chars(first, body.data() + *data, size, 16);
  const bool fits = size <= body.size() - *data;
  if (read.ec != std::errc() || read.ptr == first || !fits) return std::nullopt;
  return ChunkBounds{*data, *data + size};
}

Offset landmark_in_chunks(std::string_view body, const Position& place) {
  std::uint64_t at = 0;
  for (std::uint64_t n = 1;; ++n) {
    const auto chunk = chunk_at(body, at);
    if (!chunk) return std::nullopt;
    const bool is_last = chunk->data == chunk->end;
    if (is_last && place.landmark == Landmark::LastChunk) return chunk->data;
    if (is_last && place.landmark == Landmark::Trailer) {
      return behind_lines(body, chunk->data, place.ordinal);
    }
    if (is_last) return std::nullopt;
    const bool is_here = n == place.ordinal;
    if (is_here && place.landmark == Landmark::ChunkSize) return chunk->data;
    if (is_here && place.landmark == Landmark::Chunk) return chunk->end;
    at = chunk->end + kLineEnd.size();
    if (at > body.size()) return std::nullopt;
  }
}

Offset within(Offset landmark, const Position& place, std::uint64_t total) {
  if (!landmark || place.bytes > total || *landmark > total - place.bytes) return std::nullopt;
  return *landmark + place.bytes;
}

std::uint64_t share_of(double share, std::uint64_t total) {
  return static_cast<std::uint64_t>(share * static_cast<double>(total));
}

}  // namespace

Offset offset_in_head(std::string_view head, const Position& place) {
  if (place.share) return share_of(*place.share, head.size());
  if (place.landmark == Landmark::Start) return within(0, place, head.size());
  if (!is_of_head(place.landmark)) return std::nullopt;
  return within(landmark_in_head(head, place), place, head.size());
}

Offset offset_in_body(std::string_view body, std::uint64_t total, const Position& place) {
  if (place.share) return share_of(*place.share, total);
  if (place.landmark == Landmark::Start) return within(0, place, total);
  if (is_of_head(place.landmark)) return std::nullopt;
  return within(landmark_in_chunks(body, place), place, total);
}

}  // namespace mishap::server
