#pragma once

#include <optional>
#include <string_view>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/journal.h"

namespace mishap::server {

// Reads a journal in pieces, as to_json_lines wrote it: a large one need not be in memory as text.
class JournalReader {
 public:
  // `expected` bytes in all, as far as that is known: room for their records is made at once.
  explicit JournalReader(std::size_t expected = 0) : left_(expected) {}

  // Whole lines. The error tells the first line that cannot be read, counted over all pieces;
  // nothing more can be added then.
  tl::expected<void, Error> add(std::string_view lines);

  Journal take() { return std::move(journal_); }

 private:
  struct Piece;
  static Piece read(std::string_view lines, std::string_view readable);
  tl::expected<void, Error> append(Piece piece);
  template <typename Records>
  void append(Records& all, Records& some, std::size_t bytes);

  Journal journal_;
  std::size_t left_;  // bytes that are still to come
  int lines_ = 0;     // so far
};

}  // namespace mishap::server
