#include "cli/known.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "cli/narrowing.h"

namespace mishap::cli {
namespace {

namespace fs = std::filesystem;
using scenarios::KnownFinding;

constexpr int kDays = 90;
constexpr std::size_t kMostEntries = 1000;  // what the reader takes

bool is_named(const std::string& option) {
  return !option.empty() && option != "true";
}

std::string file_of(const TestArguments& arguments) {
  if (is_named(arguments.write_known)) return arguments.write_known;
  if (!arguments.known_file.empty()) return arguments.known_file;
  return (fs::path(arguments.project_folder) / scenarios::kKnownFile).string();
}

bool says_errors(const Diagnostics& diagnostics) {
  for (const auto& one : diagnostics) std::cerr << render(one);
  return has_errors(diagnostics);
}

bool counts(const client_tests::Finding& finding) {
  return finding.ruling == client_tests::Ruling::Fail && !finding.advisory &&
         (!finding.known || finding.known->expired);
}

class Update {
 public:
  Update(std::vector<KnownFinding> list, std::string day) : day_(std::move(day)) {
    made_.list = std::move(list);
  }

  void add(const client_tests::CaseVerdict& value, const std::string& check) {
    const auto name = full_name(value.pack, value.scenario);
    const auto there = std::ranges::find_if(made_.list, [&](const KnownFinding& one) {
      return one.check == check && (one.scenario == name || one.scenario == value.scenario);
    });
    const auto until = scenarios::day_after(day_, kDays);
    if (there != made_.list.end()) {
      there->until = until;
      made_.renewed.push_back(*there);
      return;
    }
    made_.list.push_back(
        {name, check, fmt::format("written by --write-known on {}: explain why", day_), until, {}});
    ++made_.added;
  }

  KnownUpdate take() { return std::move(made_); }

 private:
  std::string day_;
  KnownUpdate made_;
};

tl::unexpected<Error> cannot_write(const std::string& file, const std::string& why) {
  return tl::unexpected(Error{ErrorCode::BadInput,
                              "--write-known: cannot write " + file + ": " + why,
                              {},
                              "name another file: --write-known=FILE"});
}

// A link stays one, and its target is replaced.
fs::path real_path(const std::string& file) {
  std::error_code failure;
  const auto real = fs::canonical(file, failure);
  return failure ? fs::path(file) : real;
}

}  // namespace

std::optional<KnownList> load_known_list(const TestArguments& arguments,
                                         const std::vector<std::string>& scenarios) {
  KnownList list;
  list.file = file_of(arguments);
  std::error_code ignored;
  const bool must_be_there = !arguments.known_file.empty() && arguments.write_known.empty();
  if (must_be_there || fs::exists(list.file, ignored)) {
    auto loaded = scenarios::load_known(list.file);
    if (says_errors(loaded.diagnostics)) return {};
    list.of_file = std::move(loaded.known);
  }
  list.all = arguments.project_known;
  list.all.insert(list.all.end(), list.of_file.begin(), list.of_file.end());
  if (says_errors(client_tests::check_known(list.all, scenarios))) return {};
  return list;
}

KnownUpdate with_new_fails(std::vector<KnownFinding> list,
                           const client_tests::SuiteVerdict& verdict, const std::string& day) {
  Update update(std::move(list), day);
  for (const auto& value : verdict.cases) {
    for (const auto& finding : value.findings) {
      if (counts(finding)) update.add(value, finding.check);
    }
  }
  return update.take();
}

tl::expected<std::string, Error> write_known(const KnownList& known, const KnownUpdate& update) {
  if (update.list.size() > kMostEntries) {
    return cannot_write(known.file, fmt::format("it would have {} entries, more than {}: put globs "
                                                "in the place of some",
                                                update.list.size(), kMostEntries));
  }
  const auto path = real_path(known.file);
  const auto fresh = path.string() + ".new";
  std::error_code failure;
  fs::remove(fresh, failure);
  {
    std::ofstream file(fresh, std::ios::binary);
    file << scenarios::known_file_text(update.list) << std::flush;
    if (!file.good()) return cannot_write(known.file, "the folder or the disk does not take it");
  }
  fs::rename(fresh, path, failure);
  if (failure) return cannot_write(known.file, failure.message());
  std::string said =
      fmt::format("known     {} added to {}, {} in all{}\n", update.added, known.file,
                  update.list.size(), update.added > 0 ? ": give each a reason" : "");
  for (const auto& one : update.renewed) {
    said += fmt::format("          renewed until {}: {} in {} ({})\n", one.until, one.check,
                        one.scenario, one.reason);
  }
  return said;
}

}  // namespace mishap::cli
