#pragma once

#include <vector>

#include "client-tests/verdict/judging.h"

// Many fails, few causes: what is put right once is told once.
namespace mishap::client_tests {

// Failing cases (controls first, then scenarios, as they stand) grouped by their most severe
// failing check; a group whose check follows from that of a worse one joins it. Worst first.
std::vector<Cause> find_causes(const SuiteVerdict& suite, const Checks& checks);

}  // namespace mishap::client_tests
