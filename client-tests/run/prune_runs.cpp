#include "client-tests/run/prune_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "client-tests/run/folder.h"
#include "client-tests/run/run_json.h"

namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;

struct StoredRun {
  std::string name;
  bool passed = false;
  bool doomed = false;
  std::uint64_t bytes = 0;
};

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code failure;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failure)) {
    if (!entry.is_symlink(failure) && entry.is_regular_file(failure)) {
      bytes += entry.file_size(failure);
    }
  }
  return bytes;
}

bool is_stored_run(const fs::directory_entry& entry) {
  std::error_code failure;
  return !entry.is_symlink(failure) && entry.is_directory(failure) &&
         fs::is_regular_file(entry.path() / "suite.json", failure);
}

// One without a verdict may be the only trace of a crash: it counts as not passed.
bool has_passed(const fs::path& folder) {
  const auto text = read_file((folder / "verdict.json").string());
  return text && read_verdict(*text) == "pass";
}

std::vector<StoredRun> runs_in(const std::string& folder, std::error_code& failure) {
  std::vector<StoredRun> runs;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (!is_stored_run(entry)) continue;
    runs.push_back({entry.path().filename().string(), has_passed(entry.path()), false,
                    bytes_in(entry.path())});
  }
  std::sort(runs.begin(), runs.end(),
            [](const StoredRun& a, const StoredRun& b) { return a.name < b.name; });
  return runs;
}

// Both leave the newest, which is the last, as it is.
void doom_old_passing(std::vector<StoredRun>& runs, std::size_t keep) {
  std::size_t seen = 0;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (run->passed && ++seen > keep) run->doomed = run != runs.rbegin();
  }
}

void doom_to_fit(std::vector<StoredRun>& runs, std::uint64_t most) {
  std::uint64_t total = 0;
  for (const auto& run : runs) total += run.doomed ? 0 : run.bytes;
  for (const bool passed : {true, false}) {
    for (auto& run : runs) {
      if (total <= most) return;
      if (run.doomed || run.passed != passed || &run == &runs.back()) continue;
      run.doomed = true;
      total -= run.bytes;
    }
  }
}

}  // namespace

tl::expected<Pruned, Error> prune_runs(const std::string& folder, std::size_t keep,
                                       std::uint64_t bytes) {
  std::error_code failure;
  auto runs = runs_in(folder, failure);
  if (failure) {
    return tl::unexpected(
        file_error(ErrorCode::Environment, folder, "cannot be read: " + failure.message()));
  }
  doom_old_passing(runs, keep);
  doom_to_fit(runs, bytes);
  Pruned pruned;
  for (const auto& run : runs) {
    if (!run.doomed) continue;
    fs::remove_all(fs::path(folder) / run.name, failure);
    if (failure) {
      return tl::unexpected(file_error(ErrorCode::Environment, folder + "/" + run.name,
                                       "cannot be removed: " + failure.message()));
    }
    pruned.removed.push_back(run.name);
    pruned.freed += run.bytes;
  }
  return pruned;
}

}  // namespace mishap::client_tests
