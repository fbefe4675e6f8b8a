#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/shard.h"
#include "mishap/scenario.h"

// Which of the scenarios that were named are run: by tag, by shard, by what failed the last time.
namespace mishap::cli {

// A scenario is meant when it has one of the tags, and none of those written not:TAG.
bool has_tags(const scenarios::Scenario& scenario, const std::vector<std::string>& tags);

class Narrowing {
 public:
  // Reads the environment too. Errors go to stderr; false: usage.
  bool prepare(const TestArguments& arguments);

  // Leaves out what is not meant, in this order: tags, shard, last failed; so that a shard is the
  // same part whether or not only its fails are run. False: said on stderr why it cannot be.
  bool apply(std::vector<scenarios::Scenario>& scenarios);

  const std::vector<std::string>& all_names() const { return all_names_; }  // "core/healthy"
  bool narrowed() const { return narrowed_; }
  const std::optional<Shard>& shard() const { return shard_; }
  const std::string& lines() const { return lines_; }  // what was left out and why, for people
  bool nothing_failed() const { return nothing_failed_; }

 private:
  bool keep_tagged(std::vector<scenarios::Scenario>& scenarios) const;
  void keep_shard(std::vector<scenarios::Scenario>& scenarios);
  bool keep_failed(std::vector<scenarios::Scenario>& scenarios);

  std::vector<std::string> tags_;
  std::vector<std::string> targets_;
  std::string last_failed_;  // empty: not asked for; "true": the last run of these targets
  std::optional<Shard> shard_;
  std::vector<std::string> all_names_;
  std::string lines_;
  bool narrowed_ = false;
  bool nothing_failed_ = false;
};

// "core/healthy", or the bare name of a scenario that is in no pack.
std::string full_name(const std::string& pack, const std::string& name);

}  // namespace mishap::cli
