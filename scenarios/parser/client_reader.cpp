#include "scenarios/parser/client_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mishap/line_pattern.h"
#include "mishap/local_url.h"
#include "mishap/nearest_word.h"
#include "scenarios/parser/kept_reader.h"
#include "scenarios/parser/map_view.h"

namespace mishap::scenarios {
namespace {

// "{url}" without quotes is a map with the one key "url" and no value.
bool is_bare_template(const Node& node) {
  return node.is_map() && node.members.size() == 1 && node.members.front().second.is_null();
}

const std::string* text_of(const Node& node, std::string_view what, Problems& problems) {
  if (is_bare_template(node)) {
    const std::string& name = node.members.front().first.text;
    problems.error(node.span, fmt::format("YAML takes \"{{{0}}}\" for a map: write it in quotes, "
                                          "'{{{0}}}'",
                                          name.substr(0, 60)));
    return nullptr;
  }
  const std::string* text = scalar_text(node, what, problems);
  if (text != nullptr && text->find('\0') != std::string::npos) {
    problems.error(node.span, fmt::format("\"{}\" holds a NUL byte", what));
    return nullptr;
  }
  return text;
}

void read_words(const Node& list, std::string_view what, CommandLine& out, Problems& problems) {
  CommandLine words;
  for (const Node& item : list.items) {
    const std::string* word = text_of(item, what, problems);
    if (word == nullptr) return;
    words.push_back(*word);
  }
  if (words.empty() || words.front().empty()) {
    problems.error(list.span, fmt::format("\"{}\" names no program", what));
  } else {
    out = std::move(words);
  }
}

void read_command(const Node& node, std::string_view what, CommandLine& out, Problems& problems) {
  if (node.is_list()) return read_words(node, what, out, problems);
  const std::string* text = text_of(node, what, problems);
  if (text == nullptr) return;
  out = command_of(*text);
  if (out.empty()) problems.error(node.span, fmt::format("\"{}\" names no program", what));
}

void read_command(const MapView& map, std::string_view key, CommandLine& out, Problems& problems) {
  if (const Node* node = map.find(key)) read_command(*node, key, out, problems);
}

void read_environment(const Node& node, std::vector<NameValue>& out, Problems& problems) {
  if (node.is_null()) return;
  if (!node.is_map()) {
    problems.error(node.span, "\"env\" is a map: {VENDOR_URL: '{url}'}");
    return;
  }
  for (const auto& [name, value] : node.members) {
    if (name.text.empty() || name.text.find('=') != std::string::npos) {
      problems.error(name.span, "the name of a variable is not empty and holds no \"=\"");
      continue;
    }
    const std::string nothing;
    const auto* text = value.is_null() ? &nothing : text_of(value, name.text, problems);
    if (text != nullptr) out.push_back({name.text, *text});
  }
}

// What stands for a port or for a URL, as an address that can be looked at before the run.
std::string sample_of(std::string text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSamples = {
      {{"{url}", "http://127.0.0.1:1"}, {"{port}", "1"}, {"{free_port}", "1"}}};
  for (const auto& [name, sample] : kSamples) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += sample.size()) {
      text.replace(at, name.size(), sample);
    }
  }
  // {url_pay}: of one of several apis.
  for (std::size_t at = 0; (at = text.find("{url_", at)) != std::string::npos; ++at) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) break;
    text.replace(at, end - at + 1, kSamples[0].second);
  }
  return text;
}

// The reason names what the user wrote, not the sample.
bool check_url(const std::string& url, const SourceSpan& span, Problems& problems) {
  const auto read = read_local_url(sample_of(url));
  if (read) return true;
  const std::size_t after_quote = read.error().find('"', 1) + 1;
  problems.error(span,
                 fmt::format("\"{}\"{}", url.substr(0, 200), read.error().substr(after_quote)));
  return false;
}

bool check_port(const std::string& text, const SourceSpan& span, Problems& problems) {
  const auto port = parse_integer(sample_of(text));
  if (port && *port >= 1 && *port <= 65535) return true;
  problems.error(span, "a port is a number up to 65535, or {free_port}: ready: port {free_port}");
  return false;
}

