#include "server/engine/router.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mishap/nearest_word.h"

namespace mishap::server {
namespace {

using scenarios::Resource;
using scenarios::Verb;

bool has_verb(const Resource& resource, Verb verb) {
  return std::find(resource.verbs.begin(), resource.verbs.end(), verb) != resource.verbs.end();
}

std::optional<Verb> verb_on(bool item, std::string_view method) {
  if (method == "GET" || method == "HEAD") return item ? Verb::Read : Verb::List;
  if (method == "POST" && !item) return Verb::Create;
  if (method == "PUT" && item) return Verb::Replace;
  if (method == "PATCH" && item) return Verb::Patch;
  if (method == "DELETE" && item) return Verb::Delete;
  return std::nullopt;
}

// The methods that a resource takes on its collection or its items; empty: that path is not there.
std::vector<std::string> methods_of(const Resource& resource, bool item) {
  static constexpr std::array<std::string_view, 6> kMethods = {"GET", "HEAD",  "POST",
                                                               "PUT", "PATCH", "DELETE"};
  std::vector<std::string> methods;
  for (const std::string_view method : kMethods) {
    const auto verb = verb_on(item, method);
    if (verb && has_verb(resource, *verb)) methods.emplace_back(method);
  }
  return methods;
}

std::string allow_of(std::vector<std::string> methods) {
  methods.emplace_back("OPTIONS");
  return fmt::format("{}", fmt::join(methods, ", "));
}

// A pattern with its named segments filled from the target, so that only real differences count.
std::string filled(const std::string& pattern, const Target& target) {
  const std::vector<std::string> segments = parse_target(pattern).segments;
  if (segments.size() != target.segments.size()) return pattern;
  std::string path;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    path += '/' + (segments[i].starts_with(':') ? target.segments[i] : segments[i]);
  }
  return path;
}

}  // namespace

Router::Router(const scenarios::Api& api) : api_(api) {
  for (const scenarios::Route& route : api.routes) {
    routes_.emplace_back(route.on);
    route_paths_.add(routes_.back().path(), routes_.size() - 1);
    depends_on_body_ = depends_on_body_ || routes_.back().needs_body();
  }
  // Nothing else is at the path of a batch, though it may look like an item of the resource.
  for (std::size_t i = 0; i < api.resources.size(); ++i) {
    const auto& batch = api.resources[i].batch;
    if (batch)
      add_place({i, Place::What::Batch, allow_of({"POST"})}, parse_target(batch->path).segments);
  }
  for (std::size_t i = 0; i < api.resources.size(); ++i) add_resource(i);
  for (const std::string& pattern : api.safe_posts) {
    safe_posts_.add(PathPattern(pattern), 0);
  }
}

void Router::add_resource(std::size_t index) {
  const Resource& resource = api_.resources[index];
  const std::vector<std::string> segments = parse_target(resource.path).segments;
  for (const bool item : {false, true}) {
    std::vector<std::string> methods = methods_of(resource, item);
    if (methods.empty()) continue;
    const auto what = item ? Place::What::Item : Place::What::Collection;
    add_place({index, what, allow_of(std::move(methods))}, segments);
  }
}

void Router::add_place(Place place, const std::vector<std::string>& segments) {
  place_paths_.add_literal(segments, place.what == Place::What::Item, places_.size());
  places_.push_back(std::move(place));
}

bool Router::is_safe_post(const Target& target) const {
  return safe_posts_.meets(target);
}

bool Router::is_safe(std::string_view method, const Target& target) const {
  // RFC 9110 section 9.2.1.
  if (method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "TRACE") return true;
  return method == "POST" && is_safe_post(target);
}

std::optional<Routed> Router::to_route(const RequestView& request) const {
  for (const std::size_t index : route_paths_.find(request.target)) {
    const RequestMatcher& route = routes_[index];
    const bool head_as_get = request.method == "HEAD" && route.source().method == "GET";
    if (!route.matches(request, head_as_get ? std::string_view("GET") : request.method)) continue;
    Routed routed;
    routed.kind = Routed::Kind::Route;
    routed.route = &api_.routes[index];
    return routed;
  }
  return std::nullopt;
}

