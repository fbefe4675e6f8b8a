#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client-tests/starter/path_shape.h"
#include "client-tests/starter/starter_api.h"
#include "client-tests/starter/yaml_text.h"

namespace mishap::client_tests {
namespace {

// "/v1/orders" -> "orders"; a name that is taken gets a number.
std::string name_of(const StarterResource& resource, std::vector<std::string>& taken) {
  std::string name;
  for (const auto& segment : segments_of(resource.path)) {
    if (!is_prefix_word(segment)) name += (name.empty() ? "" : "-") + segment;
  }
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_';
  };
  std::ranges::replace_if(
      name, [&](char c) { return !plain(c); }, '_');
  name = name.substr(0, 80);
  const std::string first = name;
  for (int i = 2; std::ranges::find(taken, name) != taken.end(); ++i) {
    name = fmt::format("{}-{}", first, i);
  }
  taken.push_back(name);
  return name;
}

// In the order of the language, not of the alphabet.
std::vector<std::string> verbs_of(const StarterResource& resource) {
  std::vector<std::string> verbs;
  for (const char* verb : {"create", "read", "list", "replace", "patch", "delete"}) {
    if (resource.verbs.contains(verb)) verbs.emplace_back(verb);
  }
  return verbs;
}

std::string schema_text(const StarterResource& resource) {
  std::string text =
      "    schema:                    # what its bodies looked like\n      type: object\n";
  std::vector<std::string> always;
  std::string properties;
  for (const auto& member : resource.members) {
    if (member.always) always.push_back(yaml_word(member.name));
    properties += member.type.empty() ? fmt::format("        {}: {{}}\n", yaml_word(member.name))
                                      : fmt::format("        {}: {{type: {}}}\n",
                                                    yaml_word(member.name), member.type);
  }
  if (!always.empty()) text += fmt::format("      # required: [{}]\n", fmt::join(always, ", "));
  return properties.empty() ? "" : text + "      properties:\n" + properties;
}

std::string resource_text(const StarterResource& resource, std::vector<std::string>& taken) {
  std::string text =
      fmt::format("  {}:\n    path: {}\n    verbs: [{}]\n", yaml_word(name_of(resource, taken)),
                  yaml_word(resource.path), fmt::join(verbs_of(resource), ", "));
  if (!resource.reference.empty()) {
    text += resource.reference_is_sure
                ? fmt::format("    reference: {}\n", yaml_word(resource.reference))
                : fmt::format("    # reference: {}   # if it is another one for each create\n",
                              yaml_word(resource.reference));
  }
  if (!resource.key_header.empty()) {
    text += fmt::format("    idempotency: {{header: {}}}\n", yaml_word(resource.key_header));
  }
  if (!resource.ids.empty()) {
    text +=
        "    items:                     # asked for by id; add what your client reads of them\n";
    for (const auto& id : resource.ids) text += fmt::format("      - {{id: {}}}\n", yaml_text(id));
  }
  if (resource.has_schema) text += schema_text(resource);
  return text;
}

std::string routes_text(const StarterApi& api) {
  std::string text = "\nroutes:\n";
  for (const auto& route : api.routes) {
    const std::string why = route.why.empty() ? "" : "   # " + route.why;
    text +=
        fmt::format("  - on: {} {}{}\n    json: {}\n", route.method, route.path, why, route.json);
  }
  return text;
}

// What cannot be seen from outside: what the client wants to read in an answer.
std::string hints(const StarterApi& api) {
  std::string text;
  if (!api.first_token.empty()) {
    text += fmt::format(
        "# The client called {}: the route below gives it a token. Where the vendor insists on\n"
        "# one that mishap knows, use auth: {{bearer: required}} and give the client "
        "MISHAP_TOKEN.\n",
        api.first_token);
  }
  for (const auto& resource : api.resources) {
    if (!resource.verbs.contains("create")) continue;
    text += fmt::format(
        "# A create is answered 201 with its members and an id. If your client reads something "
        "else\n"
        "# (say data.id), it needs an answer of its own; effects of a route are not counted:\n"
        "#   routes: [{{on: POST {}, status: 201, json: {{data: {{id: x_1}}}}}}]\n",
        resource.path);
    break;
  }
  return text;
}

}  // namespace

std::string starter_text(const StarterApi& api, const std::string& usage) {
  std::string text =
      "# A starter for the vendor that this client talks to, written from the requests of its\n"
      "# healthy run: paths, names and types are what was seen, answers are guesses. Put right "
      "what\n"
      "# your vendor does otherwise (the keys: scenarios/README.md of mishap), then try\n";
  text += "#   " + usage + "\n" + hints(api);
  if (api.left_out) text += "# More was seen than a starter holds; the rest is left out.\n";
  text +=
      "mishap: 1\napi: starter\n\n"
      "# A client that stopped early has more to ask: what is not below is a collection for now.\n"
      "any_path: true\n";
  std::vector<std::string> taken;
  if (!api.resources.empty()) text += "\nresources:\n";
  for (const auto& resource : api.resources) text += resource_text(resource, taken);
  if (!api.routes.empty()) text += routes_text(api);
  if (!api.safe_posts.empty()) {
    text += "\nsafe_posts:                    # they only read\n";
    for (const auto& path : api.safe_posts) text += fmt::format("  - {}\n", yaml_word(path));
  }
  return text;
}

}  // namespace mishap::client_tests
