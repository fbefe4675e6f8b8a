#include "server/engine/vendor.h"

#include <algorithm>

#include <fmt/format.h>

#include "server/resources/problem.h"

namespace mishap::server {
namespace {

using scenarios::Replay;
using scenarios::Resource;
using scenarios::Verb;

constexpr std::string_view kEmptyList = R"({"items":[],"total":0})";

// "orders" -> "orders_"; what would have to be escaped in a path becomes "id_".
std::string any_prefix(std::string_view path) {
  const std::string_view last = path.substr(path.rfind('/') + 1);
  const bool plain =
      !last.empty() && last.size() <= 32 && std::all_of(last.begin(), last.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '-' || c == '_';
      });
  return plain ? std::string(last) + "_" : "id_";
}

// Under `any` a path is a collection as soon as something is stored there.
Resource any_resource(const std::string& path) {
  Resource resource;
  resource.name = path;
  resource.path = path;
  resource.id_prefix = any_prefix(path);
  return resource;
}

const Resource& any_resource_of(VendorState& state, const std::string& path) {
  const auto known = state.any.find(path);
  if (known != state.any.end()) return known->second;
  return state.any.emplace(path, any_resource(path)).first->second;
}

// Whether a GET under `any` is for an item: of a collection that something was ever stored in,
// while the path is no such collection itself.
bool reads_item(const VendorState& state, const Target& target) {
  if (state.store.find(target.path) != nullptr || target.segments.back().empty()) return false;
  return state.store.find(parent_path(target)) != nullptr;
}

struct Place {
  std::string collection;
  std::string id;
  Verb verb;
};

Place place_of(const Call& call, const VendorState& state) {
  const Routed& routed = call.routed;
  const bool settled = routed.kind != Routed::Kind::Any || routed.verb != Verb::List;
  if (settled || !reads_item(state, call.view.target)) {
    return {routed.collection, routed.id, routed.verb};
  }
  return {parent_path(call.view.target), call.view.target.segments.back(), Verb::Read};
}

VendorAnswer only(SendAnswer answer) {
  return {std::move(answer), std::nullopt, {}, {}, false};
}

bool has_header(const std::vector<NameValue>& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const NameValue& field) { return equal_ignoring_case(field.name, name); });
}

}  // namespace

Vendor::Vendor(const scenarios::Api& api, std::string token)
    : api_(api), token_(std::move(token)), router_(api) {
  for (const Resource& resource : api.resources) schemas_.emplace_back(resource.schema);
}

const scenarios::IdempotencyPolicy* Vendor::policy(const Routed& routed) const {
  const scenarios::IdempotencyPolicy* policy = nullptr;
  if (routed.resource != nullptr) policy = &routed.resource->idempotency;
  if (routed.kind == Routed::Kind::Any) policy = &any_policy_;
  // PUT and DELETE are idempotent without a key (RFC 9110 section 9.2.2).
  const bool needs_key = routed.verb == Verb::Create || routed.verb == Verb::Patch;
  return policy != nullptr && policy->enabled && needs_key ? policy : nullptr;
}

bool Vendor::asks_upstream(const Routed& routed) const {
  return api_.upstream && routed.kind != Routed::Kind::Route &&
         routed.kind != Routed::Kind::Unmatched;
}

bool Vendor::is_keyed(const Call& call) const {
  return !call.key.empty() && policy(call.routed) != nullptr;
}

std::optional<SendAnswer> Vendor::unauthorized(const RequestView& view) const {
  if (!api_.auth.required) return std::nullopt;
  constexpr std::string_view kScheme = "bearer ";
  const std::string* given = view.header("Authorization");
  const bool bearer =
      given != nullptr && given->size() > kScheme.size() &&
      equal_ignoring_case(std::string_view(*given).substr(0, kScheme.size()), kScheme);
  if (bearer && (token_.empty() || given->substr(kScheme.size()) == token_)) return std::nullopt;
  // RFC 6750 section 3: an error code only where credentials came.
  const std::string challenge = given == nullptr
                                    ? R"(Bearer realm="mishap")"
                                    : R"(Bearer realm="mishap", error="invalid_token")";
  SendAnswer answer = problem_answer(
      401, problems::kUnauthorized,
      bearer ? "the bearer token is not the one that was given out" : "a bearer token is needed");
  answer.headers.push_back({"WWW-Authenticate", challenge});
  return answer;
}

