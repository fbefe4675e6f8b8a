#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "mishap/project.h"
#include "mishap/scenario.h"
#include "scenarios/parser/tables.h"

// JSON Schema (draft 2020-12) of the language for editors. It knows words, shapes and units; what
// depends on the rest of the file (names of phases, points of a fault) stays the loader's.
namespace mishap::scenarios {
namespace {

using Json = nlohmann::ordered_json;

Json reference(std::string_view definition) {
  return {{"$ref", "#/$defs/" + std::string(definition)}};
}

Json pattern(const char* expression) {
  return {{"type", "string"}, {"pattern", expression}};
}

Json any_of(std::initializer_list<Json> choices) {
  Json list = Json::array();
  for (const Json& choice : choices) list.push_back(choice);
  return {{"anyOf", std::move(list)}};
}

Json list_of(Json item) {
  return {{"type", "array"}, {"items", std::move(item)}};
}

Json map_of(Json value) {
  return {{"type", "object"}, {"additionalProperties", std::move(value)}};
}

Json words(std::string_view choices) {
  return {{"enum", split_choices(choices)}};
}

Json whole_number(int least) {
  return {{"type", "integer"}, {"minimum", least}};
}

// Scalars as people write them: a text may look like a number.
Json text() {
  return {{"type", {"string", "number", "boolean"}}};
}

const KeySpec& key_named(const KeyTable& table, std::string_view name) {
  return *std::ranges::find(table.keys, name, &KeySpec::name);
}

Json shape_of(const KeySpec& key) {
  switch (key.shape) {
    case Shape::VersionNumber:
      return {{"const", 1}};
    case Shape::Text:
      return text();
    case Shape::Name:
      return reference("name");
    case Shape::Texts:
      return list_of(text());
    case Shape::YesNo:
      return {{"type", "boolean"}};
    case Shape::WholeNumber:
      return whole_number(1);
    case Shape::Status:
      return reference("status");
    case Shape::Time:
      return reference("duration");
    case Shape::Size:
      return reference("bytes");
    case Shape::Rate:
      return reference("rate");
    case Shape::Count:
      return reference("count");
    case Shape::Word:
      return words(key.choices);
    case Shape::PointName:
      return {{"enum", point_names()}};
    case Shape::PathPattern:
      return reference("path");
    case Shape::PathPatterns:
      return list_of(reference("path"));
    case Shape::MatcherForm:
      return any_of({text(), reference("matcher")});
    case Shape::WhenMap:
      return reference("when");
    case Shape::FaultForm:
      return reference("fault");
    case Shape::ActionName:
      return text();
    case Shape::RuleList:
      return list_of(reference("rule"));
    case Shape::DuringForm:
      return text();
    case Shape::ParamsMap:
      return {{"type", "object"}};
    case Shape::ApiForm:
      return any_of({text(), reference("api")});
    case Shape::ApisMap:
      return map_of(any_of({text(), reference("api")}));
    case Shape::ApiBase:
      return text();
    case Shape::ResourcesMap:
      return map_of(reference("resource"));
    case Shape::RouteList:
      return list_of(reference("route"));
    case Shape::IdempotencyForm:
      return any_of({Json{{"enum", {"off", false}}}, reference("idempotency")});
    case Shape::BatchForm:
      return any_of({Json{{"type", "boolean"}}, reference("batch")});
    case Shape::OperationMap:
      return reference("operation");
    case Shape::AuthMap:
      return reference("auth");
    case Shape::LimitsMap:
      return reference("limits");
    case Shape::PhaseList:
      return list_of(reference("phase"));
    case Shape::TimelineForm:
      return any_of({list_of(reference("phase")), reference("timeline")});
    case Shape::ClientMap:
      return reference("client");
    case Shape::CommandForm:
      return any_of({text(), list_of(text())});
    case Shape::DriveForm:
      return any_of({text(), list_of(text()), reference("drive")});
    case Shape::CopiesForm:
      return any_of({whole_number(1), reference("copies")});
    case Shape::ThenMap:
      return reference("then");
    case Shape::PromiseForm:
      return any_of({words(key_named(promise_keys(), "profile").choices), reference("promise")});
    case Shape::ExpectMap:
      return reference("expect");
    case Shape::EffectCounts:
    case Shape::StatusCounts:
      return map_of(reference("count"));
    case Shape::CallList:
      return list_of(reference("expected_call"));
    case Shape::UpstreamForm:
      return any_of({text(), reference("upstream")});
    case Shape::TlsForm:
      return any_of({Json{{"type", "boolean"}}, reference("tls")});
    case Shape::FieldMap:
      return map_of(any_of({text(), list_of(text()), Json{{"type", "null"}}}));
    case Shape::TextMap:
      return map_of(any_of({text(), Json{{"type", "null"}}}));
    case Shape::Json:
      return Json(true);
    case Shape::SchemaMap:
      return {{"type", "object"}};
    case Shape::ItemList:
      return list_of({{"type", "object"}});
    case Shape::VerbList:
      return list_of(words("create|read|list|replace|patch|delete"));
    case Shape::KnownList:
      return list_of(reference("known"));
    case Shape::Glob:
      return pattern("^[A-Za-z0-9_.*?/-]{1,200}$");
    case Shape::Day:
      return pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$");
    case Shape::ProjectClient:
      return reference("project_client");
    case Shape::ProjectClients:
      return map_of(reference("project_client"));
  }
  return Json(true);
}

// Any value may be a parameter.
Json property(Json schema, std::string_view help) {
  Json out =
      schema == Json(true) ? Json::object() : any_of({std::move(schema), reference("param")});
  out["description"] = help;
  return out;
}

Json map_schema(const KeyTable& table) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const KeySpec& key : table.keys) {
    properties[std::string(key.name)] = property(shape_of(key), key.help);
    if (key.required()) required.push_back(key.name);
  }
  Json out = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) out["required"] = std::move(required);
  out["additionalProperties"] = false;
  return out;
}

