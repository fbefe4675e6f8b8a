#include "server/resources/store.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mishap::server {
namespace {

bool passes(const Item& item, const std::vector<NameValue>& filters) {
  if (filters.empty()) return true;
  const auto value = parse_json(item.json);
  if (!value || !value->is_object()) return false;
  return std::ranges::all_of(filters, [&](const NameValue& filter) {
    const auto member = value->find(filter.name);
    return member != value->end() && member->is_primitive() && scalar_text(*member) == filter.value;
  });
}

std::vector<NameValue> filters_in(const std::vector<NameValue>& query) {
  std::vector<NameValue> filters;
  std::ranges::copy_if(query, std::back_inserter(filters),
                       [](const NameValue& parameter) { return !is_paging(parameter.name); });
  return filters;
}

std::size_t number_in(const std::vector<NameValue>& query, std::string_view name,
                      std::size_t otherwise) {
  for (const NameValue& parameter : query) {
    if (parameter.name != name) continue;
    std::size_t number = 0;
    const char* end = parameter.value.data() + parameter.value.size();
    const auto read = std::from_chars(parameter.value.data(), end, number);
    if (read.ec == std::errc{} && read.ptr == end) return number;
  }
  return otherwise;
}

Item initial_item(const scenarios::Resource& resource, const Node& node, Collection& collection) {
  JsonValue value = JsonValue::parse(to_json(node), nullptr, false);
  if (!value.is_object()) value = JsonValue::object();
  Item item;
  const auto id = value.find(resource.id_field);
  if (id != value.end() && id->is_primitive()) {
    item.id = scalar_text(*id);
  } else {
    item.id = collection.next_id(resource.id_prefix);
    JsonValue with_id;
    with_id[resource.id_field] = item.id;
    with_id.update(value);
    value = std::move(with_id);
  }
  const auto reference = value.find(resource.reference);
  if (!resource.reference.empty() && reference != value.end() && reference->is_primitive()) {
    item.reference = scalar_text(*reference);
  }
  item.json = to_text(value);
  return item;
}

}  // namespace

const Item* Collection::find(std::string_view id) const {
  const auto place = places_.find(id);
  return place == places_.end() ? nullptr : &items_.at(place->second);
}

const Item* Collection::find_reference(const std::string& reference) const {
  const auto first = references_.lower_bound({reference, 0});
  if (first == references_.end() || first->first != reference) return nullptr;
  return &items_.at(first->second);
}

std::vector<const Item*> Collection::referenced(const std::string& reference) const {
  std::vector<const Item*> found;
  for (auto at = references_.lower_bound({reference, 0});
       at != references_.end() && at->first == reference; ++at) {
    found.push_back(&items_.at(at->second));
  }
  return found;
}

std::string Collection::next_id(std::string_view prefix) {
  std::string id;
  do {
    id = fmt::format("{}{}", prefix, ++counter_);
  } while (places_.contains(id));
  return id;
}

void Collection::put(Item item) {
  const auto [known, is_new] = places_.try_emplace(item.id, last_place_ + 1);
  if (is_new) ++last_place_;
  const std::uint64_t place = known->second;
  Item& kept = items_[place];
  if (!kept.reference.empty()) references_.erase({kept.reference, place});
  if (!item.reference.empty()) references_.emplace(item.reference, place);
  kept = std::move(item);
}

bool Collection::remove(std::string_view id) {
  const auto known = places_.find(id);
  if (known == places_.end()) return false;
  const auto item = items_.find(known->second);
  references_.erase({item->second.reference, known->second});
  items_.erase(item);
  places_.erase(known);
  return true;
}

Store::Store(const scenarios::Api& api) {
  if (api.upstream) return;  // what is there is the upstream's
  for (const scenarios::Resource& resource : api.resources) {
    Collection& made = collections_[resource.name];
    for (const Node& node : resource.items) made.put(initial_item(resource, node, made));
  }
}

const Collection* Store::find(std::string_view name) const {
  const auto found = collections_.find(name);
  return found == collections_.end() ? nullptr : &found->second;
}

bool is_paging(std::string_view name) {
  return name == "limit" || name == "offset";
}

namespace {

// What is behind the offset, up to the limit.
class PageFiller {
 public:
  explicit PageFiller(const std::vector<NameValue>& query)
      : offset_(number_in(query, "offset", 0)),
        limit_(number_in(query, "limit", std::numeric_limits<std::size_t>::max())) {}

  void add(const Item& item) {
    if (page_.total >= offset_ && page_.items.size() < limit_) page_.items.push_back(&item);
    ++page_.total;
  }
  // The same for all of them, which is known without looking at what stands behind the page.
  void add_all(const Collection::Items& items) {
    page_.total = items.size();
    if (offset_ >= items.size()) return;
    const std::size_t count = std::min(limit_, items.size() - offset_);
    auto at = std::next(items.begin(), static_cast<std::ptrdiff_t>(offset_));
    page_.items.reserve(count);
    for (; page_.items.size() < count; ++at) page_.items.push_back(&at->second);
  }
  Page take() { return std::move(page_); }

 private:
  std::size_t offset_;
  std::size_t limit_;
  Page page_;
};

}  // namespace

Page select(const Collection& collection, const std::vector<NameValue>& query,
            std::string_view reference) {
  const std::vector<NameValue> filters = filters_in(query);
  PageFiller filler(query);
  const auto by_reference = std::ranges::find(filters, reference, &NameValue::name);
  if (filters.empty()) {
    filler.add_all(collection.items());
  } else if (!reference.empty() && by_reference != filters.end()) {
    for (const Item* item : collection.referenced(by_reference->value)) {
      if (passes(*item, filters)) filler.add(*item);
    }
  } else {
    for (const auto& [place, item] : collection.items()) {
      if (passes(item, filters)) filler.add(item);
    }
  }
  return filler.take();
}

}  // namespace mishap::server
