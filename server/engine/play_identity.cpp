// Who a request is from: operation, attempt and role.
#include "server/engine/play.h"
#include "server/engine/request_facts.h"
#include "server/journal/fingerprint.h"

namespace mishap::server {
namespace {

using scenarios::Verb;

bool is_idempotent(const RequestView& view) {
  return view.safe || view.method == "PUT" || view.method == "DELETE";  // RFC 9110 section 9.2.2
}

bool names_collection(const Routed& routed) {
  return routed.kind == Routed::Kind::Resource || routed.kind == Routed::Kind::Any;
}

Fingerprint hop_to(std::string_view api, std::string_view method, std::string_view path,
                   std::string_view body_hash) {
  return fingerprint_of({api, method, path, body_hash});
}

// Behind an origin: nothing, a path or a query.
bool is_rest(std::string_view text) {
  return text.empty() || text.front() == '/' || text.front() == '?' || text.front() == '#';
}

struct Destination {
  std::string api;
  std::string target;
};

// Where in this run a Location leads; what leads elsewhere is not seen.
std::optional<Destination> destination_of(std::string_view location, const std::string& own_api,
                                          const Origins& origins) {
  const std::string_view plain = location.substr(0, location.find('#'));
  if (plain.starts_with('/') && !plain.starts_with("//")) {
    return Destination{own_api, std::string(plain)};
  }
  for (const auto& [api, url] : origins.all) {
    if (!plain.starts_with(url) || !is_rest(plain.substr(url.size()))) continue;
    const std::string_view rest = plain.substr(url.size());
    return Destination{api, rest.starts_with('/') ? std::string(rest) : '/' + std::string(rest)};
  }
  return std::nullopt;
}

}  // namespace

// A client that follows a redirect of an unsafe request with the same request goes on with the same
// operation, whatever path it then asks.
void Play::note_redirect(const LiveExchange& live) {
  const Exchange& kept = record(live);
  if (!live.joined || live.view.safe || kept.answer.status / 100 != 3) return;
  for (const NameValue& field : kept.answer.headers) {
    if (!equal_ignoring_case(field.name, "Location")) continue;
    const auto found = origins_.find({live.view.api, live.lane->number});
    const Origins none;
    const auto to =
        destination_of(field.value, live.view.api, found == origins_.end() ? none : found->second);
    if (!to) continue;
    live.lane->operations.redirected(
        live.number,
        hop_to(to->api, live.view.method, parse_target(to->target).path, kept.request.body_hash));
  }
}

void Play::learn_head(LiveExchange& live) {
  RequestView& view = live.view;
  view.safe = live.vendor->router().is_safe(view.method, view.target);
  live.routed = live.vendor->router().route(view);
  Exchange& kept = record(live);
  kept.safe = view.safe;
  kept.idempotent = is_idempotent(view);
  if (live.routed.kind == Routed::Kind::Unmatched) kept.role = Role::Unmatched;
  const scenarios::IdempotencyPolicy* policy = live.vendor->policy(live.routed);
  live.key = key_of(view, policy == nullptr ? std::string_view{} : policy->header);
  kept.request.key = kept_key(live.key);
  if (policy != nullptr) {
    const std::string* own = view.header(policy->header);
    if (own != nullptr && !own->empty()) live.policy_key = live.key;
  }
  // Where the head names the operation, rules at the head may count its attempts. It names none of
  // the items of a batch.
  const bool is_batch = live.routed.kind == Routed::Kind::Batch;
  if (!is_batch && is_in_header(live.vendor->api().operation_from)) join(live, *kept.head_read);
}

void Play::learn_body(LiveExchange& live) {
  Exchange& kept = record(live);
  if (live.vendor->router().depends_on_body()) {
    live.routed = live.vendor->router().route(live.view);
    if (live.routed.kind != Routed::Kind::Unmatched && kept.role == Role::Unmatched) {
      kept.role = Role::Attempt;
    }
  }
  live.content_hash = kept.request.content_hash;
  live.body_hash = kept.request.body_hash;
  live.raw_hash =
      fingerprint_of({kept.request.method, kept.request.target, kept.request.body_hash});
  if (live.routed.kind == Routed::Kind::Resource && !live.routed.resource->reference.empty()) {
    const std::string* reference = live.view.body->member(live.routed.resource->reference);
    if (reference != nullptr) live.reference = *reference;
  }
  kept.request.reference = live.reference;
  if (live.routed.kind != Routed::Kind::Any || live.view.safe) return;
  // `any` cannot know what a member means, so this only gives outcome lines a name to go by.
  for (const std::string& name : live.vendor->api().references) {
    const std::string* reference = live.view.body->member(name);
    if (reference == nullptr) continue;
    kept.request.reference = *reference;
    return;
  }
}

Asked Play::asked_of(const LiveExchange& live) const {
  Asked asked;
  asked.sending = {live.number};
  asked.safe = live.view.safe;
  asked.place = fingerprint_of({live.view.api, live.view.method, live.view.target.path});
  asked.configured = fingerprint_of_word(live.configured);
  if (!live.content_hash.empty()) {
    asked.content_hash = fingerprint_of({live.view.api, live.content_hash});
  }
  asked.raw_hash = live.raw_hash;
  if (!live.view.safe && live.view.body) {
    asked.hop = hop_to(live.view.api, live.view.method, live.view.target.path, live.body_hash);
  }
  if (!live.view.safe) {
    asked.key = fingerprint_of_word(live.key);
    const Fingerprint collection =
        fingerprint_of_word(live.view.api + ":" + live.routed.collection);
    // A reference names a create. An item may be changed many times under one reference.
    if (live.routed.kind == Routed::Kind::Resource && live.routed.verb == Verb::Create) {
      asked.resource = collection;
      asked.reference = fingerprint_of_word(live.reference);
    }
    if (names_collection(live.routed)) {
      asked.collection = collection;
      asked.item = fingerprint_of_word(live.routed.id);
    }
  }
  if (live.view.body) asked.members = member_fingerprints(live.view.body->members);
  return asked;
}

void Play::join(LiveExchange& live, Duration now) {
  Exchange& kept = record(live);
  if (kept.role == Role::Unmatched || kept.role == Role::Rejected) return;
  if (!live.items.empty()) return join_items(live, now);
  live.configured = configured_identifier(live.view, live.vendor->api().operation_from);
  Asked asked = asked_of(live);
  asked.first_byte = kept.first_byte;
  asked.on_connection = kept.on_connection;
  if (live.joined) return live.lane->operations.complete(asked);
  const bool is_known = asked.configured || asked.reference || asked.key || asked.content_hash;
  if (!is_known) return;
  const Joined joined = live.lane->operations.join(asked, now);
  live.joined = true;
  kept.identity = joined.identity;
  kept.role = joined.role;
  if (kept.request.reference.empty()) kept.request.reference = live.configured;
  mark_overlapping(joined.also_overlapping);
  if (live.view.safe) find_searched(live, now);
}

void Play::mark_overlapping(const std::vector<Sending>& sendings) {
  for (const Sending& sending : sendings) {
    Exchange* other = log_.find_exchange(sending.exchange);
    if (other == nullptr) continue;
    Identity& identity =
        sending.item == 0 ? other->identity : other->items.at(sending.item - 1).identity;
    identity.overlapping = true;
  }
}

void Play::find_searched(LiveExchange& live, Duration now) {
  if (!live.joined) return;
  auto search = live.vendor->search_of(call_of(live), *live.state);
  if (!search) return;
  search->collection = live.view.api + ":" + search->collection;
  Exchange& kept = record(live);
  kept.looked_up = live.lane->operations.could_find(*search, now);
  if (!kept.looked_up.empty()) kept.role = Role::Lookup;
}

// An exchange that ended before its body was read: without a body all is known of it, with one its
// key may still name it. Nothing is guessed from an unread body.
void Play::join_late(LiveExchange& live, Duration now) {
  if (live.joined) return;
  // Its items are not known, and by itself it is no operation.
  if (live.has_body && live.routed.kind == Routed::Kind::Batch) return;
  if (!live.has_body) {
    Exchange& kept = record(live);
    live.view.body = Content{};
    add_body_facts(kept.request, live.view, *live.view.body, {}, salt_);
    learn_body(live);
  }
  join(live, now);
}

}  // namespace mishap::server
