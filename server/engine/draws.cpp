#include "server/engine/draws.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/journal/hash.h"

namespace mishap::server {
namespace {

double fraction(const Digest& digest) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) bits = bits << 8 | digest[i];
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace

DrawStream::DrawStream(const DrawOrigin& origin, std::vector<Draw>& record)
    : origin_(joined_for_hash({std::to_string(origin.seed), std::to_string(origin.lane),
                               origin.route, origin.rule, origin.unit,
                               std::to_string(origin.ordinal), std::to_string(origin.attempt)})),
      record_(record) {}

double DrawStream::next(std::string_view purpose) {
  const auto place = counts_.try_emplace(std::string(purpose)).first;
  const std::string count = std::to_string(place->second++);
  return fraction(sha256(joined_for_hash({origin_, purpose, count})));
}

void DrawStream::keep(std::string_view purpose, double value) {
  // A fault that is asked at two moments draws the same numbers for the same purpose again.
  const bool known = std::any_of(record_.begin(), record_.end(), [&](const Draw& draw) {
    return draw.purpose == purpose && draw.value == value;
  });
  if (!known) record_.push_back({std::string(purpose), value});
}

double DrawStream::uniform(std::string_view purpose) {
  const double value = next(purpose);
  keep(purpose, value);
  return value;
}

double DrawStream::normal(std::string_view purpose) {
  // Box-Muller; 1 - u is never 0.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - next(purpose)));
  const double value = radius * std::cos(2.0 * std::numbers::pi * next(purpose));
  keep(purpose, value);
  return value;
}

}  // namespace mishap::server
