#include "server/faults/table.h"

namespace mishap::server {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string_view kind_of(const ParamSpec& spec) {
  switch (spec.type) {
    case ParamType::Duration:
      return "duration";
    case ParamType::Bytes:
      return "bytes";
    case ParamType::Position:
      return "place";
    case ParamType::Percent:
      return "percent";
    case ParamType::Integer:
      return "integer";
    case ParamType::Number:
      return "number";
    case ParamType::Boolean:
      return "true or false";
    case ParamType::Status:
      return "status";
    case ParamType::Text:
      return "text";
    case ParamType::Choice:
      return spec.choices;
    case ParamType::Fields:
      return "fields";
    case ParamType::Any:
      return "any";
  }
  return "";
}

std::string param_text(const ParamSpec& spec) {
  std::string out = "`" + std::string(spec.name) + "` (" + escaped(kind_of(spec));
  if (spec.required) out += ", required";
  if (!spec.default_text.empty()) out += ", `" + std::string(spec.default_text) + "`";
  return out + "): " + escaped(spec.help);
}

std::string params_text(const FaultDescriptor& fault) {
  std::string out;
  for (const ParamSpec& spec : fault.params) {
    if (!out.empty()) out += "<br>";
    out += param_text(spec);
  }
  return out;
}

}  // namespace

std::string points_text(const FaultDescriptor& fault) {
  std::string out;
  for (const Point point : fault.points) {
    if (!out.empty()) out += ", ";
    out += scenarios::to_string(point);
    if (point == fault.points.front() && fault.points.size() > 1) out += " (default)";
  }
  return out;
}

std::string fault_table_markdown() {
  std::string out =
      "| fault | what the client meets | what causes it in production | at | parameters |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const FaultDescriptor* fault : fault_descriptors()) {
    out += "| `" + std::string(fault->name) + "`";
    if (!fault->action.empty()) out += "<br>do: `" + std::string(fault->action) + "`";
    out += " | " + escaped(fault->summary) + " | " + escaped(fault->stands_for) + " | " +
           points_text(*fault) + " | " + params_text(*fault) + " |\n";
  }
  return out;
}

}  // namespace mishap::server
