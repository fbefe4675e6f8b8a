#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client-tests/launch/output_capture.h"
#include "mishap/parameters.h"
#include "mishap/recording.h"

namespace mishap::client_tests {

// Where log files are looked for: a shell pattern below a folder, which it never leaves.
struct LogPattern {
  std::string folder;
  std::string pattern;  // relative: "logs/*.log"
};

// The log files of one process: what it adds to them between begin() and the end, or all of one
// that it writes anew. A file is known by its inode, so that one that is renamed while it is
// written (rotated) is not read twice. Links and pipes are passed over: a client may put anything
// in their place.
class LogFiles {
 public:
  static constexpr std::size_t kMostFiles = 64;
  static constexpr std::uint64_t kMostBytes = 64 * 1024 * 1024;  // of one file

  LogFiles(std::vector<LogPattern> patterns, std::string canary, std::vector<std::string> secrets,
           std::vector<NameValue> sensitive, std::uint64_t most_bytes = kMostBytes);

  // What is there already is not the process's.
  void begin();

  // One for each file to which something was added, its stream "file:" and its path below the
  // folder. `notes`: what was left out.
  std::vector<Captured> captured(int copy, std::vector<std::string>& notes) const;

 private:
  struct Found {
    std::string folder;
    std::string name;  // its path from there
    auto operator<=>(const Found&) const = default;
  };
  std::vector<Found> find() const;

  std::vector<LogPattern> patterns_;
  std::string canary_;
  std::vector<std::string> secrets_;
  std::vector<NameValue> sensitive_;
  SecretMask mask_;  // of what files are called
  std::uint64_t most_bytes_;
  // As it stood before the process began.
  struct Before {
    std::uint64_t size = 0;
    std::string end;  // its last bytes: a file that is written anew may be as long, or longer
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Before> before_;  // by device and inode
};

}  // namespace mishap::client_tests
