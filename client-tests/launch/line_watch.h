#pragma once

#include <string>
#include <string_view>

#include "mishap/line_pattern.h"

namespace mishap::client_tests {

// Looks for a line in a stream of any length, in bounded memory: of a line that is too long only
// the beginning is looked at.
class LineWatch {
 public:
  static constexpr std::size_t kLongestLine = 8 * 1024;

  explicit LineWatch(scenarios::LinePattern pattern) : pattern_(std::move(pattern)) {}

  void take(std::string_view chunk);

  // A last line counts before its newline has come: a prompt has none.
  bool seen() const { return seen_ || (!line_.empty() && pattern_.matches(line_)); }

 private:
  void end_line();

  scenarios::LinePattern pattern_;
  std::string line_;
  bool seen_ = false;
};

}  // namespace mishap::client_tests
