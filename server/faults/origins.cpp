#include "server/faults/origins.h"

#include <optional>

namespace mishap::server {
namespace {

constexpr std::string_view kOwn = "{url}";
constexpr std::string_view kNamed = "{url_";

// Of a text that begins with "{url_NAME}".
std::optional<std::string_view> name_at(std::string_view text) {
  if (!text.starts_with(kNamed)) return std::nullopt;
  const std::size_t end = text.find('}');
  if (end == std::string_view::npos || end == kNamed.size()) return std::nullopt;
  return text.substr(kNamed.size(), end - kNamed.size());
}

}  // namespace

std::string with_origins(std::string_view text, const Origins& origins) {
  std::string out;
  while (!text.empty()) {
    const auto name = name_at(text);
    const auto found = name ? origins.all.find(std::string(*name)) : origins.all.end();
    if (text.starts_with(kOwn)) {
      out += origins.own;
      text.remove_prefix(kOwn.size());
    } else if (found != origins.all.end()) {
      out += found->second;
      text.remove_prefix(kNamed.size() + name->size() + 1);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

std::vector<std::string> origins_named_in(std::string_view text) {
  std::vector<std::string> names;
  for (; !text.empty(); text.remove_prefix(1)) {
    if (const auto name = name_at(text)) names.emplace_back(*name);
  }
  return names;
}

}  // namespace mishap::server
