#pragma once

#include <vector>

#include "mishap/units.h"

// Spans of time as sets: what of one lies in none of another.
namespace mishap::client_tests {

struct Span {
  Duration begin{};
  Duration end{};
  Duration length() const { return end - begin; }
  bool operator==(const Span&) const = default;
};

// In order, without overlaps; what is empty is left out.
std::vector<Span> merged(std::vector<Span> spans);

// What of `from` is not in `away`; both merged.
std::vector<Span> without(const std::vector<Span>& from, const std::vector<Span>& away);

}  // namespace mishap::client_tests
