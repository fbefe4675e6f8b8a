#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mishap::server {

// A body out of its content coding (gzip, x-gzip, deflate, identity; empty: none). Nothing where
// the coding is another one, the bytes are none of it, or the result has more than `most` bytes.
std::optional<std::string> decoded(std::string_view coding, std::string_view body,
                                   std::uint64_t most);

}  // namespace mishap::server
