#include "server/resources/actions.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "server/resources/problem.h"

namespace mishap::server {
namespace {

using scenarios::Resource;
using scenarios::Verb;

SendAnswer json_answer(StatusCode status, std::string json) {
  return {status, {{"Content-Type", "application/json"}}, std::move(json), false};
}

Outcome refusal(StatusCode status, std::string_view type, std::string_view detail) {
  return {problem_answer(status, type, detail), std::nullopt, {}, false};
}

Outcome not_found(const Action& action) {
  Outcome outcome;
  outcome.answer = problem_answer(404, problems::kNotFound,
                                  fmt::format("{} has no {}", action.resource.name, action.id));
  return outcome;
}

// Refused before anything is done: bad JSON, or a type that a resource with a schema cannot read.
std::optional<Outcome> unreadable(const Action& action) {
  const Content& content = action.content;
  if (content.kind == Content::Kind::BadJson) {
    return refusal(400, problems::kBadJson, content.complaint);
  }
  if (action.schema == nullptr || content.value) return std::nullopt;
  if (content.kind == Content::Kind::None) {
    return refusal(400, problems::kBadJson, "a body is needed");
  }
  return refusal(415, problems::kMediaType,
                 "the body must be application/json or application/x-www-form-urlencoded");
}

std::optional<Outcome> refused_by_schema(const std::optional<std::string>& complaint) {
  if (!complaint) return std::nullopt;
  return refusal(422, problems::kInvalid, *complaint);
}

// A schema is about the body's own members, without the id.
std::optional<Outcome> unfit(const Action& action) {
  if (action.schema == nullptr) return std::nullopt;
  const Content& content = action.content;
  return refused_by_schema(
      action.schema->complaint(content.value ? *content.value : JsonValue::object()));
}

// The body as an item: its members with the id in front. What is no JSON object is kept as far as
// it can be told: a value, or the number of bytes.
std::string as_item(const Action& action, const std::string& id) {
  const Content& content = action.content;
  if (content.value && content.value->is_object()) {
    return text_with_id(action.resource.id_field, id, *content.value);
  }
  JsonValue item = JsonValue::object();
  if (content.value) {
    item["value"] = *content.value;
  } else if (content.kind != Content::Kind::None) {
    item["body_bytes"] = content.bytes;
  }
  return text_with_id(action.resource.id_field, id, item);
}

// That the body gives it. Where the id is the reference, it is the id.
std::string reference_in(const Action& action, const std::string& id) {
  const std::string& name = action.resource.reference;
  if (name.empty()) return {};
  if (name == action.resource.id_field) return id;
  const std::string* member = action.content.member(name);
  return member == nullptr ? std::string() : *member;
}

std::string escaped_segment(std::string_view segment) {
  std::string escaped;
  for (const char c : segment) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

// Paths of resources are decoded; slashes stay.
std::string location_of(const Resource& resource, std::string_view id) {
  std::string location;
  location.reserve(resource.path.size() + 1 + id.size());
  std::string_view rest = resource.path;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    location += escaped_segment(rest.substr(0, slash));
    if (slash == std::string_view::npos) break;
    location += '/';
    rest.remove_prefix(slash + 1);
  }
  if (!location.ends_with('/')) location += '/';
  return location + escaped_segment(id);
}

std::optional<Outcome> reference_conflict(const Collection& collection, const Action& action,
                                          const std::string& reference, std::string_view id) {
  if (!action.resource.unique_reference || reference.empty()) return std::nullopt;
  const Item* other = collection.find_reference(reference);
  if (other == nullptr || other->id == id) return std::nullopt;
  Outcome outcome;
  outcome.answer = problem_answer(
      409, problems::kReferenceTaken,
      fmt::format("{} {} is taken by {}", action.resource.reference, reference, other->id));
  return outcome;
}

Outcome keep(Collection& collection, const Action& action, Item item, EffectKind kind,
             StatusCode status) {
  Outcome outcome;
  outcome.answer = json_answer(status, item.json);
  if (kind == EffectKind::Created) {
    outcome.answer.headers.push_back({"Location", location_of(action.resource, item.id)});
  }
  outcome.shown = {item.id};
  outcome.change = Outcome::Change{kind, item.id, item.reference};
  collection.put(std::move(item));
  return outcome;
}

Outcome create(Collection& collection, const Action& action) {
  if (auto refused = unreadable(action)) return *refused;
  if (auto refused = unfit(action)) return *refused;
  const std::string given = reference_in(action, "");
  if (auto conflict = reference_conflict(collection, action, given, "")) return *conflict;
  const std::string id = collection.next_id(action.resource.id_prefix);
  return keep(collection, action, {id, reference_in(action, id), as_item(action, id)},
              EffectKind::Created, 201);
}

Outcome replace(Collection& collection, const Action& action) {
  if (auto refused = unreadable(action)) return *refused;
  if (auto refused = unfit(action)) return *refused;
  Item item{action.id, reference_in(action, action.id), as_item(action, action.id)};
  if (auto conflict = reference_conflict(collection, action, item.reference, action.id)) {
    return *conflict;
  }
  const bool known = collection.find(action.id) != nullptr;
  return keep(collection, action, std::move(item),
              known ? EffectKind::Replaced : EffectKind::Created, known ? 200 : 201);
}

std::string reference_of(const Resource& resource, const JsonValue& item) {
  if (resource.reference.empty()) return {};
  const auto member = item.find(resource.reference);
  return member != item.end() && member->is_primitive() ? scalar_text(*member) : std::string();
}

// RFC 7396 merges objects only; the vendor keeps what it cannot merge as it is.
Outcome patch(Collection& collection, const Action& action) {
  const Item* known = collection.find(action.id);
  if (known == nullptr) return not_found(action);
  if (auto refused = unreadable(action)) return *refused;
  JsonValue item = parse_json(known->json).value_or(JsonValue::object());
  if (action.content.value) {
    if (!action.content.value->is_object()) {
      return refusal(422, problems::kInvalid, "the body: must be an object");
    }
    item.merge_patch(*action.content.value);
  }
  JsonValue checked = item;
  checked.erase(action.resource.id_field);
  if (action.schema != nullptr) {
    if (auto refused = refused_by_schema(action.schema->complaint(checked))) return *refused;
  }
  item[action.resource.id_field] = action.id;
  Item patched{action.id, reference_of(action.resource, item), to_text(item)};
  if (auto conflict = reference_conflict(collection, action, patched.reference, action.id)) {
    return *conflict;
  }
  return keep(collection, action, std::move(patched), EffectKind::Patched, 200);
}

Outcome remove(Collection& collection, const Action& action) {
  const Item* known = collection.find(action.id);
  if (known == nullptr) return not_found(action);
  Outcome outcome;
  outcome.answer.status = 204;
  outcome.change = Outcome::Change{EffectKind::Deleted, action.id, known->reference};
  collection.remove(action.id);
  return outcome;
}

Outcome read(const Collection& collection, const Action& action) {
  const Item* known = collection.find(action.id);
  if (known == nullptr) return not_found(action);
  Outcome outcome;
  outcome.answer = json_answer(200, known->json);
  outcome.shown = {known->id};
  return outcome;
}

Outcome list(const Collection& collection, const Action& action) {
  const Page page = select(collection, action.query, action.resource.reference);
  Outcome outcome;
  std::string body = R"({"items":[)";
  for (const Item* item : page.items) {
    if (!outcome.shown.empty()) body += ',';
    body += item->json;
    outcome.shown.push_back(item->id);
  }
  body += fmt::format(R"(],"total":{}}})", page.total);
  outcome.answer = json_answer(200, std::move(body));
  return outcome;
}

Outcome dispatch(Collection& collection, const Action& action) {
  switch (action.verb) {
    case Verb::Create:
      return create(collection, action);
    case Verb::Read:
      return read(collection, action);
    case Verb::List:
      return list(collection, action);
    case Verb::Replace:
      return replace(collection, action);
    case Verb::Patch:
      return patch(collection, action);
    case Verb::Delete:
      return remove(collection, action);
  }
  return refusal(500, problems::kBlank, "no such verb");
}

}  // namespace

Outcome perform(Collection& collection, const Action& action) {
  Outcome outcome = dispatch(collection, action);
  outcome.answer.head_only = action.head_only;
  return outcome;
}

}  // namespace mishap::server
