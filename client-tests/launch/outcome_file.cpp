#include "client-tests/launch/outcome_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace mishap::client_tests {
namespace {

constexpr std::size_t kPerTurn = 1024 * 1024;

// Never a pipe or a link that a client may have put in its place.
constexpr int kReadSafely = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

}  // namespace

OutcomeFile::OutcomeFile(std::string path, OutcomeLines lines, std::function<Duration()> now)
    : path_(std::move(path)), lines_(std::move(lines)), now_(std::move(now)) {}

tl::expected<void, Error> OutcomeFile::create() {
  if (path_.empty()) return {};
  const FileDescriptor fresh(
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fresh || !open_again()) {
    return tl::unexpected(
        Error{ErrorCode::Environment,
              fmt::format("the outcome file {} cannot be written: {}", path_, std::strerror(errno)),
              {},
              {}});
  }
  return {};
}

bool OutcomeFile::open_again() {
  FileDescriptor file(::open(path_.c_str(), kReadSafely));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  file_ = std::move(file);
  inode_ = facts.st_ino;
  offset_ = 0;
  return true;
}

bool OutcomeFile::read_new() {
  if (!file_) return true;
  struct stat facts {};
  if (::fstat(file_.get(), &facts) != 0) return true;
  if (static_cast<std::uint64_t>(facts.st_size) < offset_) {
    lines_.start_over();
    offset_ = 0;
  }
  std::array<char, 64 * 1024> chunk;
  for (std::size_t total = 0; total < kPerTurn;) {
    const ssize_t got =
        ::pread(file_.get(), chunk.data(), chunk.size(), static_cast<off_t>(offset_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      look_for_replacement();
      return true;
    }
    const auto size = static_cast<std::size_t>(got);
    lines_.take({chunk.data(), size}, now_());
    offset_ += size;
    total += size;
  }
  return false;
}

// The old file is read to its end before the new one is begun.
void OutcomeFile::look_for_replacement() {
  struct stat facts {};
  if (::lstat(path_.c_str(), &facts) != 0) return;
  if (!S_ISREG(facts.st_mode)) {
    lines_.note("the outcome file was replaced by what is no plain file, and is read no further");
    return;
  }
  if (facts.st_ino == inode_) return;
  if (open_again()) lines_.start_over();
}

void OutcomeFile::finish() {
  constexpr std::uint64_t kTurns = 2 * OutcomeLines::kMostBytes / kPerTurn;
  for (std::uint64_t turn = 0; turn < kTurns && !read_new(); ++turn) {
  }
  // Once more: the last turn may have found another file in its place.
  read_new();
  lines_.finish(now_());
  file_.reset();
}

}  // namespace mishap::client_tests
