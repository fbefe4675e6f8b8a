#include "server/control/call.h"

#include <algorithm>

namespace mishap::server::control {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string Call::header(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [&](const NameValue& one) { return same_name(one.name, name); });
  return found == headers.end() ? std::string() : found->value;
}

}  // namespace mishap::server::control
