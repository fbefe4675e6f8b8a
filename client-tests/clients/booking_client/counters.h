// What the program counts of itself, for whoever watches it.
#pragma once

#include <filesystem>
#include <optional>

namespace booking {

// Of creates and reads; lookups are not counted.
struct Counters {
  int operations = 0;
  int attempts = 0;   // requests
  int retries = 0;    // of these, behind the first of an operation
  int exhausted = 0;  // operations given up after a failure that may pass

  // One failure is no news; half of all operations is.
  int alerts() const {
    constexpr int kFew = 3;
    return exhausted >= kFew && 2 * exhausted >= operations ? 1 : 0;
  }
};

void write_counters(const Counters& counters, const std::filesystem::path& file);

}  // namespace booking
