#pragma once

#include <string>
#include <vector>

#include "mishap/client.h"
#include "mishap/recording.h"

// What a copy of the client has in its state folder when a run has ended. Read by the driver since
// the folder is gone afterwards; payloads are looked at and not stored.
namespace mishap::client_tests {

struct KeptIn {
  std::string folder;  // the state folder
  int copy = 0;
  int run = 1;
  std::vector<std::string> secrets;  // masked in what is stored
};

struct DeadLetters {
  std::vector<DeadLetter> entries;
  bool whole = true;  // false: there is more in the file than these
};

// One JSON object a line; at most 16 MiB and 100 000 entries. What is not read is noted.
DeadLetters read_dead_letters(const std::string& file, const KeptIn& at,
                              std::vector<std::string>& notes);

// One JSON object, or the last of several lines; numbers are its counters. Of more than 16 MiB the
// last of them.
Telemetry read_telemetry(const std::string& file, const KeptIn& at);

// For each line that names a file in which its input is kept: how large that is.
void look_at_kept(const KeptIn& at, std::vector<OutcomeLine>& lines);

}  // namespace mishap::client_tests
