#include "scenarios/parser/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace mishap::scenarios {
namespace {

constexpr std::size_t kMostShown = 50;

std::string source_name(const Diagnostic& diagnostic) {
  return diagnostic.span.source ? diagnostic.span.source->name : std::string();
}

bool same(const Diagnostic& a, const Diagnostic& b) {
  return a.severity == b.severity && a.message == b.message && a.span.line == b.span.line &&
         a.span.column == b.span.column && source_name(a) == source_name(b);
}

// Lets the first `kMostShown` of a grade pass and counts the rest.
class Cap {
 public:
  explicit Cap(Severity severity) : severity_(severity) {}

  bool takes(const Diagnostic& diagnostic) {
    if (diagnostic.severity != severity_) return false;
    if (++seen_ <= kMostShown) last_ = diagnostic.span;
    return seen_ <= kMostShown;
  }

  void append_rest(Diagnostics& shown) const {
    if (seen_ <= kMostShown) return;
    const std::string_view kind = severity_ == Severity::Error ? "errors" : "warnings";
    shown.push_back(
        {severity_, fmt::format("and {} more {} below", seen_ - kMostShown, kind), last_});
  }

 private:
  Severity severity_;
  std::size_t seen_ = 0;
  SourceSpan last_;
};

}  // namespace

Diagnostics Problems::sorted(const std::string& first) const {
  Diagnostics all = found_;
  const auto key = [&](const Diagnostic& d) {
    const std::string name = source_name(d);
    return std::tuple(name != first, name, d.span.line, d.span.column);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  Cap errors(Severity::Error);
  Cap warnings(Severity::Warning);
  Diagnostics shown;
  for (Diagnostic& diagnostic : all) {
    if (errors.takes(diagnostic) || warnings.takes(diagnostic)) {
      shown.push_back(std::move(diagnostic));
    }
  }
  errors.append_rest(shown);
  warnings.append_rest(shown);
  return shown;
}

}  // namespace mishap::scenarios
