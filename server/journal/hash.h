#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace mishap::server {

using Digest = std::array<std::uint8_t, 32>;

// SHA-256 of the bytes; as lower-case hex where it is kept. For secrets and draws; where only
// equality matters there is fingerprint.h.
Digest sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);

// Joins parts so that no two lists of parts give the same text: each is preceded by its length.
std::string joined_for_hash(std::initializer_list<std::string_view> parts);

}  // namespace mishap::server
