#pragma once

#include <string>

// The table of checks in client-tests/checks/README.md, from the descriptors, so that a lint can
// compare the two.
namespace mishap::client_tests {

std::string check_table_markdown();

}  // namespace mishap::client_tests
