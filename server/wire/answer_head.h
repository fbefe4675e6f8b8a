#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mishap/units.h"

namespace mishap::server {

// What a client will make of the head of an answer: read from the bytes that go over the wire,
// since a fault may have made them say something else than was meant.
struct AnswerHead {
  bool whole = false;  // ends in its blank line
  StatusCode status = 0;
  std::optional<std::uint64_t> content_length;  // absent as well where it makes no sense
  bool chunked = false;
  bool close = false;
  bool keep_alive = false;
};
AnswerHead read_answer_head(std::string_view bytes);

}  // namespace mishap::server
