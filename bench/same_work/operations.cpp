#include <algorithm>
#include <utility>

#include "bench/same_work/vendor.h"

namespace same_work {

std::uint64_t Operations::make(Asked asked) {
  Operation& made = all_.emplace_back();
  made.safe = asked.safe;
  made.members = std::move(asked.members);
  return all_.size();
}

Identity Operations::next_attempt(std::uint64_t number, std::string_view by) {
  Operation& operation = all_[number - 1];
  Identity identity{by, number, number, ++operation.attempts, operation.in_flight > 0};
  ++operation.in_flight;
  return identity;
}

Identity Operations::join(Asked asked, std::string_view* role) {
  const bool has_key = static_cast<bool>(asked.key);
  auto& index = has_key ? by_key_ : by_content_;
  const auto [found, is_new] = index.try_emplace(has_key ? asked.key : asked.content, 0);
  const std::string_view by = has_key ? "key" : "content";
  if (is_new) {
    found->second = make(std::move(asked));
    return next_attempt(found->second, by);
  }
  const Operation& known = all_[found->second - 1];
  // Without a key, equal bytes after a success are meant anew; a read is asked again.
  const bool goes_on = has_key || (!known.succeeded && known.in_flight == 0);
  if (!goes_on) {
    if (known.safe) *role = "poll";
    found->second = make(std::move(asked));
  }
  return next_attempt(found->second, by);
}

void Operations::ended(std::uint64_t number, bool success) {
  if (number == 0) return;
  Operation& operation = all_[number - 1];
  --operation.in_flight;
  operation.succeeded = operation.succeeded || success;
  if (!operation.safe && !operation.succeeded) unsettled_[number] = true;
  if (operation.succeeded && !unsettled_.empty()) unsettled_.erase(number);
}

void Operations::add_effect(std::uint64_t number, const Print& item) {
  if (number != 0) all_[number - 1].effects.push_back(item);
}

std::vector<std::uint64_t> Operations::could_find(const Print& item,
                                                  const std::vector<std::uint64_t>& members) const {
  std::vector<std::uint64_t> found;
  for (const auto& [number, is_so] : unsettled_) {
    const Operation& operation = all_[number - 1];
    const bool made_it = std::ranges::find(operation.effects, item) != operation.effects.end();
    const bool is_like_it =
        !members.empty() && std::ranges::all_of(members, [&](std::uint64_t member) {
          return std::ranges::find(operation.members, member) != operation.members.end();
        });
    if (is_so && (made_it || is_like_it)) found.push_back(number);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace same_work
