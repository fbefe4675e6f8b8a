#include "cli/run_folder.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace mishap::cli {
namespace {

namespace fs = std::filesystem;

// "2026-11-29T20-14-05-core"
std::string suite_name(const TestArguments& arguments, const std::tm& now) {
  auto first = arguments.targets.front();
  if (const auto slash = first.rfind('/'); slash != std::string::npos && slash + 1 < first.size()) {
    first = first.substr(slash + 1);
  }
  if (first.ends_with(".yaml")) first.resize(first.size() - 5);
  std::ranges::replace_if(
      first,
      [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_';
      },
      '-');
  return fmt::format("{:%Y-%m-%dT%H-%M-%S}-{}", now, first);
}

}  // namespace

std::tm utc_now(const server::Clock& clock) {
  return fmt::gmtime(std::chrono::system_clock::to_time_t(clock.wall(clock.now())));
}

// Two runs within a second get different ones.
tl::expected<std::string, Error> make_run_folder(const TestArguments& arguments,
                                                 const std::tm& now) {
  std::error_code error;
  if (!arguments.out.empty()) {
    if (fs::exists(arguments.out) && !fs::is_empty(arguments.out, error)) {
      return tl::unexpected(Error{ErrorCode::BadInput,
                                  "--out " + arguments.out + " is there already and is not empty",
                                  {},
                                  "name a new folder, or remove it"});
    }
    fs::create_directories(arguments.out, error);
    if (error) {
      return tl::unexpected(Error{ErrorCode::BadInput,
                                  "--out: cannot make " + arguments.out + ": " + error.message(),
                                  {},
                                  {}});
    }
    return arguments.out;
  }
  const auto name = suite_name(arguments, now);
  fs::create_directories(kRunsFolder, error);
  for (int i = 1; i < 1000; ++i) {
    const auto folder = fs::path(kRunsFolder) / (i == 1 ? name : fmt::format("{}-{}", name, i));
    if (fs::create_directory(folder, error)) return folder.string();
    if (error) break;
  }
  return tl::unexpected(
      Error{ErrorCode::Environment,
            fmt::format("cannot make a folder in {}: {}", kRunsFolder, error.message()),
            {},
            "use --out FOLDER"});
}

}  // namespace mishap::cli
