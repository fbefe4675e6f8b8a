#pragma once

#include <vector>

#include "mishap/units.h"

// Spans of time as sets: what of one lies in none of another.
namespace mishap::client_tests {

struct TimeSpan {
  Duration begin{};
  Duration end{};
  Duration length() const { return end - begin; }
  bool operator==(const TimeSpan&) const = default;
};

// In order, without overlaps; what is empty is left out.
std::vector<TimeSpan> merged(std::vector<TimeSpan> spans);

// What of `from` is not in `away`; both merged.
std::vector<TimeSpan> without(const std::vector<TimeSpan>& from, const std::vector<TimeSpan>& away);

}  // namespace mishap::client_tests
