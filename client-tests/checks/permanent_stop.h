#pragma once

#include "client-tests/checks/check.h"
#include "client-tests/checks/tally.h"

// What follows a permanent refusal: the reader of the two checks about it.
namespace mishap::client_tests {

// The first policy attempt that was refused for good, as an index; nothing where none was. A 404
// counts only where a rule made it and would make it again: a vendor that is merely slow to show
// something says it too.
std::optional<std::size_t> first_refusal(const Case& c, const Operation& operation);

// Judges the silence after it into `tally`.
void judge_after_refusal(const Case& c, const Operation& operation, std::size_t refusal,
                         Tally& tally);

}  // namespace mishap::client_tests
