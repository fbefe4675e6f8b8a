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
#include <utility>

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

// A plain file that is read from its beginning to its end.
class OpenFile {
 public:
  static tl::expected<OpenFile, Error> open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
      if (errno != ENOENT) return system_error(path, "cannot be read");
      return tl::unexpected(file_error(ErrorCode::NotFound, path, "there is no such file"));
    }
    OpenFile opened(path, file);
    struct stat facts {};
    if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
      return tl::unexpected(file_error(ErrorCode::BadInput, path, "is not a file"));
    }
    opened.size_ = static_cast<std::size_t>(facts.st_size);
    return opened;
  }

  OpenFile(OpenFile&& other) noexcept
      : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), size_(other.size_) {}
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }

  std::size_t size() const { return size_; }

  // At most so many bytes; 0: that was all.
  tl::expected<std::size_t, Error> read(char* into, std::size_t most) {
    ssize_t got = 0;
    do {
      got = ::read(file_, into, most);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return system_error(path_, "cannot be read");
    return static_cast<std::size_t>(got);
  }

 private:
  OpenFile(std::string path, int file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_;
  std::size_t size_ = 0;
};

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
  auto file = OpenFile::open(path);
  if (!file) return tl::unexpected(file.error());
  std::string text;
  text.reserve(file->size());
  std::array<char, 64 * 1024> chunk;
  for (;;) {
    const auto got = file->read(chunk.data(), chunk.size());
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return text;
    text.append(chunk.data(), *got);
  }
}

tl::expected<void, Error> read_lines(const std::string& path, const LineReader& reader) {
  constexpr std::size_t kAtOnce = 8 * 1024 * 1024;
  auto file = OpenFile::open(path);
  if (!file) return tl::unexpected(file.error());
  reader.begin(file->size());
  std::string text;  // the beginning of a line that has not come whole
  for (;;) {
    const std::size_t begun = text.size();
    text.resize(begun + std::min(kAtOnce, file->size() + 1));
    const auto got = file->read(text.data() + begun, text.size() - begun);
    if (!got) return tl::unexpected(got.error());
    text.resize(begun + *got);
    const bool is_over = *got == 0;
    const std::size_t last = std::string_view(text).substr(begun).rfind('\n');
    const bool any_whole = last != std::string_view::npos;
    const std::size_t whole = is_over ? text.size() : any_whole ? begun + last + 1 : 0;
    if (whole > 0) {
      if (auto added = reader.add(std::string_view(text).substr(0, whole)); !added) return added;
    }
    if (is_over) return {};
    text.erase(0, whole);
  }
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
