#pragma once

#include <string>
#include <vector>

#include "mishap/journal.h"

namespace mishap::cli {

// What came, what was done, how it ended: one line for people, without its newline.
std::string exchange_line(const server::Exchange& exchange);

// "  [rule]" of each that fired, with what is missing of it.
std::string rules_text(const std::vector<server::RuleHit>& rules);

// What a run left behind, in a few lines.
std::string effects_text(const server::Journal& journal);

}  // namespace mishap::cli
