#include "client-tests/run/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace mishap::client_tests {
namespace {

constexpr std::size_t kLongestName = 80;
constexpr mode_t kOwnFile = 0600;
constexpr mode_t kOwnFolder = 0700;

tl::unexpected<Error> system_error(const std::string& path, std::string_view what) {
  const auto code = errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Environment;
  return tl::unexpected(file_error(code, path, fmt::format("{}: {}", what, std::strerror(errno))));
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_taken(const std::vector<std::string>& taken, const std::string& name) {
  return std::any_of(taken.begin(), taken.end(),
                     [&](const std::string& other) { return lower(other) == lower(name); });
}

std::string plain(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, kLongestName)) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_';
    name.push_back(kept ? c : '-');
  }
  if (name.empty()) return "unnamed";
  if (name.front() == '.') name.front() = '_';
  return name;
}

}  // namespace

Error file_error(ErrorCode code, const std::string& path, std::string message, int line,
                 int column) {
  auto source = std::make_shared<SourceText>();
  source->name = path;
  return {code, std::move(message), {std::move(source), line, column, 1}, {}};
}

tl::expected<void, Error> make_folder(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) return {};
  const auto parent = std::filesystem::path(path).parent_path();
  if (!parent.empty() && parent != path && !std::filesystem::is_directory(parent, failure)) {
    if (auto made = make_folder(parent.string()); !made) return made;
  }
  if (::mkdir(path.c_str(), kOwnFolder) == 0) return {};
  // Somebody else was quicker.
  if (errno == EEXIST && std::filesystem::is_directory(path, failure)) return {};
  errno = errno == EEXIST ? ENOTDIR : errno;
  return system_error(path, "the folder cannot be made");
}

tl::expected<void, Error> write_file(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());
  const int file =
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwnFile);
  if (file < 0) return system_error(path, "cannot be written");
  const bool written = write_all(file, text);
  const bool closed = ::close(file) == 0;
  if (written && closed && ::rename(fresh.c_str(), path.c_str()) == 0) return {};
  auto error = system_error(path, "cannot be written");
  ::unlink(fresh.c_str());
  return error;
}

tl::expected<std::string, Error> read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    if (errno != ENOENT) return system_error(path, "cannot be read");
    return tl::unexpected(file_error(ErrorCode::NotFound, path, "there is no such file"));
  }
  struct stat facts {};
  if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    ::close(file);
    return tl::unexpected(file_error(ErrorCode::BadInput, path, "is not a file"));
  }
  std::string text;
  text.reserve(static_cast<std::size_t>(facts.st_size));
  std::array<char, 64 * 1024> chunk;
  ssize_t got = 0;
  while ((got = ::read(file, chunk.data(), chunk.size())) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  const int reason = errno;
  ::close(file);
  errno = reason;
  if (got < 0) return system_error(path, "cannot be read");
  return text;
}

std::string folder_name(std::string_view text, std::vector<std::string>& taken) {
  const std::string first = plain(text);
  std::string name = first;
  for (int n = 2; is_taken(taken, name); ++n) name = fmt::format("{}-{}", first, n);
  taken.push_back(name);
  return name;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

}  // namespace mishap::client_tests
