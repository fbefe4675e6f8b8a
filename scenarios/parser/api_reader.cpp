#include "scenarios/parser/api_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mishap/nearest_word.h"
#include "scenarios/parser/batch_reader.h"
#include "scenarios/parser/map_view.h"
#include "scenarios/parser/matcher_reader.h"
#include "scenarios/parser/tls_reader.h"
#include "scenarios/parser/upstream_reader.h"

namespace mishap::scenarios {
namespace {

constexpr std::array<std::pair<std::string_view, Verb>, 6> kVerbs{{
    {"create", Verb::Create},
    {"read", Verb::Read},
    {"list", Verb::List},
    {"replace", Verb::Replace},
    {"patch", Verb::Patch},
    {"delete", Verb::Delete},
}};

std::vector<Verb> all_verbs() {
  std::vector<Verb> all;
  for (const auto& entry : kVerbs) all.push_back(entry.second);
  return all;
}

void read_verb(const Node& node, std::vector<Verb>& verbs, Problems& problems) {
  const auto* text = scalar_text(node, "verbs", problems);
  if (text == nullptr) return;
  std::vector<std::string> names;
  for (const auto& [name, verb] : kVerbs) {
    names.emplace_back(name);
    if (*text != name) continue;
    if (std::find(verbs.begin(), verbs.end(), verb) == verbs.end()) verbs.push_back(verb);
    return;
  }
  problems.error(node.span, unknown_word("verb", *text, names));
}

std::vector<Verb> read_verbs(const Node& node, Problems& problems) {
  if (!node.is_list()) {
    problems.error(node.span, "\"verbs\" is a list: [create, read]");
    return all_verbs();
  }
  std::vector<Verb> verbs;
  for (const Node& item : node.items) read_verb(item, verbs, problems);
  return verbs;
}

IdempotencyPolicy read_idempotency(const Node& node, Problems& problems) {
  IdempotencyPolicy policy;
  if (node.is_scalar()) {
    policy.enabled = false;
    if (is_boolean_word(node)) {
      problems.error(node.span,
                     "this was \"off\" before a program wrote the file: YAML 1.1 takes off for "
                     "false; write \"off\" in quotes");
    } else if (node.text != "off") {
      problems.error(node.span, "\"idempotency\" is a map, or off");
    }
    return policy;
  }
  const MapView map(node, idempotency_keys(), problems);
  map.text("header", policy.header);
  map.yes_no("required", policy.required);
  std::string replay;
  map.word("replay", replay);
  if (replay == "success") policy.replay = Replay::Success;
  if (replay == "none") policy.replay = Replay::None;
  std::optional<Duration> lifetime;
  map.duration("lifetime", lifetime);
  if (lifetime) policy.lifetime = *lifetime;
  return policy;
}

// Only its outline is read here: the room that checks bodies owns the meaning.
void check_schema(const Node& schema, Problems& problems) {
  if (!schema.is_map()) {
    problems.error(schema.span, "\"schema\" is a JSON Schema: a map");
    return;
  }
  const Node* required = schema.find("required");
  if (required != nullptr && !required->is_list()) {
    problems.error(required->span, "\"required\" of a schema is a list of names");
  }
  const Node* properties = schema.find("properties");
  if (properties != nullptr && !properties->is_map()) {
    problems.error(properties->span, "\"properties\" of a schema is a map");
  }
}

void read_items(const Node& node, Resource& resource, Problems& problems) {
  if (!node.is_list() && !node.is_null()) {
    problems.error(node.span, "\"items\" is a list of maps");
    return;
  }
  for (const Node& item : node.items) {
    if (item.is_map()) {
      resource.items.push_back(item);
    } else {
      problems.error(item.span, "an item is a map: {id: p_1}");
    }
  }
}

Resource read_resource(const Node& key, const Node& node, Problems& problems) {
  Resource resource;
  resource.name = key.text;
  resource.path = "/" + key.text;
  resource.span = key.span;
  resource.verbs = all_verbs();
  check_name(key, "resource", problems);
  const MapView map(node, resource_keys(), problems);
  if (const Node* path = map.find("path"); path != nullptr) {
    if (const auto* text = scalar_text(*path, "path", problems)) {
      if (check_path(*text, path->span, problems)) resource.path = *text;
    }
  }
  map.text("id_prefix", resource.id_prefix);
  map.text("id_field", resource.id_field);
  map.text("reference", resource.reference);
  map.yes_no("unique_reference", resource.unique_reference);
  if (const Node* verbs = map.find("verbs")) resource.verbs = read_verbs(*verbs, problems);
  if (const Node* schema = map.find("schema"); schema != nullptr && !schema->is_null()) {
    check_schema(*schema, problems);
    resource.schema = *schema;
  }
  if (const Node* idempotency = map.find("idempotency")) {
    resource.idempotency = read_idempotency(*idempotency, problems);
  }
  if (const Node* items = map.find("items")) read_items(*items, resource, problems);
  if (const Node* batch = map.find("batch")) {
    resource.batch = read_batch(*batch, resource, map.find("verbs"), problems);
  }
  if (resource.unique_reference && resource.reference.empty()) {
    problems.error(map.find("unique_reference")->span, "\"unique_reference\" needs \"reference\"");
  }
  return resource;
}

void read_resources(const Node& node, Api& api, Problems& problems) {
  if (!node.is_map() && !node.is_null()) {
    problems.error(node.span, "\"resources\" is a map: {bookings: {path: /v1/bookings}}");
    return;
  }
  for (const auto& [key, value] : node.members) {
    Resource resource = read_resource(key, value, problems);
    const auto same = [&](const Resource& other) { return other.path == resource.path; };
    const auto twin = std::find_if(api.resources.begin(), api.resources.end(), same);
    if (twin != api.resources.end()) {
      problems.error(key.span, fmt::format("\"{}\" has the same path: {}", twin->name, twin->path));
    }
    api.resources.push_back(std::move(resource));
  }
}

Route read_route(const Node& node, Problems& problems) {
  Route route;
  route.span = node.span;
  route.on = any_request(node.span);
  const MapView map(node, route_keys(), problems);
  map.require_keys();
  if (const Node* on = map.find("on")) route.on = read_matcher(*on, problems);
  if (const Node* status = map.find("status"); status != nullptr) {
    const auto* text = scalar_text(*status, "status", problems);
    const auto code = text == nullptr ? parse_status("200") : parse_status(*text);
    if (!code) {
      problems.error(status->span, code.error());
    } else if (*code < 200) {
      problems.error(status->span, "a 1xx status is no final answer: a route answers 200 to 599");
    } else {
      route.status = *code;
    }
  }
  map.fields("headers", route.headers);
  if (map.has("body") && map.has("json")) {
    problems.error(map.find("json")->span, "a route has \"body\" or \"json\", not both");
  } else if (map.has("body")) {
    route.body.emplace();
    map.text("body", *route.body);
  } else if (const Node* json = map.find("json")) {
    route.body = to_json(*json);
    route.json = true;
  }
  return route;
}

void read_routes(const Node& node, Api& api, Problems& problems) {
  if (!node.is_list() && !node.is_null()) {
    problems.error(node.span, "\"routes\" is a list: each route begins with a dash");
    return;
  }
  for (const Node& item : node.items) api.routes.push_back(read_route(item, problems));
}

void read_safe_posts(const Node& node, Api& api, Problems& problems) {
  if (!node.is_list() && !node.is_null()) {
    problems.error(node.span, "\"safe_posts\" is a list of paths");
    return;
  }
  for (const Node& item : node.items) {
    const auto* path = scalar_text(item, "safe_posts", problems);
    if (path != nullptr && check_path(*path, item.span, problems)) api.safe_posts.push_back(*path);
  }
}

void read_references(const Node& node, Api& api, Problems& problems) {
  if (!node.is_list() && !node.is_null()) {
    problems.error(node.span, "\"references\" is a list of names");
    return;
  }
  for (const Node& item : node.items) {
    const auto* name = scalar_text(item, "references", problems);
    if (name != nullptr) api.references.push_back(*name);
  }
}

void read_operation(const Node& node, Api& api, Problems& problems) {
  const MapView map(node, operation_keys(), problems);
  map.require_keys();
  map.text("from", api.operation_from);
  if (api.operation_from.empty()) return;
  const std::size_t blank = api.operation_from.find(' ');
  const std::string_view kind = std::string_view(api.operation_from).substr(0, blank);
  const bool one_name = blank != std::string::npos && blank + 1 < api.operation_from.size() &&
                        api.operation_from.find(' ', blank + 1) == std::string::npos;
  if ((kind == "header" || kind == "body") && one_name) return;
  problems.error(map.find("from")->span,
                 "an operation is named by \"header NAME\" or \"body NAME\"");
}

void read_limits(const Node& node, Api& api, Problems& problems) {
  const MapView map(node, limits_keys(), problems);
  map.size("target", api.limits.target);
  map.size("head", api.limits.head);
  map.size("body", api.limits.body);
  map.size("answer", api.limits.answer);
}

void read_auth(const Node& node, Api& api, Problems& problems) {
  std::string bearer;
  MapView(node, auth_keys(), problems).word("bearer", bearer);
  api.auth.required = bearer == "required";
  if (!api.auth.required || !api.upstream) return;
  problems.warning(node.span, "an upstream decides itself whom it lets in: \"auth\" says nothing");
}

}  // namespace

Api read_api(const ApiSource& source, Problems& problems) {
  const std::size_t errors_before = problems.errors();
  Api api;
  api.name = source.name;
  api.base = source.base;
  api.span = source.node.span;
  const MapView map(source.node, api_keys(), problems, OtherKeys::Allowed);
  if (const Node* node = map.find("resources")) read_resources(*node, api, problems);
  if (const Node* node = map.find("routes")) read_routes(*node, api, problems);
  map.yes_no("any_path", api.any_path);
  if (const Node* node = map.find("safe_posts")) read_safe_posts(*node, api, problems);
  if (const Node* node = map.find("references")) read_references(*node, api, problems);
  if (const Node* node = map.find("operation")) read_operation(*node, api, problems);
  if (const Node* node = map.find("tls")) api.tls = read_tls(*node, problems);
  if (const Node* node = map.find("intercept")) {
    api.intercept = read_intercepted(*node, problems);
  }
  if (const Node* node = map.find("upstream")) api.upstream = read_upstream(*node, problems);
  if (const Node* node = map.find("auth")) read_auth(*node, api, problems);
  if (const Node* node = map.find("limits")) read_limits(*node, api, problems);
  check_batches(api, problems);
  const bool answers =
      !api.resources.empty() || !api.routes.empty() || api.any_path || api.upstream;
  if (!answers && problems.errors() == errors_before) {
    problems.error(
        api.span,
        "this api answers nothing: it needs resources, routes, any_path: true or upstream");
  }
  return api;
}

}  // namespace mishap::scenarios
