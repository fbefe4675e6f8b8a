#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/recording.h"

// The stored form of what is not journal and not captured bytes. Durations are whole nanoseconds. A
// text that is not UTF-8 is {"bytes": hexadecimal}. Writing the value that was read gives the same
// text.
namespace mishap::client_tests {

// suite.json, without the recordings: the names of their folders.
struct SuiteIndex {
  Suite suite;
  std::vector<std::string> controls;
  std::vector<std::string> recordings;
};

// Readers: line and column are 0 where the text is JSON but not what it should be; `what` then
// names the place as /scenario/rules/0/rate.
struct BadText {
  std::string what;
  int line = 0;
  int column = 0;
};

std::string to_json(const SuiteIndex& index);
tl::expected<SuiteIndex, BadText> read_suite_index(std::string_view text);

// Without journal, outcomes, and the heads and tails of the output.
std::string to_json(const Recording& recording);
tl::expected<Recording, BadText> read_recording(std::string_view text);

// One JSON object a line.
std::string to_json_lines(const std::vector<OutcomeLine>& outcomes);
tl::expected<std::vector<OutcomeLine>, BadText> read_outcomes(std::string_view text);

// The top-level member "verdict" of verdict.json; empty where there is none.
std::string read_verdict(std::string_view text);

}  // namespace mishap::client_tests
