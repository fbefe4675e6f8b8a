#include "client-tests/run/last_run.h"

#include <algorithm>
#include <filesystem>

#include "client-tests/run/folder.h"
#include "client-tests/run/run_json.h"

namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;

bool was_asked_for(const fs::path& run, const std::vector<std::string>& targets) {
  const auto text = read_file((run / "suite.json").string());
  if (!text) return false;
  const auto index = read_suite_index(*text);
  return index && index->suite.targets == targets;
}

}  // namespace

std::string last_run(const std::string& folder, const std::vector<std::string>& targets) {
  std::vector<fs::path> runs;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (!entry.is_symlink(failure) && entry.is_directory(failure)) runs.push_back(entry.path());
  }
  std::ranges::sort(runs, std::greater());
  const auto found =
      std::ranges::find_if(runs, [&](const fs::path& run) { return was_asked_for(run, targets); });
  return found == runs.end() ? std::string() : found->string();
}

}  // namespace mishap::client_tests
