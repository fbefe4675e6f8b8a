#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "client-tests/run/run_json.h"
#include "mishap/recording.h"

namespace mishap::client_tests {

// samples.jsonl: what was seen of each process over time. One look a line, a JSON list of seven
// whole numbers: which of the recording's processes, from 0; instant and processor time in
// nanoseconds; bytes of memory, descriptors, threads, sockets.
std::string to_sample_lines(const std::vector<ProcessFacts>& processes);

// Adds what stands there to the processes, which are there already. Refuses a process that is not
// there, looks that are not in order of time, and more of them than a process may have.
tl::expected<void, BadText> read_sample_lines(std::string_view text,
                                              std::vector<ProcessFacts>& processes);

}  // namespace mishap::client_tests
