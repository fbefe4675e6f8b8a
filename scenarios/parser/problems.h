#pragma once

#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "mishap/error.h"

namespace mishap::scenarios {

// Collects what is wrong with a scenario while it is read; nothing stops at the first error.
class Problems {
 public:
  void error(const SourceSpan& span, std::string message) {
    ++errors_;
    if (!is_spoiled(span)) found_.push_back({Severity::Error, std::move(message), span});
  }
  // The same for a place of which nothing more is worth saying: what follows from a value that is
  // not there would only hide the cause.
  void last_error(const SourceSpan& span, std::string message) {
    error(span, std::move(message));
    spoiled_.insert({span.source.get(), span.line, span.column});
  }
  void warning(const SourceSpan& span, std::string message) {
    found_.push_back({Severity::Warning, std::move(message), span});
  }
  bool any_errors() const { return errors_ != 0; }
  std::size_t errors() const { return errors_; }

  // Sorted by place, the file `first` before others, none twice, at most 50 errors and 50 warnings
  // (then one line says how many more there are).
  Diagnostics sorted(const std::string& first) const;

 private:
  using Place = std::tuple<const SourceText*, int, int>;
  bool is_spoiled(const SourceSpan& span) const {
    return spoiled_.count({span.source.get(), span.line, span.column}) != 0;
  }

  Diagnostics found_;
  std::set<Place> spoiled_;
  std::size_t errors_ = 0;
};

}  // namespace mishap::scenarios
