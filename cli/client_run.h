#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "mishap/recording.h"
#include "mishap/run.h"

// How `test`, `observe` and `init` run the user's client. What is wrong goes to stderr, said by
// `who`, as "mishap test".
namespace mishap::cli {

// NAME=VALUE each. What is refused is not repeated beyond its name: it may be a secret.
std::optional<std::vector<NameValue>> read_environment(std::string_view who,
                                                       const std::vector<std::string>& words);

// Whether --kill-after is left out, or a time in which a client can do something.
bool patience_is_fine(std::string_view who, const std::string& kill_after);

// Lays what the command line says of the client over what mishap.yaml does.
bool lay_over(std::string_view who, TestArguments& arguments);

// What all runs of it have in common. `interrupted` must outlive the options.
client_tests::TestOptions run_options(const TestArguments& arguments, std::uint64_t seed,
                                      const std::string& folder,
                                      const std::atomic<bool>& interrupted);

// One reading of the control: is it well enough to be built upon?
bool is_healthy(const client_tests::Recording& control);

}  // namespace mishap::cli
