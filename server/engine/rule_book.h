#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mishap/scenario.h"
#include "server/engine/matcher.h"
#include "server/engine/path_index.h"
#include "server/engine/timeline.h"
#include "server/faults/rule.h"

namespace mishap::server {

// A rule with what the engine needs of it.
struct BookedRule {
  CompiledRule compiled;
  std::size_t matcher = 0;  // RuleBook::matcher()
  std::string stream;       // what its draws belong to: name and conditions, never its position
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

// The rules of a scenario by the requests that they are about and the point at which they act.
// Rules whose matchers mean the same share one, and with it what it counts. Immutable.
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
  // Of these, those with this matcher.
  const std::vector<std::size_t>& rules_at(Point point, std::size_t matcher) const;

  std::size_t matchers() const { return matchers_.size(); }
  const RequestMatcher& matcher(std::size_t index) const { return matchers_[index].matcher; }
  // Those whose path the target meets, from the smallest index; the rest is theirs to say.
  std::vector<std::size_t> matchers_for(const Target& target) const { return paths_.find(target); }

  const Timeline& timeline() const { return timeline_; }
  bool holds(const scenarios::When& when, const Occasion& occasion) const;
  // The share of what is left that is to be hit, where the rule holds.
  double rate(const scenarios::When& when, Duration elapsed) const;

 private:
  using ByPoint = std::vector<std::vector<std::size_t>>;
  struct Shared {
    RequestMatcher matcher;
    ByPoint by_point;
  };

  std::size_t share(const scenarios::Matcher& matcher);
  void sort_points();

  std::vector<BookedRule> rules_;
  std::vector<Shared> matchers_;
  PathIndex paths_;  // of the matchers
  Timeline timeline_;
  ByPoint by_point_;
  std::vector<std::vector<Point>> decided_at_;
};

}  // namespace mishap::server
