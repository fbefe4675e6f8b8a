// A batch: its items are operations of their own, that share a request and an answer.
#include <algorithm>

#include "server/engine/play.h"
#include "server/engine/request_facts.h"
#include "server/resources/problem.h"

namespace mishap::server {
namespace {

const SpoiledItems* spoiled_by(const std::vector<SpoiledItems>& spoiled, std::size_t number) {
  const auto found = std::ranges::find_if(
      spoiled, [&](const SpoiledItems& items) { return items.which.contains(number); });
  return found == spoiled.end() ? nullptr : &*found;
}

ItemAnswer failed(const SpoiledItems& spoiled) {
  return {problem_answer(spoiled.status, problems::kBlank, "this item failed"), spoiled.retry_after,
          false};
}

std::string configured_of(const LiveExchange& live, const LiveItem& item) {
  return configured_identifier(item.view, live.vendor->api().operation_from);
}

}  // namespace

Call Play::call_of_item(const LiveExchange& live, std::size_t index) const {
  const LiveItem& item = live.items[index];
  return {item.view, *live.item_routed, item.key, item.content_hash, live.number};
}

Asked Play::asked_of_item(const LiveExchange& live, std::size_t index) const {
  const LiveItem& item = live.items[index];
  Asked asked;
  asked.sending = {live.number, index + 1};
  asked.place = fingerprint_of({item.view.api, item.view.method, item.view.target.path});
  asked.configured = fingerprint_of_word(configured_of(live, item));
  asked.resource = fingerprint_of_word(item.view.api + ":" + live.item_routed->collection);
  asked.reference = fingerprint_of_word(item.reference);
  asked.key = fingerprint_of_word(item.key);
  asked.content_hash = fingerprint_of({item.view.api, item.content_hash});
  asked.raw_hash = fingerprint_of({bytes_of(live.raw_hash), std::to_string(index)});
  asked.collection = asked.resource;
  asked.members = member_fingerprints(item.view.body->members);
  return asked;
}

void Play::join_items(LiveExchange& live, Duration now) {
  Exchange& kept = record(live);
  for (std::size_t i = 0; i < live.items.size(); ++i) {
    Asked asked = asked_of_item(live, i);
    asked.first_byte = kept.first_byte;
    asked.on_connection = kept.on_connection;
    const Joined joined = live.lane->operations.join(asked, now);
    BatchItem& item = kept.items.emplace_back();
    item.identity = joined.identity;
    item.key = kept_key(live.items[i].key);
    item.reference = live.items[i].reference.empty() ? configured_of(live, live.items[i])
                                                     : live.items[i].reference;
    item.content_hash = live.items[i].content_hash;
    // So that the first attempt of a batch is one of which no item was sent before.
    kept.identity.attempt = std::max(kept.identity.attempt, joined.identity.attempt);
    if (joined.role == Role::TransportResend) kept.role = joined.role;
    mark_overlapping(joined.also_overlapping);
  }
  live.joined = true;
}

void Play::reserve_items(const LiveExchange& live, Duration now) {
  for (std::size_t i = 0; i < live.items.size(); ++i) {
    live.vendor->reserve_item(*live.state, call_of_item(live, i), now);
  }
}

void Play::release_items(const LiveExchange& live) {
  for (std::size_t i = 0; i < live.items.size(); ++i) {
    live.vendor->release(*live.state, call_of_item(live, i));
  }
}

ItemAnswer Play::carry_out_item(LiveExchange& live, std::size_t index, Duration now) {
  const Call call = call_of_item(live, index);
  VendorAnswer answer = live.vendor->apply_item(*live.state, call, !live.policy_key.empty(), now);
  record(live).items[index].replayed = answer.replayed;
  std::optional<VendorAnswer> again;
  if (live.twice && answer.change) again = live.vendor->repeat(*live.state, call);
  add_effect(live, answer, now, index + 1);
  if (again) add_effect(live, *again, now, index + 1);
  return {std::move(answer.answer), {}, answer.replayed};
}

// `told` is what the items are told where a rule has a say; the vendor itself, and what it stores
// under a key of the batch, knows better.
VendorAnswer Play::carry_out_items(LiveExchange& live, std::vector<ItemAnswer>& told,
                                   Duration now) {
  std::vector<ItemAnswer> own;
  for (std::size_t i = 0; i < live.items.size(); ++i) {
    const SpoiledItems* spoiled = spoiled_by(live.spoiled, i + 1);
    if (spoiled != nullptr && !spoiled->carried_out) {
      live.vendor->release(*live.state, call_of_item(live, i));
      own.push_back(failed(*spoiled));
    } else {
      own.push_back(carry_out_item(live, i, now));
    }
    told.push_back(spoiled != nullptr ? failed(*spoiled) : own.back());
  }
  VendorAnswer answer;
  answer.answer = batch_answer(own, *live.routed.resource->batch);
  answer.collection = live.routed.collection;
  return answer;
}

Steps Play::apply_batch(LiveExchange& live, Duration now) {
  const scenarios::Batch& batch = *live.routed.resource->batch;
  std::vector<ItemAnswer> told;
  VendorAnswer answer = live.vendor->apply(*live.state, call_of(live), now, [&](bool* executed) {
    *executed = !live.items.empty();
    if (*executed) return carry_out_items(live, told, now);
    VendorAnswer refused;
    refused.answer = problem_answer(400, problems::kBadRequest, live.complaint);
    return refused;
  });
  if (!told.empty()) answer.answer = batch_answer(told, batch);
  const std::vector<StatusCode> statuses = statuses_told(answer.answer, batch);
  const bool replayed = answer.replayed;
  Steps steps = answer_of_vendor(live, std::move(answer), now);
  note_told(live, statuses, replayed);
  return steps;
}

// Where the answer as a whole is another one, nothing is told of the items.
void Play::note_told(LiveExchange& live, const std::vector<StatusCode>& statuses, bool replayed) {
  Exchange& kept = record(live);
  const bool is_whole = kept.answer.healthy && statuses.size() == kept.items.size();
  for (std::size_t i = 0; i < kept.items.size(); ++i) {
    BatchItem& item = kept.items[i];
    item.replayed = item.replayed || replayed;
    if (!is_whole) continue;
    item.status = statuses[i];
    item.healthy = replayed || spoiled_by(live.spoiled, i + 1) == nullptr;
    if (item.healthy) continue;
    kept.answer.healthy = false;
    kept.answer.changed = true;
  }
}

void Play::items_ended(const LiveExchange& live, bool delivered) {
  const Exchange& kept = record(live);
  for (std::size_t i = 0; i < kept.items.size(); ++i) {
    const BatchItem& item = kept.items[i];
    const bool success = delivered && item.healthy && item.status / 100 == 2;
    live.lane->operations.ended({live.number, i + 1}, success);
  }
}

}  // namespace mishap::server