Routed Router::route(const RequestView& request) const {
  if (auto routed = to_route(request)) return std::move(*routed);
  if (request.method == "POST" && is_safe_post(request.target)) {
    Routed routed;
    routed.kind = Routed::Kind::SafePost;
    return routed;
  }
  Routed routed = to_resource(request);
  const bool is_beyond = routed.kind != Routed::Kind::Resource && api_.upstream;
  const bool is_unknown = routed.kind == Routed::Kind::Unmatched && api_.any_path;
  return is_beyond || is_unknown ? to_any(request) : routed;
}

Routed Router::to_batch(const Place& place, const RequestView& request) const {
  Routed routed;
  routed.collection = api_.resources[place.resource].name;
  if (request.method == "POST") {
    routed.kind = Routed::Kind::Batch;
    routed.resource = &api_.resources[place.resource];
    routed.resource_index = place.resource;
    routed.verb = Verb::Create;
    return routed;
  }
  routed.kind = request.method == "OPTIONS" ? Routed::Kind::Options : Routed::Kind::NotAllowed;
  routed.allow = place.allow;
  return routed;
}

Routed Router::create_in(const Routed& batch) const {
  Routed routed = batch;
  routed.kind = Routed::Kind::Resource;
  return routed;
}

Routed Router::to_resource(const RequestView& request) const {
  const std::vector<std::size_t> found = place_paths_.find(request.target);
  if (found.empty()) return {};
  const Place& place = places_[found.front()];
  if (place.what == Place::What::Batch) return to_batch(place, request);
  const Resource& resource = api_.resources[place.resource];
  const bool is_item = place.what == Place::What::Item;
  Routed routed;
  routed.collection = resource.name;
  if (is_item) routed.id = request.target.segments.back();
  const auto verb = verb_on(is_item, request.method);
  if (verb && has_verb(resource, *verb)) {
    routed.kind = Routed::Kind::Resource;
    routed.resource = &resource;
    routed.resource_index = place.resource;
    routed.verb = *verb;
    return routed;
  }
  routed.kind = request.method == "OPTIONS" ? Routed::Kind::Options : Routed::Kind::NotAllowed;
  routed.allow = place.allow;
  return routed;
}

Routed Router::to_any(const RequestView& request) const {
  Routed routed;
  if (request.target.segments.empty()) return routed;
  routed.allow = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
  routed.kind = Routed::Kind::Any;
  routed.collection = request.target.path;
  if (request.method == "OPTIONS") {
    routed.kind = Routed::Kind::Options;
    return routed;
  }
  if (request.method == "GET" || request.method == "HEAD") return routed;
  if (request.method == "POST") {
    routed.verb = Verb::Create;
    return routed;
  }
  const auto verb = verb_on(true, request.method);
  if (!verb || request.target.segments.back().empty()) {
    routed.kind = Routed::Kind::NotAllowed;
    return routed;
  }
  routed.verb = *verb;
  routed.collection = parent_path(request.target);
  routed.id = request.target.segments.back();
  return routed;
}

std::vector<std::string> Router::offers(const Target& target) const {
  std::vector<std::string> offers;
  for (const scenarios::Route& route : api_.routes) {
    const std::string method = route.on.method == "*" ? "GET" : route.on.method;
    offers.push_back(fmt::format("{} {}", method, filled(route.on.path, target)));
  }
  for (const Resource& resource : api_.resources) {
    for (const bool item : {false, true}) {
      const std::string path = resource.path + (item ? "/:id" : "");
      for (const std::string& method : methods_of(resource, item)) {
        if (method != "HEAD") offers.push_back(fmt::format("{} {}", method, filled(path, target)));
      }
    }
    if (resource.batch) offers.push_back("POST " + resource.batch->path);
  }
  return offers;
}

std::string Router::why_unmatched(const RequestView& request) const {
  const std::string asked = fmt::format("{} {}", request.method, request.target.path);
  std::vector<std::string> known = offers(request.target);
  std::erase(known, asked);  // an item pattern filled with an empty id reads like the question
  if (const auto nearest = nearest_word(asked, known)) {
    return fmt::format("no route for {}; the nearest is {}", asked, *nearest);
  }
  constexpr std::size_t kMost = 12;
  if (known.empty() || known.size() > kMost) return fmt::format("no route for {}", asked);
  return fmt::format("no route for {}; there are {}", asked, fmt::join(offers(Target{}), ", "));
}

}  // namespace mishap::server
