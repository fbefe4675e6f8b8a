#include "cli/narrowing.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include <fmt/format.h>

#include "cli/run_folder.h"
#include "client-tests/run/last_run.h"
#include "mishap/nearest_word.h"
#include "mishap/verdict.h"

namespace mishap::cli {
namespace {

using scenarios::Scenario;

constexpr std::string_view kNot = "not:";

bool complain(const std::string& text) {
  std::cerr << "mishap test: " << text << "\n";
  return false;
}

bool has_tag(const Scenario& scenario, std::string_view tag) {
  return std::ranges::find(scenario.tags, tag) != scenario.tags.end();
}

std::string name_of(const Scenario& scenario) {
  return full_name(scenario.pack, scenario.name);
}

std::vector<std::string> tags_of(const std::vector<Scenario>& scenarios) {
  std::set<std::string> tags;
  for (const auto& scenario : scenarios) tags.insert(scenario.tags.begin(), scenario.tags.end());
  return {tags.begin(), tags.end()};
}

std::string count_of(std::size_t count) {
  return fmt::format("{} scenario{}", count, count == 1 ? "" : "s");
}

// Whether a target is less than a pack or a folder.
bool is_single(const std::string& target) {
  std::error_code ignored;
  const auto names = scenarios::resolve_targets({target});
  return names && names->size() == 1 && !std::filesystem::is_directory(target, ignored);
}

// What did not pass; of a run that was stopped, whatever did not get so far as well.
class Unfinished {
 public:
  explicit Unfinished(const client_tests::SuiteVerdict& verdict)
      : stopped_(!verdict.stopped.empty()) {
    for (const auto& one : verdict.cases) {
      const bool open = one.verdict == client_tests::Verdict::Fail ||
                        one.verdict == client_tests::Verdict::Inconclusive;
      (open ? open_ : done_).insert(full_name(one.pack, one.scenario));
    }
  }
  bool holds(const Scenario& scenario) const {
    const auto name = name_of(scenario);
    return open_.contains(name) || (stopped_ && !done_.contains(name));
  }

 private:
  bool stopped_;
  std::set<std::string> open_;
  std::set<std::string> done_;
};

// Bazel takes a test that does not touch this file for one that runs everything in every shard.
void tell_runner_of_sharding() {
  if (const char* file = std::getenv("TEST_SHARD_STATUS_FILE"); file != nullptr && *file != '\0') {
    std::ofstream(file, std::ios::app).flush();
  }
}

}  // namespace

std::string full_name(const std::string& pack, const std::string& name) {
  return pack.empty() ? name : pack + "/" + name;
}

bool has_tags(const Scenario& scenario, const std::vector<std::string>& tags) {
  bool asked = false;
  bool has = false;
  for (const std::string_view tag : tags) {
    if (tag.starts_with(kNot)) {
      if (has_tag(scenario, tag.substr(kNot.size()))) return false;
      continue;
    }
    asked = true;
    has = has || has_tag(scenario, tag);
  }
  return has || !asked;
}

bool Narrowing::prepare(const TestArguments& arguments) {
  tags_ = arguments.tags;
  targets_ = arguments.targets;
  last_failed_ = arguments.last_failed;
  narrowed_ = std::ranges::any_of(targets_, is_single);
  auto shard = arguments.shard.empty()
                   ? shard_of_environment([](const char* name) { return std::getenv(name); })
                   : parse_shard(arguments.shard);
  if (!shard) return complain(shard.error());
  shard_ = *shard;
  if (shard_) tell_runner_of_sharding();
  return true;
}

bool Narrowing::apply(std::vector<Scenario>& scenarios) {
  for (const auto& scenario : scenarios) all_names_.push_back(name_of(scenario));
  const auto all = scenarios.size();
  if (!keep_tagged(scenarios)) return false;
  if (shard_) keep_shard(scenarios);
  if (!last_failed_.empty() && !keep_failed(scenarios)) return false;
  narrowed_ = narrowed_ || scenarios.size() != all;
  return true;
}

bool Narrowing::keep_tagged(std::vector<Scenario>& scenarios) const {
  if (tags_.empty()) return true;
  const auto known = tags_of(scenarios);
  for (const std::string_view tag : tags_) {
    const auto word = std::string(tag.starts_with(kNot) ? tag.substr(kNot.size()) : tag);
    if (std::ranges::find(known, word) != known.end()) continue;
    return complain("--tag: " + unknown_word("tag", word, known) +
                    " (none of the scenarios has it)");
  }
  std::erase_if(scenarios, [&](const Scenario& one) { return !has_tags(one, tags_); });
  if (!scenarios.empty()) return true;
  return complain("no scenario has these tags: " + fmt::format("{}", fmt::join(tags_, ", ")));
}

void Narrowing::keep_shard(std::vector<Scenario>& scenarios) {
  std::vector<ShardItem> items;
  for (const auto& one : scenarios) {
    items.push_back(
        {name_of(one), one.compare_with.empty() ? "" : full_name(one.pack, one.compare_with)});
  }
  const auto assigned = assign_shards(items, shard_->total);
  const auto all = scenarios.size();
  std::vector<Scenario> ours;
  for (std::size_t i = 0; i < all; ++i) {
    if (assigned[i] == shard_->index) ours.push_back(std::move(scenarios[i]));
  }
  scenarios = std::move(ours);
  lines_ += fmt::format("shard     {} ({}): {} of {}; --shard off runs all\n", shard_->text(),
                        shard_->from, scenarios.size(), count_of(all));
  if (scenarios.empty()) lines_ += "          no scenario fell to this shard: nothing to do\n";
}

bool Narrowing::keep_failed(std::vector<Scenario>& scenarios) {
  const auto run = last_failed_ == "true"
                       ? client_tests::last_run(std::string(kRunsFolder), targets_)
                       : last_failed_;
  if (run.empty()) {
    return complain(fmt::format("--last-failed: no run of {} is stored in {}; run it once without",
                                fmt::join(targets_, ", "), kRunsFolder));
  }
  const auto suite = client_tests::load_suite(run);
  if (!suite) {
    std::cerr << render(suite.error());
    return false;
  }
  const Unfinished unfinished(client_tests::judge(*suite));
  std::erase_if(scenarios, [&](const Scenario& one) { return !unfinished.holds(one); });
  nothing_failed_ = scenarios.empty();
  lines_ += nothing_failed_ ? fmt::format("nothing failed and nothing was left open in {}\n", run)
                            : fmt::format("again     {} that did not pass in {}\n",
                                          count_of(scenarios.size()), run);
  return true;
}

}  // namespace mishap::cli
