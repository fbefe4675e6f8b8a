#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mishap/scenario.h"
#include "server/engine/matcher.h"
#include "server/engine/timeline.h"
#include "server/faults/rule.h"

namespace mishap::server {

// A rule with what the engine needs of it.
struct BookedRule {
  CompiledRule compiled;
  RequestMatcher matcher;
  std::string stream;  // what its draws belong to: name and conditions, never its position
};

// What is known when a rule's `when` is asked. An absent number is not known yet: a rule that asks
// for it does not hold.
struct Occasion {
  int copy = 0;
  std::optional<std::uint64_t> op;
  std::optional<std::uint64_t> attempt;
  std::optional<std::uint64_t> request;  // of this rule's matcher
  std::uint64_t connection = 0;
  std::optional<std::uint64_t> request_on_connection;
  Duration elapsed{};  // since the scenario's clock started
};

// The rules of a scenario by the point at which they act. Immutable.
class RuleBook {
 public:
  explicit RuleBook(const scenarios::Scenario& scenario);

  std::size_t size() const { return rules_.size(); }
  const BookedRule& operator[](std::size_t index) const { return rules_[index]; }

  // The points of which the first matching rule is chosen at this moment, in the order of a
  // request's life. That is the earliest moment for which any rule at the point may be asked, and
  // the request moment for everything later: by then all is known that a rule can ask for.
  const std::vector<Point>& points_decided_at(Moment moment) const;
  // Indices of the rules at this point, in the order of the file.
  const std::vector<std::size_t>& rules_at(Point point) const;

  const Timeline& timeline() const { return timeline_; }
  bool holds(const scenarios::When& when, const Occasion& occasion) const;
  // The share of what is left that is to be hit, where the rule holds.
  double rate(const scenarios::When& when, Duration elapsed) const;

 private:
  void sort_points();

  std::vector<BookedRule> rules_;
  Timeline timeline_;
  std::vector<std::vector<std::size_t>> by_point_;
  std::vector<std::vector<Point>> decided_at_;
};

}  // namespace mishap::server
