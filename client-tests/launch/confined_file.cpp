#include "client-tests/launch/confined_file.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>

namespace mishap::client_tests {
namespace {

namespace fs = std::filesystem;

constexpr int kReadSafely = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() && rest != path.end();
}

}  // namespace

std::optional<ConfinedFile> open_confined(const std::string& folder, const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) return std::nullopt;
  std::error_code failure;
  const fs::path root = fs::canonical(folder, failure);
  if (failure) return std::nullopt;
  // A folder on the way may be a link that leads elsewhere.
  const fs::path asked = root / path;
  const fs::path parent = fs::canonical(asked.parent_path(), failure);
  if (failure) return std::nullopt;
  const fs::path real = parent / asked.filename();
  if (!is_below(real, root)) return std::nullopt;
  ConfinedFile opened{FileDescriptor(::open(real.c_str(), kReadSafely)), {}};
  if (!opened.file || ::fstat(opened.file.get(), &opened.facts) != 0) return std::nullopt;
  if (!S_ISREG(opened.facts.st_mode)) return std::nullopt;
  return opened;
}

}  // namespace mishap::client_tests