Json param_shape(const ParamSpec& param) {
  switch (param.type) {
    case ParamType::Duration:
      return reference("duration");
    case ParamType::Bytes:
      return reference("bytes");
    case ParamType::Position:
      return reference("place");
    case ParamType::Percent:
      return reference("percent");
    case ParamType::Integer:
      return {{"type", "integer"}};
    case ParamType::Number:
      return {{"type", "number"}};
    case ParamType::Boolean:
      return {{"type", "boolean"}};
    case ParamType::Status:
      return reference("status");
    case ParamType::Text:
      return text();
    case ParamType::Choice:
      return words(param.choices);
    case ParamType::Fields:
      return map_of(any_of({text(), list_of(text()), Json{{"type", "null"}}}));
    case ParamType::Any:
      return Json(true);
  }
  return Json(true);
}

// A map with `first` keys of the language and then the entry's own parameters.
Json entry_map(Json properties, Json required, const CatalogueEntry& entry) {
  for (const ParamSpec& param : entry.params) {
    properties[std::string(param.name)] = property(param_shape(param), param.help);
    if (param.required) required.push_back(param.name);
  }
  Json out = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) out["required"] = std::move(required);
  out["additionalProperties"] = false;
  return out;
}

Json fault_schema(const std::vector<CatalogueEntry>& faults) {
  Json names = Json::array();
  Json choices = Json::array();
  for (const CatalogueEntry& fault : faults) {
    names.push_back(fault.name);
    Json kind = {{"const", fault.name}, {"description", fault.summary}};
    Json properties = {{"kind", std::move(kind)}, {"at", {{"enum", point_names()}}}};
    choices.push_back(entry_map(std::move(properties), Json::array({"kind"}), fault));
  }
  if (faults.empty()) return any_of({text(), Json{{"type", "object"}}});
  choices.insert(choices.begin(), Json{{"enum", std::move(names)}});
  return {{"anyOf", std::move(choices)}};
}

Json levels() {
  return {{"enum", {"required", "normal", "advisory"}}};
}

Json check_schema(const CatalogueEntry& check) {
  const Json off = {{"type", "object"},
                    {"properties", {{"off", {{"type", "string"}}}}},
                    {"required", {"off"}},
                    {"additionalProperties", false}};
  Json out = any_of({levels(), off, entry_map({{"level", levels()}}, Json::array(), check)});
  out["description"] = check.summary;
  return out;
}

