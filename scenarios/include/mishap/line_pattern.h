#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace mishap::scenarios {

// A regular expression over one line, in RE2's syntax: the time it takes grows with the line and
// nothing else, whatever the pattern. May be used by several threads.
class LinePattern {
 public:
  // The pattern, or one line that says what is wrong with it.
  static tl::expected<LinePattern, std::string> compile(const std::string& pattern);

  // Somewhere in the line.
  bool matches(std::string_view line) const;

  // What stands in that group of every match, in order.
  std::vector<std::string> all(std::string_view line, int group) const;

  // The line with every match replaced by `with`, in which \1 stands for the first group.
  std::string replace_all(std::string_view line, std::string_view with) const;

 private:
  class Compiled;
  explicit LinePattern(std::shared_ptr<const Compiled> compiled);
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace mishap::scenarios
