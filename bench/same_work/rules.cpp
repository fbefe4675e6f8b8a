#include <utility>

#include "bench/same_work/vendor.h"

namespace same_work {
namespace {

bool is_pattern(std::string_view path) {
  return path.find("/:") != std::string_view::npos || path.ends_with("/*");
}

bool matches(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    if (pattern == "/*") return true;
    const std::size_t own = std::min(pattern.find('/', 1), pattern.size());
    const std::size_t here = std::min(path.find('/', 1), path.size());
    const bool takes_any = pattern.starts_with("/:") && here > 1;
    if (!takes_any && pattern.substr(0, own) != path.substr(0, here)) return false;
    pattern.remove_prefix(own);
    path.remove_prefix(here);
  }
  return pattern.empty() && path.empty();
}

void write_place(std::string& into, std::string_view method, std::string_view path) {
  into = method;
  into += ' ';
  into += path;
}

}  // namespace

Rules::Rules(std::vector<Rule> rules) : rules_(std::move(rules)), met_(rules_.size()) {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (is_pattern(rules_[i].path)) {
      patterns_.push_back(i);
      continue;
    }
    std::string place;
    write_place(place, rules_[i].method, rules_[i].path);
    exact_.emplace(std::move(place), i);
  }
}

// The first in their order.
const Rule* Rules::find(std::string_view method, std::string_view path, RuleHit& hit) {
  static thread_local std::string place;
  write_place(place, method, path);
  const auto exact = exact_.find(place);
  std::size_t first = exact == exact_.end() ? rules_.size() : exact->second;
  for (const std::size_t i : patterns_) {
    if (i < first && rules_[i].method == method && matches(rules_[i].path, path)) first = i;
  }
  if (first == rules_.size()) return nullptr;
  hit = {first, ++met_[first]};
  return &rules_[first];
}

}  // namespace same_work
