#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

// One suite on several machines: which part of it is ours.
namespace mishap::cli {

struct Shard {
  std::uint64_t index = 1;  // from 1
  std::uint64_t total = 1;
  std::string from;  // who says so: "--shard", or the variables of a test runner

  std::string text() const { return std::to_string(index) + "/" + std::to_string(total); }
};

// "2/4"; nothing for "off" and "1/1". Else what is wrong with it.
tl::expected<std::optional<Shard>, std::string> parse_shard(std::string_view text);

// What test runners and CI services tell through the environment: Bazel, GoogleTest, Buildkite,
// CircleCI (from 0), GitLab (from 1). A half-told or impossible one is an error: running everything
// everywhere, or a part nowhere, would go unnoticed.
using Environment = std::function<const char*(const char* name)>;
tl::expected<std::optional<Shard>, std::string> shard_of_environment(const Environment& variable);

// One thing to run: its name and what it must stay together with (a scenario that another one is
// compared with), as that one's name; empty: nothing.
struct ShardItem {
  std::string name;
  std::string with;
};

// For each item the number of its shard, from 1. Each is in exactly one; parts are as even as what
// must stay together allows. A name pulls to the same shard whatever else is there, so that an
// added scenario moves few others.
std::vector<std::uint64_t> assign_shards(const std::vector<ShardItem>& items, std::uint64_t total);

}  // namespace mishap::cli