Json expect_schema(const std::vector<CatalogueEntry>& checks) {
  Json out = map_schema(expect_keys());
  for (const CatalogueEntry& check : checks) {
    out["properties"][std::string(check.name)] = check_schema(check);
  }
  if (checks.empty()) out["additionalProperties"] = true;
  return out;
}

// {fault: ...} knows its keys; {at:, do:} holds the parameters of its action beside them.
Json rule_schema() {
  Json named = map_schema(rule_keys());
  Json action = named;
  named["properties"].erase("do");
  named["required"] = {"fault"};
  action["properties"].erase("fault");
  action["required"] = {"at", "do"};
  action["additionalProperties"] = true;
  return any_of({std::move(named), std::move(action)});
}

Json scenario_schema() {
  Json out = map_schema(scenario_keys());
  out["anyOf"] = Json::array({{{"required", {"api"}}}, {{"required", {"apis"}}}});
  return out;
}

void add_scalars(Json& defs) {
  defs["param"] = pattern("^\\$[a-z_][a-z0-9_]*$");
  defs["name"] = {{"type", {"string", "number"}},
                  {"pattern", "^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}$"}};
  defs["duration"] = pattern("^[0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h)$");
  defs["bytes"] = pattern("^[0-9]+(\\.[0-9]+)?(B|KiB|MiB|GiB)$");
  defs["percent"] = pattern("^[0-9]+(\\.[0-9]+)?%$");
  defs["rate"] = pattern("^[0-9]+(\\.[0-9]+)?%(\\.\\.[0-9]+(\\.[0-9]+)?%)?$");
  defs["place"] = pattern(
      "^([0-9]+(\\.[0-9]+)?(B|KiB|MiB|GiB|%)|(status line|last chunk|(header|chunk "
      "size|chunk|trailer) "
      "[1-9][0-9]*)( *\\+ *[0-9]+(\\.[0-9]+)?(B|KiB|MiB|GiB))?)$");
  defs["status"] = {{"type", "integer"}, {"minimum", 100}, {"maximum", 599}};
  defs["count"] = any_of({whole_number(0), pattern("^([0-9]+(\\.\\.[0-9]*)?|every [1-9][0-9]*)$")});
  defs["path"] = pattern("^(/.*|\\*)$");
}

}  // namespace

std::string json_schema(const std::vector<CatalogueEntry>& faults,
                        const std::vector<CatalogueEntry>& checks) {
  Json defs = Json::object();
  add_scalars(defs);
  for (const KeyTable* table : all_key_tables()) defs[std::string(table->id)] = map_schema(*table);
  defs["scenario"] = scenario_schema();
  defs["rule"] = rule_schema();
  defs["fault"] = fault_schema(faults);
  defs["expect"] = expect_schema(checks);
  const Json is_api = {{"anyOf",
                        {{{"required", {"resources"}}},
                         {{"required", {"routes"}}},
                         {{"required", {"any_path"}}},
                         {{"required", {"upstream"}}},
                         {{"required", {"from"}}}}}};
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", "mishap: a scenario, or an api"},
                       {"if", is_api},
                       {"then", reference("api")},
                       {"else", reference("scenario")},
                       {"$defs", std::move(defs)}};
  return schema.dump(2) + "\n";
}

// Without what only a scenario holds, and with what stands at the top.
std::string project_json_schema() {
  Json defs = Json::object();
  add_scalars(defs);
  for (const KeyTable* table : all_key_tables()) {
    const bool of_scenarios = table->id == "scenario" || table->id == "rule" ||
                              table->id == "expect" || table->id == "then";
    if (!of_scenarios) defs[std::string(table->id)] = map_schema(*table);
  }
  defs["project_client"] = map_schema(project_client_keys());
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "mishap.yaml"}};
  schema.update(map_schema(project_keys()));
  schema["$defs"] = std::move(defs);
  return schema.dump(2) + "\n";
}

}  // namespace mishap::scenarios
