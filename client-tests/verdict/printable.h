#pragma once

#include <string>
#include <string_view>

// Text of servers and clients inside text of ours.
namespace mishap::client_tests {

// Valid UTF-8 without control characters and without marks that reorder a line; every other byte
// as \xNN. Longer than `most` bytes: cut, with "…".
std::string printable(std::string_view text, std::size_t most = 4096);

}  // namespace mishap::client_tests
