#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "mishap/scenario.h"

namespace mishap::scenarios {

// n, n..m, n.. and, where `allow_every`, "every n"; no number below `least`.
struct CountRules {
  std::uint64_t least = 1;
  bool allow_every = true;
};

// A count as it is written, without a place in a file; else what is wrong with it.
tl::expected<Count, std::string> parse_count(std::string_view text, CountRules rules = {});

}  // namespace mishap::scenarios
