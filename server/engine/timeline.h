#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "mishap/scenario.h"

namespace mishap::server {

// The named spans of the scenario's clock, in which `during` is looked up. Instants are since that
// clock started; a span holds from its beginning until before its end. Immutable.
class Timeline {
 public:
  using Span = std::pair<Duration, Duration>;

  Timeline(std::vector<scenarios::Phase> phases, bool repeats);

  // Whether `during` holds; always where the rule says nothing of it.
  bool holds(const scenarios::When& when, Duration elapsed) const;
  // The span of `during` that holds now.
  std::optional<Span> span_at(const scenarios::When& when, Duration elapsed) const;
  // When the next span of `during` begins, where one is still to come.
  std::optional<Duration> next_begin(const scenarios::When& when, Duration elapsed) const;

 private:
  Duration turn_of(Duration elapsed) const;  // where the turn under way began
  std::optional<Span> in_turn(std::string_view phase) const;

  std::vector<scenarios::Phase> phases_;
  bool repeats_;
  Duration length_{};  // of all phases
};

}  // namespace mishap::server
