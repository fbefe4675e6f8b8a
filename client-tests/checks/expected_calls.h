#pragma once

#include <string>

#include "client-tests/checks/check.h"
#include "client-tests/checks/tally.h"

// The calls that a user's scenario expects: how many of them came, and after what.
namespace mishap::client_tests {

// "2", "2..5", "0.."
std::string text_of(const scenarios::Count& count);

// `seen` held against what was expected; `what` names it.
void judge_count(const std::string& what, std::uint64_t seen, const scenarios::Count& expected,
                 Witness cited, Tally& tally);

void judge_calls(const Case& c, Tally& tally);

}  // namespace mishap::client_tests
