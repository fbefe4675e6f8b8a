// The flags of the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client-tests/clients/booking_client/settings.h"

namespace booking {

struct CommandLine {
  Settings settings;
  bool list_wrong = false;
  bool help = false;
};

// Nothing on a bad flag; `complaint` then says which and why.
std::optional<CommandLine> parse_command_line(const std::vector<std::string>& arguments,
                                              std::string& complaint);

// "250ms", "2s" or "1m": digits and a unit, nothing else.
std::optional<milliseconds> parse_duration(const std::string& text);

std::string usage();

}  // namespace booking