bool check_pattern(const std::string& text, const SourceSpan& span, Problems& problems) {
  const auto pattern = LinePattern::compile(text);
  if (!pattern) problems.error(span, pattern.error());
  return pattern.has_value();
}

std::string after(const std::string& text, std::string_view word) {
  const std::size_t at = text.find_first_not_of(' ', word.size());
  return at == std::string::npos ? std::string() : text.substr(at);
}

std::optional<Ready> ready_of(const Node& node, Problems& problems) {
  const std::string* text = text_of(node, "ready", problems);
  if (text == nullptr) return std::nullopt;
  Ready ready{Ready::Kind::Url, *text, node.span};
  if (text->starts_with("port ")) {
    ready = {Ready::Kind::Port, after(*text, "port"), node.span};
    if (check_port(ready.text, node.span, problems)) return ready;
  } else if (text->starts_with("log ")) {
    ready = {Ready::Kind::Log, after(*text, "log"), node.span};
    if (check_pattern(ready.text, node.span, problems)) return ready;
  } else if (text->starts_with("http") || text->starts_with("{url}")) {
    if (check_url(*text, node.span, problems)) return ready;
  } else {
    problems.error(node.span,
                   "\"ready\" is a URL (http://127.0.0.1:{free_port}/health), a port (port 3000) "
                   "or a line of its output (log listening on)");
  }
  return std::nullopt;
}

bool is_method(std::string_view text) {
  return !text.empty() && text.size() <= 20 &&
         std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

// 'POST http://127.0.0.1:{free_port}/orders'
bool read_request(const std::string& text, const SourceSpan& span, Drive& drive,
                  Problems& problems) {
  const std::size_t blank = std::min(text.find(' '), text.size());
  drive.method = text.substr(0, blank);
  drive.url = after(text, drive.method);
  if (is_method(drive.method) && !drive.url.empty()) return check_url(drive.url, span, problems);
  problems.error(span,
                 "a request is a method and a URL: 'POST http://127.0.0.1:{free_port}/orders'");
  return false;
}

bool read_request_map(const Node& node, Drive& drive, Problems& problems) {
  const MapView map(node, drive_keys(), problems);
  map.require_keys();
  const Node* request = map.find("request");
  if (request == nullptr) return false;
  const std::string* text = text_of(*request, "request", problems);
  if (text == nullptr || !read_request(*text, request->span, drive, problems)) return false;
  map.fields("headers", drive.headers);
  map.text("body", drive.body);
  const Node* json = map.find("json");
  if (json != nullptr && map.has("body")) {
    problems.error(json->span, "a request has \"body\" or \"json\", not both");
  } else if (json != nullptr) {
    drive.body = to_json(*json);
    drive.json = true;
  }
  return true;
}

bool looks_like_a_request(const CommandLine& command) {
  return command.size() == 2 && is_method(command[0]) && command[1].starts_with("http");
}

std::optional<Drive> drive_of(const Node& node, Problems& problems) {
  Drive drive;
  drive.span = node.span;
  if (node.is_map() && !is_bare_template(node)) {
    if (read_request_map(node, drive, problems)) return drive;
    return std::nullopt;
  }
  read_command(node, "drive", drive.command, problems);
  if (looks_like_a_request(drive.command)) {
    problems.error(node.span, fmt::format("a request is a map: drive: {{request: '{} {}'}}",
                                          drive.command[0], drive.command[1].substr(0, 200)));
    return std::nullopt;
  }
  if (drive.command.empty()) return std::nullopt;
  return drive;
}

std::optional<Duration> some_time(const std::string& text, const SourceSpan& span,
                                  Problems& problems) {
  const auto value = parse_duration(text);
  if (!value) {
    problems.error(span, value.error());
    return std::nullopt;
  }
  return *value;
}

std::optional<Until> until_of(const Node& node, Problems& problems) {
  const std::string* text = text_of(node, "until", problems);
  if (text == nullptr) return std::nullopt;
  if (*text == "drive ends") return Until{};
  if (!text->starts_with("quiet ")) {
    problems.error(node.span, "\"until\" is \"drive ends\", or \"quiet\" and a time: quiet 3s");
    return std::nullopt;
  }
  const auto quiet = some_time(after(*text, "quiet"), node.span, problems);
  if (!quiet) return std::nullopt;
  if (*quiet <= Duration::zero()) {
    problems.error(node.span, "a quiet time is longer than nothing: quiet 3s");
    return std::nullopt;
  }
  return Until{quiet};
}

std::optional<StopOrder> stop_of(const Node& node, Problems& problems) {
  const std::string* text = text_of(node, "stop", problems);
  if (text == nullptr) return std::nullopt;
  const std::size_t blank = std::min(text->find(' '), text->size());
  StopOrder order;
  order.signal = text->substr(0, blank);
  const auto& known = stop_signals();
  if (std::ranges::find(known, order.signal) == known.end()) {
    problems.error(node.span, "stop: " + unknown_word("signal", order.signal, known));
    return std::nullopt;
  }
  if (blank == text->size()) return order;
  const auto grace = some_time(after(*text, order.signal), node.span, problems);
  if (!grace) return std::nullopt;
  order.grace = *grace;
  return order;
}

void read_patience(const MapView& map, Client& client, Problems& problems) {
  for (const auto& [key, out] : {std::pair{"ready_within", &client.ready_within},
                                 std::pair{"kill_after", &client.kill_after}}) {
    map.duration(key, *out);
    if (map.has(key) && *out && **out <= Duration::zero()) {
      problems.error(map.find(key)->span, fmt::format("\"{}\" is longer than nothing", key));
    }
  }
}

void refuse_keys_of_a_service(const MapView& map, Problems& problems) {
  for (const std::string_view key : {"ready", "drive", "until", "stop", "ready_within"}) {
    const Node* node = map.find(key);
    if (node == nullptr) continue;
    problems.error(node->span,
                   fmt::format("a client of kind command has no \"{}\": it ends by itself", key));
  }
}

void read_service(const MapView& map, Client& client, Problems& problems) {
  if (const Node* node = map.find("ready")) client.ready = ready_of(*node, problems);
  if (const Node* node = map.find("drive")) client.drive = drive_of(*node, problems);
  if (const Node* node = map.find("until")) client.until = until_of(*node, problems);
  if (const Node* node = map.find("stop")) client.stop = stop_of(*node, problems);
}

}  // namespace

