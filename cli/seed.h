#pragma once

#include <cstdint>
#include <optional>

namespace mishap::cli {

// The seed that was asked for, or a new one that is short enough to be typed again.
std::uint64_t choose_seed(const std::optional<std::uint64_t>& asked);

}  // namespace mishap::cli
