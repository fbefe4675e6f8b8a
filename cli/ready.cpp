#include "cli/ready.h"

#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <string_view>

namespace mishap::cli {
namespace {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // its reader has gone: stdout has the lines as well
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void say_ready(const std::vector<std::string>& lines, std::optional<int> ready_fd) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  std::cout << text << std::flush;
  if (!ready_fd) return;
  write_all(*ready_fd, text);
  if (*ready_fd > STDERR_FILENO) ::close(*ready_fd);
}

}  // namespace mishap::cli
