#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mishap/recording.h"

// What the client itself said: its output and its log files, of all its lives and runs. What drives
// a service, or is run around a client, prints for itself.
namespace mishap::client_tests {

bool is_clients_own(const Captured& captured);
bool is_log_file(const Captured& captured);

// The lines that were kept of what a copy said. Of a long stream the middle is missing, and a line
// that was cut by that is in two parts.
class SaidLines {
 public:
  // `files_only`: of its log files, where there are any.
  SaidLines(const Recording& recording, int copy, bool files_only = false);
  SaidLines(const SaidLines&) = delete;
  SaidLines& operator=(const SaidLines&) = delete;

  const std::vector<std::string>& lines() const { return lines_; }
  std::uint64_t bytes() const { return bytes_; }  // of all that was said
  bool are_whole() const { return whole_; }

  // How many lines name one of them, and not as a part of a longer word: r-1 is not in "r-12".
  std::size_t naming(const std::vector<std::string>& names) const;

 private:
  void add(std::string_view text);
  void make_index();

  std::vector<std::string> lines_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> lines_by_word_;
  std::uint64_t bytes_ = 0;
  bool whole_ = true;
};

}  // namespace mishap::client_tests
