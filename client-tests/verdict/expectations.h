#pragma once

#include <mishap/verdict.h>

#include "client-tests/verdict/judging.h"

namespace mishap::client_tests {

// check_expectations() with a catalogue of one's own.
Diagnostics check_expectations_with(const scenarios::Scenario& scenario, const Checks& checks);

}  // namespace mishap::client_tests
