#include "client-tests/checks/surplus_creations.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "client-tests/checks/client_life.h"
#include "client-tests/checks/confirmation.h"
#include "client-tests/checks/history_index.h"
#include "client-tests/checks/repeated.h"

namespace mishap::client_tests {

namespace {

struct Creation {
  const server::Effect* effect = nullptr;
  const server::Exchange* exchange = nullptr;
};
using Creations = std::vector<Creation>;
using Name = std::string_view (*)(const Creation&);
using Groups = std::map<std::string, Creations, std::less<>>;

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

std::string_view by_content(const Creation& creation) {
  return creation.exchange->request.content_hash;
}

// Wherever it was sent to; an empty body says nothing.
std::string_view by_body(const Creation& creation) {
  const auto& request = creation.exchange->request;
  return request.body_bytes == 0 ? std::string_view() : std::string_view(request.body_hash);
}

// Creations that share a name. Most share theirs with none, and a run may have a million: those are
// counted, and only the others are put in order.
class Alike {
 public:
  Alike(const Creations& creations, Name name) {
    Repeated repeated;
    std::vector<const Creation*> named;
    for (const Creation& creation : creations) {
      if (name(creation).empty()) continue;
      named.push_back(&creation);
      repeated.add(std::hash<std::string_view>{}(name(creation)));
    }
    repeated.visit([&](std::size_t place) { add(*named[place], name(*named[place])); });
  }

  const std::map<std::string_view, Creations>& groups() const { return groups_; }
  std::size_t largest() const { return largest_; }

 private:
  void add(const Creation& creation, std::string_view name) {
    Creations& group = groups_[name];
    group.push_back(creation);
    largest_ = std::max(largest_, group.size());
  }

  std::map<std::string_view, Creations> groups_;  // of more than one, or nearly
  std::size_t largest_ = 1;
};

std::unordered_map<std::string_view, std::size_t> count_by(const Creations& creations, Name name) {
  std::unordered_map<std::string_view, std::size_t> counts;
  for (const Creation& creation : creations) ++counts[name(creation)];
  return counts;
}

Groups by_place(const Creations& creations) {
  Groups groups;
  std::map<std::pair<std::string_view, std::string_view>, Creations*> known;  // api, resource
  for (const Creation& creation : creations) {
    Creations*& group = known[{creation.exchange->api, creation.effect->resource}];
    if (group == nullptr) {
      group = &groups[creation.exchange->api + ":" + place_of(creation.effect->resource)];
    }
    group->push_back(creation);
  }
  return groups;
}

class Comparison {
 public:
  Comparison(const Case& c, int lane)
      : case_(c),
        lane_(lane),
        here_(creations_of(c.history, lane)),
        usual_(creations_of(*c.control_history, 0)) {}

  std::vector<SurplusCreations> surplus() {
    for (const Name name : {by_content, by_body}) add_equal(name);
    add_more();
    return std::move(found_);
  }

 private:
  bool goes_on_for_ever() const {
    return process_of(case_.recording, lane_) == nullptr || is_service(case_.recording, lane_);
  }

  void add_equal(Name name_of) {
    const std::size_t most = Alike(usual_, name_of).largest();
    const auto usual = count_by(usual_, name_of);
    const Alike here(here_, name_of);
    for (const auto& [name, group] : here.groups()) {
      const auto same = usual.find(name);
      const std::size_t bound = same == usual.end() ? most : same->second;
      if (group.size() <= bound || is_known(group)) continue;
      if (goes_on_for_ever() && bound > 1) continue;
      // Whoever means it twice on the good day may mean it three times on a longer one.
      add(group, bound, bound == 1 && !goes_on_for_ever());
    }
  }

  void add_more() {
    const Groups usual = by_place(usual_);
    for (const auto& [place, group] : by_place(here_)) {
      const auto same = usual.find(place);
      // Where it creates nothing on the good day, a bad one may have its own reports and tickets.
      if (same == usual.end() || group.size() <= same->second.size() || is_known(group)) continue;
      if (goes_on_for_ever() && Alike(same->second, by_content).largest() > 1) continue;
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
