#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "client-tests/launch/file_descriptor.h"
#include "client-tests/launch/outcome_lines.h"
#include "mishap/error.h"

namespace mishap::client_tests {

// The outcome file of one copy: made empty, then read as it grows. A client may cut it, replace it
// or remove it; what was read before stays read. A line is stamped behind the read that found it: a
// stamp from before would tell of a word that was given before its reason.
class OutcomeFile {
 public:
  // An empty path: the client was given no file, and nothing is ever read.
  OutcomeFile(std::string path, OutcomeLines lines, std::function<Duration()> now);

  tl::expected<void, Error> create();

  // Reads what is new, at most 1 MiB; false when there may be more.
  bool read_new();

  // The client has ended: reads the rest and the last line.
  void finish();

  const std::string& path() const { return path_; }
  OutcomeLines& lines() { return lines_; }

 private:
  bool open_again();
  void look_for_replacement();

  std::string path_;
  OutcomeLines lines_;
  std::function<Duration()> now_;
  FileDescriptor file_;
  std::uint64_t inode_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace mishap::client_tests
