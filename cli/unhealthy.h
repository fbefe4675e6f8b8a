#pragma once

#include <optional>
#include <string>

#include "mishap/recording.h"

// What is said when the healthy control is not healthy.
namespace mishap::cli {

// The first requests with what they were answered and why.
std::string requests_seen(const client_tests::Recording& control);

std::string last_error_lines(const client_tests::Recording& control);

// For a client that works and never ends: that it is a service, and how to say so. Else empty.
std::string never_ended_text(const client_tests::Recording& control);

// Writes a starter for the client's vendor; false where it could not be written.
bool write_starter(const client_tests::Recording& control, const std::string& path,
                   const std::string& usage);

}  // namespace mishap::cli
