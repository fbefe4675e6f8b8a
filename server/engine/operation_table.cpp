#include "server/engine/operation_table.h"

#include <algorithm>

namespace mishap::server {
namespace {

using std::chrono::milliseconds;

// checks.md section 1: the same bytes within 50 ms of a zero-byte close of a reused connection are
// the transport's doing, not the policy's.
constexpr Duration kResendWindow = milliseconds(50);
// The cut is scripted for an instant and done a little later; a first byte cannot truly be earlier.
constexpr Duration kCutSlack = milliseconds(1);

template <typename Map>
std::optional<std::size_t> look(const Map& map, const Fingerprint& print) {
  const auto found = map.find(print);
  return found == map.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

Fingerprint in(const Fingerprint& place, const Fingerprint& identifier) {
  return fingerprint_of({bytes_of(place), bytes_of(identifier)});
}

}  // namespace

std::vector<Fingerprint> member_fingerprints(const std::vector<NameValue>& members) {
  std::vector<Fingerprint> prints;
  prints.reserve(members.size());
  for (const NameValue& member : members) {
    prints.push_back(fingerprint_of({member.name, member.value}));
  }
  return prints;
}

bool OperationTable::Operation::is_in_flight(Duration now) const {
  return std::any_of(in_flight.begin(), in_flight.end(), [&](const Attempt& attempt) {
    return !attempt.let_go || *attempt.let_go > now;
  });
}

bool OperationTable::Operation::has_loose_end(Duration now) const {
  return failed || std::any_of(in_flight.begin(), in_flight.end(), [&](const Attempt& attempt) {
           return attempt.let_go && *attempt.let_go <= now;
         });
}

std::size_t OperationTable::make(const Asked& asked) {
  Operation& made = operations_.emplace_back();
  made.number = ++counter_;
  made.safe = asked.safe;
  made.collection = asked.collection;
  made.item = asked.item;
  return operations_.size() - 1;
}

// What an attempt tells about its operation for the first time.
void OperationTable::learn(std::size_t index, const Asked& asked) {
  Operation& operation = operations_[index];
  if (!operation.reference) operation.reference = asked.reference;
  if (asked.content_hash) {
    operation.content_hash = asked.content_hash;
    operation.members = asked.members;
    contents_[asked.content_hash] = index;
  }
  if (asked.configured) configured_[in(asked.place, asked.configured)] = index;
  if (asked.reference) references_[in(asked.resource, asked.reference)] = index;
  if (asked.key) keys_[in(asked.place, asked.key)] = index;
}

OperationTable::Found OperationTable::by_configured(const Asked& asked) {
  const auto known = look(configured_, in(asked.place, asked.configured));
  return {known ? *known : make(asked), IdentifiedBy::Configured, false, false};
}

OperationTable::Found OperationTable::by_reference(const Asked& asked) {
  auto known = look(references_, in(asked.resource, asked.reference));
  if (!known && asked.key) {
    // An attempt whose body was not read left only its key behind.
    const auto same_key = look(keys_, in(asked.place, asked.key));
    const bool unread =
        same_key && !operations_[*same_key].content_hash && !operations_[*same_key].reference;
    if (unread) known = same_key;
  }
  return {known ? *known : make(asked), IdentifiedBy::Reference, false, false};
}

std::optional<std::size_t> OperationTable::open_with_equal_content(const Asked& asked,
                                                                   Duration now) const {
  if (!asked.content_hash) return std::nullopt;
  const auto newest = look(contents_, asked.content_hash);
  if (!newest || !operations_[*newest].is_open(now)) return std::nullopt;
  return newest;
}

OperationTable::Found OperationTable::by_key(const Asked& asked, Duration now) {
  const auto known = look(keys_, in(asked.place, asked.key));
  if (known) {
    const Operation& operation = operations_[*known];
    const bool other_content = asked.content_hash && operation.content_hash &&
                               asked.content_hash != operation.content_hash;
    // Another intent under a used key: after a success, or while the first is being waited for.
    const bool other_intent = other_content && !operation.is_open(now);
    if (!other_intent) return {*known, IdentifiedBy::Key, false, false};
    return {make(asked), IdentifiedBy::Key, false, false};
  }
  // The key changed on a retry.
  if (const auto open = open_with_equal_content(asked, now)) {
    return {*open, IdentifiedBy::Content, false, false};
  }
  return {make(asked), IdentifiedBy::Key, false, false};
}

OperationTable::Found OperationTable::by_content(const Asked& asked, Duration now) {
  if (const auto open = open_with_equal_content(asked, now)) {
    return {*open, IdentifiedBy::Content, false, false};
  }
  const auto newest = look(contents_, asked.content_hash);
  const bool overlaps = newest && operations_[*newest].is_in_flight(now);
  const bool polls = newest && asked.safe && operations_[*newest].succeeded;
  return {make(asked), IdentifiedBy::Content, overlaps, polls};
}

void OperationTable::redirected(std::uint64_t exchange, const Fingerprint& hop) {
  if (const Sent* known = sent({exchange})) hops_[hop] = known->operation;
}

std::optional<std::size_t> OperationTable::take_hop(const Asked& asked) {
  const auto hop = hops_.find(asked.hop);
  if (!asked.hop || hop == hops_.end()) return std::nullopt;
  const std::size_t operation = hop->second;
  hops_.erase(hop);
  return operation;
}

OperationTable::Found OperationTable::find_or_make(const Asked& asked, Duration now) {
  if (const auto hop = take_hop(asked)) return {*hop, IdentifiedBy::Content, false, false};
  if (asked.configured) return by_configured(asked);
  if (asked.reference) return by_reference(asked);
  if (asked.key) return by_key(asked, now);
  return by_content(asked, now);
}

bool OperationTable::is_transport_resend(const Asked& asked) {
  if (!asked.raw_hash) return false;
  const auto cut = zero_byte_cuts_.find(asked.raw_hash);
  if (cut == zero_byte_cuts_.end()) return false;
  const Duration gap = asked.first_byte - cut->second;
  if (gap < -kCutSlack) return false;
  zero_byte_cuts_.erase(cut);
  return gap < kResendWindow;
}

Joined OperationTable::join(const Asked& asked, Duration now) {
  const auto before = look(contents_, asked.content_hash);
  const Found found = find_or_make(asked, now);
  Operation& operation = operations_[found.operation];
  const bool is_new = operation.attempts == 0;
  if (is_new) operation.by_content_only = found.by == IdentifiedBy::Content;
  Joined joined;
  if (found.overlaps) {
    operation.overlapping = true;
    Operation& other = operations_[*before];
    if (other.by_content_only) {
      other.overlapping = true;
      joined.also_overlapping.assign(other.sendings.begin(), other.sendings.end());
    }
  }
  learn(found.operation, asked);
  ++operation.attempts;
  operation.in_flight.push_back({asked.sending, std::nullopt});
  if (operation.by_content_only) operation.sendings.push_back(asked.sending);
  sent_[asked.sending] = {found.operation, asked.raw_hash, asked.on_connection, false};
  joined.identity = {found.by, operation.number, found.operation + 1, operation.attempts,
                     operation.overlapping};
  if (is_transport_resend(asked) && !is_new) {
    joined.role = Role::TransportResend;
  } else if (found.polls) {
    joined.role = Role::Poll;
  }
  return joined;
}

void OperationTable::complete(const Asked& asked) {
  Sent* known = sent(asked.sending);
  if (known == nullptr) return;
  known->raw_hash = asked.raw_hash;
  learn(known->operation, asked);
}

OperationTable::Sent* OperationTable::sent(const Sending& sending) {
  const auto found = sent_.find(sending);
  return found == sent_.end() ? nullptr : &found->second;
}

std::vector<Sending> OperationTable::sendings_of(std::uint64_t exchange) const {
  std::vector<Sending> sendings;
  for (auto at = sent_.lower_bound({exchange, 0});
       at != sent_.end() && at->first.exchange == exchange; ++at) {
    sendings.push_back(at->first);
  }
  return sendings;
}

void OperationTable::mark_uncertain(std::size_t index) {
  Operation& operation = operations_[index];
  if (operation.safe || operation.uncertain || !operation.collection) return;
  operation.uncertain = true;
  uncertain_[operation.collection].push_back(index);
}

void OperationTable::let_go_of(const Sending& sending, Duration at) {
  const Sent* known = sent(sending);
  if (known == nullptr) return;
  for (Attempt& attempt : operations_[known->operation].in_flight) {
    if (attempt.sending == sending && (!attempt.let_go || at < *attempt.let_go)) {
      attempt.let_go = at;
    }
  }
  mark_uncertain(known->operation);
}

void OperationTable::let_go(std::uint64_t exchange, Duration at) {
  for (const Sending& sending : sendings_of(exchange)) let_go_of(sending, at);
}

void OperationTable::cut(const Sending& sending, Duration at, bool zero_bytes) {
  let_go_of(sending, at);
  Sent* known = sent(sending);
  // The first notice counts: a resend may have used it up when the second comes.
  if (known == nullptr || known->cut) return;
  known->cut = true;
  if (!zero_bytes || known->on_connection < 2 || !known->raw_hash) return;
  zero_byte_cuts_[known->raw_hash] = at;
}

void OperationTable::connection_cut(std::uint64_t exchange, Duration at, bool zero_bytes) {
  for (const Sending& sending : sendings_of(exchange)) cut(sending, at, zero_bytes);
}

void OperationTable::ended(const Sending& sending, bool success) {
  const Sent* known = sent(sending);
  if (known == nullptr) return;
  const std::size_t index = known->operation;
  Operation& operation = operations_[index];
  const auto over = std::ranges::remove(operation.in_flight, sending, &Attempt::sending);
  operation.in_flight.erase(over.begin(), over.end());
  if (success) {
    operation.succeeded = true;
  } else {
    operation.failed = true;
    mark_uncertain(index);
  }
  sent_.erase(sending);
}

void OperationTable::add_effect(const Sending& sending, EffectKind kind,
                                const std::string& collection, const std::string& id) {
  const Sent* known = sent(sending);
  if (known == nullptr) return;
  Operation& operation = operations_[known->operation];
  operation.created = operation.created || kind == EffectKind::Created;
  operation.effects.push_back(fingerprint_of({collection, id}));
}

bool OperationTable::has_created(std::uint64_t operation) const {
  return numbered(operation).created;
}

bool OperationTable::could_be_found(const Operation& operation, const Search& search) {
  const auto holds = [](const auto& prints, const Fingerprint& print) {
    return std::find(prints.begin(), prints.end(), print) != prints.end();
  };
  if (!search.item.empty()) {
    if (operation.item == fingerprint_of_word(search.item)) return true;
    return holds(operation.effects, fingerprint_of({search.collection, search.item}));
  }
  return std::all_of(search.filters.begin(), search.filters.end(), [&](const NameValue& filter) {
    if (operation.reference && operation.reference == fingerprint_of_word(filter.value))
      return true;
    return holds(operation.members, fingerprint_of({filter.name, filter.value}));
  });
}

std::vector<std::uint64_t> OperationTable::could_find(const Search& search, Duration now) const {
  std::vector<std::uint64_t> numbers;
  const auto listed = uncertain_.find(fingerprint_of_word(search.collection));
  if (listed == uncertain_.end()) return numbers;
  for (const std::size_t index : listed->second) {
    const Operation& operation = operations_[index];
    if (operation.has_loose_end(now) && could_be_found(operation, search)) {
      numbers.push_back(operation.number);
    }
  }
  return numbers;
}

const OperationTable::Operation& OperationTable::numbered(std::uint64_t number) const {
  return *std::ranges::lower_bound(operations_, number, {}, &Operation::number);
}

bool OperationTable::shows_effect_of(const std::vector<std::uint64_t>& operations,
                                     const std::string& collection,
                                     const std::vector<std::string>& ids) const {
  std::vector<Fingerprint> shown;
  if (!operations.empty()) {
    for (const std::string& id : ids) shown.push_back(fingerprint_of({collection, id}));
  }
  return std::any_of(operations.begin(), operations.end(), [&](std::uint64_t number) {
    const Operation& operation = numbered(number);
    return std::ranges::find_first_of(operation.effects, shown) != operation.effects.end();
  });
}

}  // namespace mishap::server
