#include "client-tests/checks/surplus_creations.h"

#include <algorithm>
#include <map>
#include <set>

#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/history_index.h"

namespace mishap::client_tests {

namespace {

struct Creation {
  const server::Effect* effect = nullptr;
  const server::Exchange* exchange = nullptr;
};
using Creations = std::vector<Creation>;
using Groups = std::map<std::string, Creations>;

// Of a batch the item that made it.
const server::Exchange* exchange_of(const Operation& operation, std::uint64_t number) {
  const auto found = std::ranges::find_if(operation.attempts, [&](const Attempt& attempt) {
    return attempt.exchange->number == number;
  });
  return found == operation.attempts.end() ? nullptr : found->exchange;
}

Creations creations_of(const History& history, int lane) {
  Creations made;
  for (const Operation* operation : operations_of(history, lane)) {
    for (const server::Effect* effect : standing_creations(history, *operation)) {
      if (const auto* exchange = exchange_of(*operation, effect->exchange)) {
        made.push_back({effect, exchange});
      }
    }
  }
  std::ranges::sort(made, {}, [](const Creation& one) { return one.effect->number; });
  return made;
}

template <typename Key>
Groups grouped(const Creations& creations, Key key) {
  Groups groups;
  for (const Creation& creation : creations) {
    const std::string name = key(creation);
    if (!name.empty()) groups[name].push_back(creation);
  }
  return groups;
}

std::string by_content(const Creation& creation) {
  return creation.exchange->request.content_hash;
}

// Wherever it was sent to; an empty body says nothing.
std::string by_body(const Creation& creation) {
  const auto& request = creation.exchange->request;
  return request.body_bytes == 0 ? std::string() : request.body_hash;
}

std::string by_place(const Creation& creation) {
  return creation.exchange->api + ":" + place_of(creation.effect->resource);
}

std::size_t largest(const Groups& groups) {
  std::size_t most = 1;
  for (const auto& [name, group] : groups) most = std::max(most, group.size());
  return most;
}

class Comparison {
 public:
  Comparison(const Case& c, int lane)
      : case_(c),
        lane_(lane),
        here_(creations_of(c.history, lane)),
        usual_(creations_of(*c.control_history, 0)) {}

  std::vector<SurplusCreations> surplus() {
    for (const auto key : {by_content, by_body}) add_equal(key);
    add_more();
    return std::move(found_);
  }

 private:
  bool goes_on_for_ever() const {
    return process_of(case_.recording, lane_) == nullptr || is_service(case_.recording, lane_);
  }

  void add_equal(std::string (*key)(const Creation&)) {
    const Groups usual = grouped(usual_, key);
    const std::size_t most = largest(usual);
    for (const auto& [name, group] : grouped(here_, key)) {
      const auto same = usual.find(name);
      const std::size_t bound = same == usual.end() ? most : same->second.size();
      if (group.size() <= bound || is_known(group)) continue;
      if (goes_on_for_ever() && bound > 1) continue;
      // Whoever means it twice on the good day may mean it three times on a longer one.
      add(group, bound, bound == 1 && !goes_on_for_ever());
    }
  }

  void add_more() {
    const Groups usual = grouped(usual_, by_place);
    for (const auto& [place, group] : grouped(here_, by_place)) {
      const auto same = usual.find(place);
      // Where it creates nothing on the good day, a bad one may have its own reports and tickets.
      if (same == usual.end() || group.size() <= same->second.size() || is_known(group)) continue;
      if (goes_on_for_ever() && largest(grouped(same->second, by_content)) > 1) continue;
      add(group, same->second.size(), false);
    }
  }

  void add(const Creations& group, std::size_t usual, bool equal) {
    SurplusCreations surplus{group.front().effect->resource, {}, usual, equal};
    for (const Creation& creation : group) {
      surplus.effects.push_back(creation.effect);
      known_.insert(creation.effect->number);
    }
    found_.push_back(std::move(surplus));
  }

  bool is_known(const Creations& group) const {
    return std::ranges::any_of(
        group, [&](const Creation& one) { return known_.contains(one.effect->number); });
  }

  const Case& case_;
  int lane_;
  Creations here_;
  Creations usual_;
  std::set<std::uint64_t> known_;
  std::vector<SurplusCreations> found_;
};

}  // namespace

std::vector<SurplusCreations> surplus_creations(const Case& c) {
  std::vector<SurplusCreations> all;
  if (!c.control || !c.control_history) return all;
  for (int lane = 0; lane < std::max(1, c.recording.scenario.copies); ++lane) {
    for (SurplusCreations& one : Comparison(c, lane).surplus()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace mishap::client_tests
