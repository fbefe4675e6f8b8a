#include "client-tests/launch/log_files.h"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "client-tests/launch/confined_file.h"

namespace mishap::client_tests {
namespace {

class Glob {
 public:
  explicit Glob(const std::string& pattern) {
    matched_ = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &all_) == 0;
  }
  ~Glob() { ::globfree(&all_); }
  Glob(const Glob&) = delete;
  Glob& operator=(const Glob&) = delete;

  std::vector<std::string> paths() const {
    if (!matched_) return {};
    return {all_.gl_pathv, all_.gl_pathv + all_.gl_pathc};
  }

 private:
  glob_t all_{};
  bool matched_ = false;
};

// The folder's own name is no pattern.
std::string quoted(const std::string& folder) {
  std::string text;
  for (const char c : folder) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

std::pair<std::uint64_t, std::uint64_t> identity(const struct stat& facts) {
  return {static_cast<std::uint64_t>(facts.st_dev), static_cast<std::uint64_t>(facts.st_ino)};
}

constexpr std::uint64_t kRemembered = 4096;

// The last bytes before `size`.
std::string end_of(int file, std::uint64_t size) {
  std::string text(std::min(size, kRemembered), '\0');
  const auto from = static_cast<off_t>(size - text.size());
  const ssize_t got = ::pread(file, text.data(), text.size(), from);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

// Gives how much was read.
std::uint64_t read_into(OutputCapture& capture, int file, std::uint64_t from, std::uint64_t to) {
  std::array<char, 64 * 1024> chunk;
  std::uint64_t at = from;
  while (at < to) {
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), to - at));
    const ssize_t got = ::pread(file, chunk.data(), most, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    capture.take({chunk.data(), static_cast<std::size_t>(got)});
    at += static_cast<std::uint64_t>(got);
  }
  return at - from;
}

}  // namespace

LogFiles::LogFiles(std::vector<LogPattern> patterns, std::string canary,
                   std::vector<std::string> secrets, std::vector<NameValue> sensitive,
                   std::uint64_t most_bytes)
    : patterns_(std::move(patterns)),
      canary_(std::move(canary)),
      secrets_(std::move(secrets)),
      sensitive_(std::move(sensitive)),
      mask_(secrets_, canary_, sensitive_),
      most_bytes_(most_bytes) {}

std::vector<LogFiles::Found> LogFiles::find() const {
  std::vector<Found> all;
  for (const auto& [folder, pattern] : patterns_) {
    const std::string root = folder + "/";
    for (const auto& path : Glob(quoted(folder) + "/" + pattern).paths()) {
      if (path.starts_with(root)) all.push_back({folder, path.substr(root.size())});
    }
  }
  std::ranges::sort(all);
  const auto same = std::ranges::unique(all);
  all.erase(same.begin(), same.end());
  return all;
}

void LogFiles::begin() {
  for (const Found& found : find()) {
    if (const auto opened = open_confined(found.folder, found.name)) {
      const auto size = static_cast<std::uint64_t>(opened->facts.st_size);
      before_[identity(opened->facts)] = {size, end_of(opened->file.get(), size)};
    }
  }
}

std::vector<Captured> LogFiles::captured(int copy, std::vector<std::string>& notes) const {
  std::vector<Captured> all;
  std::size_t left_out = 0;
  for (const Found& found : find()) {
    const auto opened = open_confined(found.folder, found.name);
    if (!opened) continue;
    const auto size = static_cast<std::uint64_t>(opened->facts.st_size);
    const auto before = before_.find(identity(opened->facts));
    // One that does not stand as it did has been begun anew.
    const bool goes_on = before != before_.end() && before->second.size <= size &&
                         end_of(opened->file.get(), before->second.size) == before->second.end;
    const std::uint64_t from = goes_on ? before->second.size : 0;
    if (from == size) continue;
    if (all.size() == kMostFiles) {
      ++left_out;
      continue;
    }
    OutputCapture capture(canary_, secrets_, sensitive_);
    const std::uint64_t to = std::min(size, from + most_bytes_);
    const std::uint64_t read = read_into(capture, opened->file.get(), from, to);
    const std::string name = mask_(found.name);
    all.push_back(capture.result(copy, "file:" + name));
    all.back().unread = size - from - read;
    if (all.back().unread > 0) {
      notes.push_back(fmt::format("copy {}: {} bytes of the log file {} were not looked at", copy,
                                  all.back().unread, name));
    }
  }
  if (left_out > 0) {
    notes.push_back(fmt::format("copy {}: {} more log files than {} were not looked at", copy,
                                left_out, kMostFiles));
    all.back().unread += 1;
  }
  return all;
}

}  // namespace mishap::client_tests
