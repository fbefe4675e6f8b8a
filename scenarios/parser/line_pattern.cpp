#include "mishap/line_pattern.h"

#include <algorithm>

#include <fmt/format.h>
#include <re2/re2.h>

namespace mishap::scenarios {
namespace {

constexpr std::size_t kLongestPattern = 1000;
constexpr std::int64_t kMostMemory = 1 << 20;

re2::RE2::Options options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  return options;
}

}  // namespace

class LinePattern::Compiled {
 public:
  explicit Compiled(const std::string& pattern) : expression(pattern, options()) {}
  re2::RE2 expression;
};

LinePattern::LinePattern(std::shared_ptr<const Compiled> compiled)
    : compiled_(std::move(compiled)) {}

tl::expected<LinePattern, std::string> LinePattern::compile(const std::string& pattern) {
  if (pattern.empty()) return tl::unexpected<std::string>("an empty pattern matches every line");
  if (pattern.size() > kLongestPattern) {
    return tl::unexpected(fmt::format("a pattern has at most {} bytes", kLongestPattern));
  }
  auto compiled = std::make_shared<const Compiled>(pattern);
  if (compiled->expression.ok()) return LinePattern(std::move(compiled));
  return tl::unexpected(
      fmt::format("not a regular expression (RE2): {}", compiled->expression.error()));
}

bool LinePattern::matches(std::string_view line) const {
  return re2::RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), compiled_->expression);
}

std::vector<std::string> LinePattern::all(std::string_view line, int group) const {
  const re2::RE2& expression = compiled_->expression;
  std::vector<std::string> found;
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(group) + 1);
  const re2::StringPiece text(line.data(), line.size());
  std::size_t at = 0;
  while (at <= line.size() &&
         expression.Match(text, at, line.size(), re2::RE2::UNANCHORED, groups.data(), group + 1)) {
    const auto begin = static_cast<std::size_t>(groups[0].data() - line.data());
    at = std::max(begin + groups[0].size(), at + 1);
    const re2::StringPiece& piece = groups[static_cast<std::size_t>(group)];
    found.emplace_back(piece.data(), piece.size());
  }
  return found;
}

std::string LinePattern::replace_all(std::string_view line, std::string_view with) const {
  std::string replaced(line);
  re2::RE2::GlobalReplace(&replaced, compiled_->expression,
                          re2::StringPiece(with.data(), with.size()));
  return replaced;
}

}  // namespace mishap::scenarios
