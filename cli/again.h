#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/shard.h"
#include "mishap/verdict.h"

namespace mishap::cli {

// The command line that repeats a run: with its seed and, where the environment made it a part, its
// shard; only what failed where something did. `client`: the client's command, secrets masked.
std::string again(const TestArguments& arguments, std::uint64_t seed,
                  const std::optional<Shard>& shard, const client_tests::SuiteVerdict& verdict,
                  const std::vector<std::string>& client);

// The same command against another vendor.
std::string with_api(const TestArguments& arguments, const std::string& path,
                     const std::vector<std::string>& client);

}  // namespace mishap::cli
