#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mishap/scenario.h"
#include "server/resources/content.h"

namespace mishap::server {

// One item of a collection.
struct Item {
  std::string id;
  std::string reference;  // natural reference, empty: none
  std::string json;       // as it is answered, its id within; empty: only an upstream knows
};

// The items of one collection in the order of their creation. Ids are the prefix and a counter that
// never goes back, so that a deleted id is never given again.
class Collection {
 public:
  using Items = std::map<std::uint64_t, Item>;  // by their place in the order

  const Item* find(std::string_view id) const;
  // The oldest of those that have it.
  const Item* find_reference(const std::string& reference) const;
  const Items& items() const { return items_; }
  // Those that have this reference, in their order.
  std::vector<const Item*> referenced(const std::string& reference) const;

  std::string next_id(std::string_view prefix);
  void put(Item item);  // new, or in place of the one with this id
  bool remove(std::string_view id);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  Items items_;
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> places_;  // by id
  std::set<std::pair<std::string, std::uint64_t>> references_;
  std::uint64_t last_place_ = 0;
  std::uint64_t counter_ = 0;
};

// All collections of one lane (or of all lanes, where state is shared) for one api, by name.
class Store {
 public:
  // Those items that are there from the start.
  explicit Store(const scenarios::Api& api);

  Collection& collection(const std::string& name) { return collections_[name]; }
  const Collection* find(std::string_view name) const;

 private:
  std::map<std::string, Collection, std::less<>> collections_;
};

// The page of a collection that a query asks for: every parameter but limit and offset is a filter
// on the top-level member of that name, compared as text. By the member that is the reference
// (empty: there is none) items are found at once; what else is filtered is looked for in all of
// them.
struct Page {
  std::vector<const Item*> items;
  std::size_t total = 0;  // that pass the filters
};
Page select(const Collection& collection, const std::vector<NameValue>& query,
            std::string_view reference);

// Whether this query parameter pages instead of filtering.
bool is_paging(std::string_view name);

}  // namespace mishap::server
