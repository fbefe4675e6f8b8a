#include "server/faults/answer.h"

namespace mishap::server {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_named(const NameValue& field, std::string_view name) {
  return std::equal(field.name.begin(), field.name.end(), name.begin(), name.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

bool has_field(const std::vector<NameValue>& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(),
                     [name](const NameValue& field) { return is_named(field, name); });
}

void set_field(std::vector<NameValue>& fields, std::string_view name, std::string value) {
  std::erase_if(fields, [name](const NameValue& field) { return is_named(field, name); });
  fields.push_back({std::string(name), std::move(value)});
}

bool can_have_body(const SendAnswer& answer) {
  return answer.status >= 200 && answer.status != 204 && answer.status != 205 &&
         answer.status != 304;
}

}  // namespace mishap::server
