#include "cli/shard.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace mishap::cli {
namespace {

constexpr std::uint64_t kMostShards = 1000;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

struct Runner {
  const char* index;
  const char* total;
  std::uint64_t first;
};

constexpr std::array<Runner, 5> kRunners{{
    {"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0},
    {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", 0},
    {"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0},
    {"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", 1},
}};

tl::expected<std::optional<Shard>, std::string> shard_of(const Runner& runner, const char* index,
                                                         const char* total) {
  const auto count = number(total);
  const auto place = number(index == nullptr ? "" : index);
  if (count && *count == 1) return std::nullopt;
  const bool fits = count && place && *count >= 1 && *count <= kMostShards &&
                    *place >= runner.first && *place - runner.first < *count;
  if (!fits) {
    return tl::unexpected(fmt::format(
        "{}={} and {}={} name no shard (numbers from {}); --shard off runs everything here",
        runner.index, index == nullptr ? "(not set)" : index, runner.total, total, runner.first));
  }
  return Shard{*place - runner.first + 1, *count,
               fmt::format("{}={}, {}={}", runner.index, index, runner.total, total)};
}

// FNV-1a, stirred so that near names lie far apart (the finaliser of SplitMix64).
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebULL;
  return hash ^ (hash >> 31U);
}

// What stays together, by the name that it is together with.
struct Unit {
  std::string key;
  std::vector<std::size_t> items;
};

std::vector<Unit> units_of(const std::vector<ShardItem>& items) {
  std::map<std::string, Unit> by_key;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& key = items[i].with.empty() ? items[i].name : items[i].with;
    auto& unit = by_key[key];
    unit.key = key;
    unit.items.push_back(i);
  }
  std::vector<Unit> units;
  for (auto& [key, unit] : by_key) units.push_back(std::move(unit));
  // The large ones first, while there is room for them anywhere.
  std::ranges::stable_sort(units, [](const Unit& a, const Unit& b) {
    if (a.items.size() != b.items.size()) return a.items.size() > b.items.size();
    return hash_of(a.key) < hash_of(b.key);
  });
  return units;
}

class Shards {
 public:
  Shards(std::size_t items, std::uint64_t total)
      : loads_(total), even_(items / total), over_(items % total) {}

  // The highest draw of those with room (rendezvous hashing), else the emptiest.
  std::uint64_t place(const Unit& unit) {
    std::uint64_t best = loads_.size();
    std::uint64_t best_draw = 0;
    for (std::uint64_t shard = 0; shard < loads_.size(); ++shard) {
      if (!has_room(shard, unit.items.size())) continue;
      const auto draw = hash_of(fmt::format("{}|{}", unit.key, shard));
      if (best == loads_.size() || draw > best_draw) {
        best = shard;
        best_draw = draw;
      }
    }
    if (best == loads_.size()) {
      best = static_cast<std::uint64_t>(std::ranges::min_element(loads_) - loads_.begin());
    }
    const bool was_over = loads_[best] > even_;
    loads_[best] += unit.items.size();
    if (!was_over && loads_[best] > even_ && over_ > 0) --over_;
    return best + 1;
  }

 private:
  bool has_room(std::uint64_t shard, std::size_t size) const {
    const auto after = loads_[shard] + size;
    return after <= even_ || (after == even_ + 1 && over_ > 0);
  }

  std::vector<std::size_t> loads_;
  std::size_t even_;
  std::size_t over_;  // how many shards may still hold one more
};

}  // namespace

tl::expected<std::optional<Shard>, std::string> parse_shard(std::string_view text) {
  if (text == "off") return std::nullopt;
  const auto slash = text.find('/');
  const auto index = number(text.substr(0, slash));
  const auto total =
      slash == std::string_view::npos ? std::nullopt : number(text.substr(slash + 1));
  if (!index || !total || *index < 1 || *index > *total || *total > kMostShards) {
    return tl::unexpected(
        fmt::format("--shard wants 2/4 (the second of four, at most {}) or off, not \"{}\"",
                    kMostShards, text));
  }
  if (*total == 1) return std::nullopt;
  return Shard{*index, *total, "--shard"};
}

tl::expected<std::optional<Shard>, std::string> shard_of_environment(const Environment& variable) {
  for (const auto& runner : kRunners) {
    const char* total = variable(runner.total);
    if (total == nullptr || *total == '\0') continue;
    return shard_of(runner, variable(runner.index), total);
  }
  return std::nullopt;
}

std::vector<std::uint64_t> assign_shards(const std::vector<ShardItem>& items, std::uint64_t total) {
  std::vector<std::uint64_t> assigned(items.size());
  Shards shards(items.size(), total);
  for (const auto& unit : units_of(items)) {
    const auto shard = shards.place(unit);
    for (const auto item : unit.items) assigned[item] = shard;
  }
  return assigned;
}

}  // namespace mishap::cli
