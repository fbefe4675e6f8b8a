#include "server/journal/spill.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace mishap::server {
namespace {

constexpr std::size_t kWriteAtOnce = 256 * 1024;
constexpr std::size_t kReadAtOnce = 4 * 1024 * 1024;

// Appends up to `most` bytes from there; false where nothing more can be read.
bool read_some(int file, std::uint64_t offset, std::size_t most, std::string& into) {
  const std::size_t before = into.size();
  into.resize(before + most);
  ssize_t got = -1;
  do {
    got = ::pread(file, into.data() + before, most, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  into.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

}  // namespace

Spill::~Spill() {
  if (file_ >= 0) ::close(file_);
}

bool Spill::open() {
  if (file_ >= 0) return true;
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (error) return false;
  std::string name = (folder / "mishap-journal-XXXXXX").string();
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ >= 0) ::unlink(name.c_str());
  return file_ >= 0;
}

bool Spill::is_written(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    written_ += static_cast<std::uint64_t>(put);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

std::optional<std::uint64_t> Spill::add(std::string_view line) {
  if (has_failed_) {
    ++lost_;
    return std::nullopt;
  }
  const std::uint64_t offset = written_ + pending_.size();
  pending_ += line;
  ++pending_lines_;
  if (pending_.size() >= kWriteAtOnce) flush();
  return has_failed_ ? std::nullopt : std::optional(offset);
}

std::uint64_t Spill::flush() {
  if (!pending_.empty()) has_failed_ = !open() || !is_written(pending_);
  if (has_failed_) lost_ += pending_lines_;
  pending_.clear();
  pending_lines_ = 0;
  return written_;
}

std::string Spill::line_at(std::uint64_t offset) {
  flush();
  std::string line;
  std::size_t end = std::string::npos;
  while (end == std::string::npos) {
    const std::size_t before = line.size();
    if (!read_some(file_, offset + before, 16 * 1024, line)) return {};
    end = line.find('\n', before);
  }
  line.resize(end);
  return line;
}

bool Spill::read(std::uint64_t bytes,
                 const std::function<void(std::string_view lines)>& take) const {
  std::string block;
  for (std::uint64_t at = 0; at < bytes;) {
    const std::size_t before = block.size();
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(kReadAtOnce, bytes - at));
    if (!read_some(file_, at, most, block)) return false;
    at += block.size() - before;
    const std::size_t whole = block.rfind('\n') + 1;  // none: 0
    if (whole != 0) take(std::string_view(block).substr(0, whole));
    block.erase(0, whole);
  }
  return block.empty();
}

}  // namespace mishap::server
