#pragma once

#include <string>

#include "client-tests/checks/check.h"

// What the one line of a recording says that passed.
namespace mishap::client_tests {

// "3 attempts, gaps 0.52 1.31 s": of the operation that took most attempts.
std::string attempts_headline(const History& history);

// "3 requests: POST /v1/bookings, GET /v1/products x2; ended 0 in 0.40 s"
std::string control_headline(const Recording& control);

}  // namespace mishap::client_tests
