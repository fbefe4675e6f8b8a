#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "client-tests/launch/secret_forms.h"
#include "mishap/parameters.h"
#include "mishap/recording.h"

// The lines in which a client tells what became of its operations: one JSON object a line.
namespace mishap::client_tests {

// One line without its newline; the error says what is wrong with it. `at` and `copy` are the
// caller's. Unknown members are ignored.
tl::expected<OutcomeLine, std::string> parse_outcome_line(std::string_view line);

// Cuts a stream of bytes into lines and reads them. Bounded: a line has at most 64 KiB, all of them
// together 64 MiB, 100 bad ones are kept.
class OutcomeLines {
 public:
  static constexpr std::size_t kLongestLine = 64 * 1024;
  static constexpr std::uint64_t kMostBytes = 64 * 1024 * 1024;
  static constexpr std::size_t kMostBad = 100;

  // `sensitive`: texts by name. What goes by the name of an operation or an id is evidence, in
  // which the run's token alone is hidden: nothing else is sure not to be a part of one.
  OutcomeLines(int copy, const std::vector<std::string>& secrets, const std::string& canary = {},
               const std::vector<NameValue>& sensitive = {});

  // Bytes that arrived at `at`.
  void take(std::string_view bytes, Duration at);

  // The client starts its file over: what was begun is dropped, what was read stays.
  void start_over();

  // Something that is said once of the copy's file.
  void note(std::string_view what);

  // No more will come: a last line without a newline is read as well.
  void finish(Duration at);

  std::vector<OutcomeLine> outcomes;
  std::vector<std::string> bad_lines;  // "line 3: outcome must be succeeded, failed or pending ..."
  std::vector<std::string> notes;

 private:
  void end_line(Duration at);
  void read(std::string_view line, Duration at);
  void complain(const std::string& what);

  int copy_;
  SecretMask names_;  // of what correlates
  SecretMask words_;  // of all else
  std::string line_;
  bool too_long_ = false;
  bool full_ = false;
  bool finished_ = false;
  std::uint64_t bytes_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t bad_ = 0;
};

}  // namespace mishap::client_tests
