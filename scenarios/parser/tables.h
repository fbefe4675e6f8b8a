#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The words of the language, once. The loader takes its known keys from here, json_schema() its
// properties, and the README its tables.
namespace mishap::scenarios {

// What may stand behind a key.
enum class Shape {
  VersionNumber,
  Text,
  Name,
  Texts,        // a list of texts
  YesNo,        // true, false
  WholeNumber,  // from 1
  Status,
  Time,  // a duration
  Size,  // bytes
  Rate,  // a percentage, or two
  Count,
  Word,  // one of `choices`
  PointName,
  PathPattern,
  PathPatterns,
  MatcherForm,  // "POST /x", any, or a map
  WhenMap,
  FaultForm,  // a name, or a map with `kind`
  ActionName,
  RuleList,
  DuringForm,
  ParamsMap,
  ApiForm,
  ApisMap,
  ApiBase,  // a shipped name or a path
  ResourcesMap,
  RouteList,
  IdempotencyForm,
  BatchForm,  // true, false, or a map
  OperationMap,
  AuthMap,
  LimitsMap,
  PhaseList,
  TimelineForm,  // a list of phases, or a map with it
  ClientMap,
  CommandForm,  // words, or a text
  DriveForm,    // a command, or a map with `request`
  CopiesForm,
  ThenMap,
  PromiseForm,  // the name of a profile, or a map
  ExpectMap,
  EffectCounts,
  StatusCounts,
  CallList,
  UpstreamForm,  // a URL, or a map with it
  TlsForm,       // true, false, or a map
  FieldMap,      // header fields
  TextMap,       // name -> text
  Json,          // anything
  SchemaMap,
  ItemList,
  VerbList,
  KnownList,  // known findings
  Glob,
  Day,             // 2027-01-31
  ProjectClient,   // a client with its promise
  ProjectClients,  // by name
};

struct KeySpec {
  std::string_view name;
  Shape shape;
  std::string_view type;          // in words, for people
  std::string_view default_text;  // empty: none; "required"
  std::string_view example;
  std::string_view help;
  std::string_view choices = {};  // Word: "a|b"

  bool required() const { return default_text == "required"; }
};

struct KeyTable {
  std::string_view id;     // "rule": the name in the JSON Schema
  std::string_view title;  // heading in the README
  std::string_view about;  // one line below it
  std::span<const KeySpec> keys;
};

const KeyTable& scenario_keys();
const KeyTable& api_keys();
const KeyTable& resource_keys();
const KeyTable& idempotency_keys();
const KeyTable& batch_keys();
const KeyTable& route_keys();
const KeyTable& operation_keys();
const KeyTable& auth_keys();
const KeyTable& limits_keys();
const KeyTable& rule_keys();
const KeyTable& matcher_keys();
const KeyTable& when_keys();
const KeyTable& timeline_keys();
const KeyTable& phase_keys();
const KeyTable& client_keys();
const KeyTable& drive_keys();
const KeyTable& copies_keys();
const KeyTable& then_keys();
const KeyTable& promise_keys();
const KeyTable& expect_keys();
const KeyTable& expected_call_keys();
const KeyTable& upstream_keys();
const KeyTable& tls_keys();
const KeyTable& known_file_keys();
const KeyTable& known_keys();
std::vector<const KeyTable*> all_key_tables();  // in the order of the README

// Of mishap.yaml, which is no part of a scenario.
const KeyTable& project_keys();
const KeyTable& project_client_keys();  // those of a client but `copies`, and `promise`

std::vector<std::string> key_names(const KeyTable& table);

// All tables as Markdown, what stands in scenarios/README.md between its markers.
std::string key_tables_markdown();
std::string key_table_markdown(const KeyTable& one);

// "a|b|c" -> {"a", "b", "c"}
std::vector<std::string> split_choices(std::string_view choices);

}  // namespace mishap::scenarios
