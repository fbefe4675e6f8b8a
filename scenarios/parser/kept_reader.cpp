#include "scenarios/parser/kept_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace mishap::scenarios {
namespace {

constexpr std::size_t kMostPatterns = 20;
constexpr std::size_t kMostSensitive = 20;
// Shorter ones turn up in texts that have nothing to do with them.
constexpr std::size_t kShortestSensitive = 8;
constexpr std::size_t kLongestSensitive = 200;
constexpr std::string_view kState = "{state}/";

bool leads_upwards(std::string_view path) {
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return true;
    at = end + 1;
  }
  return false;
}

bool stays_inside(std::string_view path) {
  return !path.empty() && path.front() != '/' && path.find('\0') == std::string_view::npos &&
         !leads_upwards(path);
}

bool is_pattern(std::string_view text) {
  if (text.starts_with(kState)) text.remove_prefix(kState.size());
  return stays_inside(text) && text.find('{') == std::string_view::npos;
}

void read_logs(const MapView& map, Client& client, Problems& problems) {
  map.texts("logs", client.logs);
  const Node* list = map.find("logs");
  if (list == nullptr) return;
  if (client.logs.size() > kMostPatterns) {
    problems.error(list->span, fmt::format("there are at most {} patterns of logs", kMostPatterns));
  } else if (!std::ranges::all_of(client.logs, is_pattern)) {
    problems.error(list->span,
                   "a pattern of logs begins in the client's working folder, or with {state}/, and "
                   "stays there: '{state}/*.log'");
  }
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 40 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void read_sensitive(const Node& node, Client& client, Problems& problems) {
  if (!node.is_map() || node.members.size() > kMostSensitive) {
    problems.error(node.span, fmt::format("\"sensitive\" is a map of at most {} texts: "
                                          "{{mail: ann.7f3a@example.com}}",
                                          kMostSensitive));
    return;
  }
  for (const auto& [name, value] : node.members) {
    const std::string* text = scalar_text(value, name.text, problems);
    if (text == nullptr) continue;
    if (!is_name(name.text)) {
      problems.error(name.span, "such a text has a name of small letters, digits and \"_\"");
    } else if (text->size() < kShortestSensitive || text->size() > kLongestSensitive ||
               text->find('\0') != std::string::npos) {
      problems.error(value.span, fmt::format("a sensitive text has {} to {} characters",
                                             kShortestSensitive, kLongestSensitive));
    } else {
      client.sensitive.push_back({name.text, *text});
    }
  }
}

void read_file(const MapView& map, std::string_view key, std::string& out, Problems& problems) {
  map.text(key, out);
  const Node* node = map.find(key);
  if (node != nullptr && node->is_scalar() && !stays_inside(out)) {
    problems.error(node->span,
                   fmt::format("\"{}\" is a file of the state folder: {}.json", key, key));
    out.clear();
  }
}

}  // namespace

void read_kept(const MapView& map, Client& client, Problems& problems) {
  read_logs(map, client, problems);
  std::string format;
  map.word("log_format", format);
  client.json_logs = format == "json";
  if (const Node* node = map.find("sensitive")) read_sensitive(*node, client, problems);
  read_file(map, "dead_letters", client.dead_letters, problems);
  read_file(map, "telemetry", client.telemetry, problems);
}

}  // namespace mishap::scenarios