// What is said before anything is looked at or done.
std::optional<SendAnswer> Vendor::refusal(const Call& call) const {
  if (call.routed.kind == Routed::Kind::Unmatched) {
    return problem_answer(404, problems::kNoRoute, router_.why_unmatched(call.view));
  }
  if (call.routed.kind == Routed::Kind::Options) {
    return SendAnswer{204, {{"Allow", std::string(call.routed.allow)}}, {}, false};
  }
  if (auto answer = unauthorized(call.view)) return answer;
  if (call.routed.kind == Routed::Kind::NotAllowed) {
    SendAnswer answer = problem_answer(
        405, problems::kNotAllowed,
        fmt::format("{} is not possible here; there are {}", call.view.method, call.routed.allow));
    answer.headers.push_back({"Allow", std::string(call.routed.allow)});
    return answer;
  }
  // The items of a batch may each have one.
  const scenarios::IdempotencyPolicy* keys = policy(call.routed);
  if (call.routed.kind == Routed::Kind::Batch || keys == nullptr || !keys->required ||
      !call.key.empty()) {
    return std::nullopt;
  }
  return problem_answer(400, problems::kKeyMissing,
                        fmt::format("the header {} is needed here", keys->header));
}

bool Vendor::reserve(VendorState& state, const Call& call, Duration now) const {
  return !refusal(call) && reserve_item(state, call, now);
}

bool Vendor::reserve_item(VendorState& state, const Call& item, Duration now) const {
  if (!is_keyed(item)) return true;
  return state.keys.claim({item.view.target.path, item.key}, item.content_hash, item.exchange, now,
                          policy(item.routed)->lifetime) == KeyStore::Claim::Granted;
}

void Vendor::release(VendorState& state, const Call& call) const {
  if (is_keyed(call)) state.keys.release({call.view.target.path, call.key}, call.exchange);
}

VendorAnswer Vendor::apply(VendorState& state, const Call& call, Duration now) const {
  return apply(state, call, now, [&](bool* executed) { return act(state, call, executed); });
}

VendorAnswer Vendor::apply(VendorState& state, const Call& call, Duration now,
                           const Work& work) const {
  if (auto refused = refusal(call)) {
    refused->head_only = call.view.method == "HEAD";
    return only(std::move(*refused));
  }
  if (is_keyed(call)) return execute_keyed(state, call, now, work);
  bool executed = false;
  return work(&executed);
}

VendorAnswer Vendor::apply_item(VendorState& state, const Call& item, bool covered,
                                Duration now) const {
  const scenarios::IdempotencyPolicy* keys = policy(item.routed);
  if (keys != nullptr && keys->required && item.key.empty() && !covered) {
    return only(
        problem_answer(400, problems::kKeyMissing,
                       fmt::format("{}: is needed here", item.routed.resource->batch->key)));
  }
  const Work work = [&](bool* executed) { return act(state, item, executed); };
  if (is_keyed(item)) return execute_keyed(state, item, now, work);
  bool executed = false;
  return work(&executed);
}

