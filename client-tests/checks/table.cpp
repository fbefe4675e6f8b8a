#include "client-tests/checks/table.h"

#include <fmt/format.h>

#include "client-tests/checks/check.h"

namespace mishap::client_tests {

namespace {

// A bar would end the cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string parameters_of(const CheckDescriptor& check) {
  std::string text;
  for (const auto& param : check.params) {
    if (!text.empty()) text += ", ";
    text += fmt::format("`{}: {}`", param.name, param.default_text);
  }
  return text;
}

}  // namespace

std::string check_table_markdown() {
  std::string table =
      "| check | proves | rule | judged | parameters | source |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const CheckDescriptor* check : check_descriptors()) {
    table += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", check->name, cell(check->summary),
                         cell(check->rule), cell(check->judged), cell(parameters_of(*check)),
                         cell(check->source));
  }
  return table;
}

}  // namespace mishap::client_tests
