#include "server/engine/timeline.h"

namespace mishap::server {
namespace {

bool is_within(const Timeline::Span& span, Duration elapsed) {
  return elapsed >= span.first && elapsed < span.second;
}

bool says_nothing(const scenarios::When& when) {
  return !when.during && when.during_phase.empty();
}

}  // namespace

Timeline::Timeline(std::vector<scenarios::Phase> phases, bool repeats)
    : phases_(std::move(phases)), repeats_(repeats) {
  for (const scenarios::Phase& phase : phases_) length_ += phase.length;
}

Duration Timeline::turn_of(Duration elapsed) const {
  if (!repeats_ || length_ <= Duration::zero()) return {};
  return elapsed / length_ * length_;
}

// From the turn's own beginning. Phases of one scenario have different names.
std::optional<Timeline::Span> Timeline::in_turn(std::string_view name) const {
  Duration start{};
  for (const scenarios::Phase& phase : phases_) {
    if (phase.name == name) return Span{start, start + phase.length};
    start += phase.length;
  }
  return std::nullopt;
}

std::optional<Timeline::Span> Timeline::span_at(const scenarios::When& when,
                                                Duration elapsed) const {
  std::optional<Span> span = when.during;
  if (!when.during_phase.empty()) {
    span = in_turn(when.during_phase);
    const Duration turn = turn_of(elapsed);
    if (span) span = Span{span->first + turn, span->second + turn};
  }
  return span && is_within(*span, elapsed) ? span : std::nullopt;
}

bool Timeline::holds(const scenarios::When& when, Duration elapsed) const {
  return says_nothing(when) || span_at(when, elapsed).has_value();
}

std::optional<Duration> Timeline::next_begin(const scenarios::When& when, Duration elapsed) const {
  if (when.during && elapsed < when.during->first) return when.during->first;
  if (when.during_phase.empty()) return std::nullopt;
  const auto span = in_turn(when.during_phase);
  if (!span) return std::nullopt;
  const Duration begin = turn_of(elapsed) + span->first;
  if (elapsed < begin) return begin;
  return repeats_ ? std::optional<Duration>(begin + length_) : std::nullopt;
}

}  // namespace mishap::server
