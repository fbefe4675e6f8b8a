#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mishap::cli {

// Says the ready lines on stdout and, where a descriptor was given, into it: all of them, then it
// is closed, so that its reader sees an end. Each line is flushed.
void say_ready(const std::vector<std::string>& lines, std::optional<int> ready_fd);

}  // namespace mishap::cli
