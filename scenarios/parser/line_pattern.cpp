#include "mishap/line_pattern.h"

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

std::string LinePattern::replace_all(std::string_view line, std::string_view with) const {
  std::string replaced(line);
  re2::RE2::GlobalReplace(&replaced, compiled_->expression,
                          re2::StringPiece(with.data(), with.size()));
  return replaced;
}

}  // namespace mishap::scenarios