VendorAnswer Vendor::execute_keyed(VendorState& state, const Call& call, Duration now,
                                   const Work& work) const {
  const KeyStore::Scoped key{call.view.target.path, call.key};
  const scenarios::IdempotencyPolicy& keys = *policy(call.routed);
  switch (state.keys.claim(key, call.content_hash, call.exchange, now, keys.lifetime)) {
    case KeyStore::Claim::Granted:
      break;
    case KeyStore::Claim::InProgress:
      return only(problem_answer(409, problems::kKeyInProgress,
                                 "a request with this idempotency key is still being processed"));
    case KeyStore::Claim::OtherContent:
      return only(problem_answer(422, problems::kKeyReused,
                                 "this idempotency key came with other content before"));
    case KeyStore::Claim::Done: {
      VendorAnswer replay = only(state.keys.answer(key));
      replay.answer.headers.push_back({"Idempotency-Replayed", "true"});
      replay.replayed = true;
      return replay;
    }
  }
  bool executed = false;
  VendorAnswer made = work(&executed);
  const bool is_success = made.answer.status / 100 == 2;
  if (executed && (keys.replay == Replay::All || (keys.replay == Replay::Success && is_success))) {
    state.keys.finish(key, call.exchange, made.answer);
  } else {
    state.keys.release(key, call.exchange);
  }
  return made;
}

VendorAnswer Vendor::repeat(VendorState& state, const Call& call) const {
  bool executed = false;
  return act(state, call, &executed);
}

SendAnswer Vendor::route_answer(const scenarios::Route& route, bool head_only) const {
  SendAnswer answer{route.status, route.headers, route.body.value_or(""), head_only};
  if (route.body && !has_header(route.headers, "Content-Type")) {
    answer.headers.push_back(
        {"Content-Type", route.json ? "application/json" : "text/plain; charset=utf-8"});
  }
  return answer;
}

VendorAnswer Vendor::act(VendorState& state, const Call& call, bool* executed) const {
  const bool head_only = call.view.method == "HEAD";
  if (call.routed.kind == Routed::Kind::Route) {
    return only(route_answer(*call.routed.route, head_only));
  }
  if (call.routed.kind == Routed::Kind::SafePost) {
    return only({200, {{"Content-Type", "application/json"}}, std::string(kEmptyList), head_only});
  }
  return act_on_resource(state, call, executed);
}

VendorAnswer Vendor::act_on_resource(VendorState& state, const Call& call, bool* executed) const {
  const Place place = place_of(call, state);
  const bool is_any = call.routed.kind == Routed::Kind::Any;
  // A read must not make a collection known, so it works on a copy where there is none.
  const bool known = state.store.find(place.collection) != nullptr;
  const bool writes = place.verb == Verb::Create || place.verb == Verb::Replace;
  const bool stays = known || writes;
  std::optional<Resource> passing;
  if (is_any && !stays) passing = any_resource(place.collection);
  const Resource& resource = !is_any   ? *call.routed.resource
                             : passing ? *passing
                                       : any_resource_of(state, place.collection);
  const ItemSchema* schema = is_any ? nullptr : &schemas_[call.routed.resource_index];
  const Action action{resource,
                      schema != nullptr && schema->exists() ? schema : nullptr,
                      place.verb,
                      place.id,
                      *call.view.body,
                      call.view.target.query,
                      call.view.method == "HEAD"};
  Collection nothing;
  Outcome outcome = perform(stays ? state.store.collection(place.collection) : nothing, action);
  *executed = outcome.executed;
  return {std::move(outcome.answer), std::move(outcome.change), place.collection,
          std::move(outcome.shown), false};
}

std::optional<Search> Vendor::search_of(const Call& call, const VendorState& state) const {
  const Routed::Kind kind = call.routed.kind;
  if (kind != Routed::Kind::Resource && kind != Routed::Kind::Any) return std::nullopt;
  const Place place = place_of(call, state);
  if (place.verb != Verb::List && place.verb != Verb::Read) return std::nullopt;
  Search search{place.collection, place.id, {}};
  if (!place.id.empty()) return search;
  for (const NameValue& parameter : call.view.target.query) {
    if (!is_paging(parameter.name)) search.filters.push_back(parameter);
  }
  return search;
}

}  // namespace mishap::server
