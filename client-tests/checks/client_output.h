#pragma once

#include <cstdint>
#include <set>
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

// The lines that were kept of what a copy said. Of a long stream the middle is missing, with the
// two lines that it cut.
class SaidLines {
 public:
  // `files_only`: of its log files, where there are any.
  SaidLines(const Recording& recording, int copy, bool files_only = false);
  SaidLines(const SaidLines&) = delete;
  SaidLines& operator=(const SaidLines&) = delete;

  const std::vector<std::string>& lines() const { return lines_; }
  std::uint64_t bytes() const { return bytes_; }  // of all that was said
  bool are_whole() const { return whole_; }
  // The last line of a stream, where nothing ended it: a client that was killed may have meant to
  // say more.
  bool is_unended(std::size_t line) const { return unended_.contains(line); }
  bool is_of_a_file(std::size_t line) const { return line >= files_from_; }

  // The lines that name one of them, by number, and not as a part of a longer word: r-1 is not in
  // "r-12".
  std::set<std::size_t> naming(const std::vector<std::string>& names) const;
  // The lines in which it stands as a word.
  const std::vector<std::size_t>& with_word(std::string_view word) const;
  std::vector<std::string_view> words_of(std::size_t line) const;

 private:
  void add(const Captured& captured);
  void add(std::string_view text);
  void make_index();

  std::vector<std::string> lines_;
  std::set<std::size_t> unended_;
  std::size_t files_from_ = 0;  // those before it were said on the streams of the process
  std::unordered_map<std::string_view, std::vector<std::size_t>> lines_by_word_;
  std::uint64_t bytes_ = 0;
  bool whole_ = true;
};

}  // namespace mishap::client_tests