std::optional<Then> read_then(const Node& node, Problems& problems) {
  constexpr std::int64_t kMostTimes = 5;
  Then then;
  then.span = node.span;
  const MapView map(node, then_keys(), problems);
  if (!node.is_map()) return std::nullopt;
  read_command(map, "run", then.run, problems);
  std::optional<std::int64_t> times;
  map.number("times", kMostTimes, times);
  if (times) then.times = static_cast<int>(*times);
  return then;
}

void read_client_plan(const Node& node, Client& client, Problems& problems, CopiesKey copies) {
  const MapView map(node, client_keys(), problems);
  if (!node.is_map()) return;
  client.span = node.span;
  std::string kind;
  map.word("kind", kind);
  if (kind == "command") {
    client.kind = Client::Kind::Command;
    refuse_keys_of_a_service(map, problems);
  } else {
    if (kind == "service") client.kind = Client::Kind::Service;
    read_service(map, client, problems);
  }
  read_command(map, "command", client.command, problems);
  read_command(map, "before", client.before, problems);
  read_command(map, "after", client.after, problems);
  if (const Node* env = map.find("env")) read_environment(*env, client.environment, problems);
  read_command(map, "replay", client.replay, problems);
  read_patience(map, client, problems);
  read_kept(map, client, problems);
  if (copies == CopiesKey::Refused && map.has("copies")) {
    problems.error(map.find("copies")->span, "\"copies\" is said by a scenario, not here");
  }
}

void check_whole_client(const Client& client, Problems& problems) {
  if (client.command.empty()) return;
  if (auto missing = what_is_missing(client); !missing.empty()) {
    problems.error(client.span, std::move(missing));
  }
}

}  // namespace mishap::scenarios
