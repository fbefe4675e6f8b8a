#pragma once

#include "client-tests/checks/check.h"

namespace mishap::client_tests {
extern const CheckDescriptor kCalm;
}  // namespace mishap::client_tests
