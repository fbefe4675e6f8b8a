#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mishap/parameters.h"
#include "mishap/units.h"

// Places in a message as they are written.
namespace mishap {
namespace {

struct Word {
  std::string_view text;
  Landmark landmark;
  bool counts;  // has a number behind it
};

// "chunk size" stands before "chunk", which begins like it.
constexpr std::array kWords = {
    Word{"status line", Landmark::StatusLine, false}, Word{"header", Landmark::Header, true},
    Word{"chunk size", Landmark::ChunkSize, true},    Word{"chunk", Landmark::Chunk, true},
    Word{"last chunk", Landmark::LastChunk, false},   Word{"trailer", Landmark::Trailer, true},
};

const Word* word_at_the_front(std::string_view text) {
  for (const Word& word : kWords) {
    if (!text.starts_with(word.text)) continue;
    const std::string_view rest = text.substr(word.text.size());
    if (rest.empty() || rest.front() == ' ') return &word;
  }
  return nullptr;
}

void skip_spaces(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
}

tl::unexpected<std::string> misread(std::string_view text) {
  return tl::unexpected(fmt::format(
      "\"{}\" is no place: 37B, 50%, \"status line\", \"header 2\", \"chunk size 1\", \"chunk 1\", "
      "\"last chunk\" or \"trailer 1\", each of these also with \"+ 3B\"",
      text));
}

tl::expected<Position, std::string> behind(const Word& word, std::string_view text) {
  Position place;
  place.landmark = word.landmark;
  std::string_view rest = text.substr(word.text.size());
  skip_spaces(rest);
  if (word.counts) {
    const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto number = parse_integer(rest.substr(0, end));
    if (!number || *number < 1) {
      return tl::unexpected(
          fmt::format("\"{}\" needs a number from 1 behind \"{}\"", text, word.text));
    }
    place.ordinal = static_cast<std::uint64_t>(*number);
    rest.remove_prefix(end);
    skip_spaces(rest);
  }
  if (rest.empty()) return place;
  if (!rest.starts_with('+')) return misread(text);
  rest.remove_prefix(1);
  skip_spaces(rest);
  const auto bytes = parse_bytes(rest);
  if (!bytes) return tl::unexpected(bytes.error());
  place.bytes = *bytes;
  return place;
}

}  // namespace

bool is_of_head(Landmark landmark) {
  return landmark == Landmark::StatusLine || landmark == Landmark::Header;
}

tl::expected<Position, std::string> parse_position(std::string_view text) {
  if (const Word* word = word_at_the_front(text)) return behind(*word, text);
  if (text.ends_with('%')) {
    const auto share = parse_percent(text);
    if (!share) return tl::unexpected(share.error());
    return Position{.share = *share};
  }
  const auto bytes = parse_bytes(text);
  if (bytes) return Position{.bytes = *bytes};
  if (parse_number(text)) {
    return tl::unexpected(fmt::format("a place needs its unit: {}B or {}%?", text, text));
  }
  if (!text.empty() && text.find_first_of("0123456789") != 0) return misread(text);
  return tl::unexpected(bytes.error());
}

std::string to_string(const Position& place) {
  if (place.share) return fmt::format("{}%", *place.share * 100);
  for (const Word& word : kWords) {
    if (word.landmark != place.landmark) continue;
    std::string text(word.text);
    if (word.counts) text += fmt::format(" {}", place.ordinal);
    return place.bytes == 0 ? text : fmt::format("{} + {}B", text, place.bytes);
  }
  return fmt::format("{}B", place.bytes);
}

}  // namespace mishap
