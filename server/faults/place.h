#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mishap/parameters.h"
#include "server/plan/step.h"

// Where a place of an answer lies in the bytes that go out.
namespace mishap::server {

// From the head's first byte. Nothing where there is no such place in it: a third field of a head
// that has two, or a place beyond its end.
std::optional<std::uint64_t> offset_in_head(std::string_view head, const Position& place);

// From the body's first byte; `total` is its length, of which `body` may be the beginning only. A
// chunk is looked for in a chunk-coded body (RFC 9112 section 7.1).
std::optional<std::uint64_t> offset_in_body(std::string_view body, std::uint64_t total,
                                            const Position& place);

}  // namespace mishap::server
