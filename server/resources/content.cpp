#include "server/resources/content.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mishap::server {
namespace {

// Deeper nesting is refused: writers of JSON recurse, and a client's bytes must not end the
// process.
constexpr int kMaxDepth = 200;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// "application/json; charset=utf-8" -> "application/json".
std::string media_type(std::string_view content_type) {
  return lower(trimmed(content_type.substr(0, content_type.find(';'))));
}

std::string boundary_of(std::string_view content_type) {
  const std::string lowered = lower(content_type);
  const std::size_t at = lowered.find("boundary=");
  if (at == std::string::npos) return {};
  std::string_view value = content_type.substr(at + 9);
  value = value.substr(0, value.find(';'));
  value = trimmed(value);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  return std::string(value);
}

bool too_deep(std::string_view json) {
  if (json.size() < 2 * std::size_t{kMaxDepth}) return false;  // what is opened is closed again
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

bool starts_like_json(std::string_view body) {
  const std::size_t at = body.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (body[at] == '{' || body[at] == '[');
}

void collect_members(Content& content) {
  if (!content.value->is_object()) return;
  content.members.reserve(content.value->size());
  for (const auto& [name, value] : content.value->items()) {
    if (value.is_primitive()) content.members.push_back({name, scalar_text(value)});
  }
}

// The text is needed for its fingerprint only, so that one is kept for all.
Fingerprint meaning_of(const JsonValue& value) {
  constexpr std::size_t kKept = 64 * 1024;
  thread_local std::string text;
  text = "json:";
  append_sorted_text(text, value);
  const Fingerprint print = fingerprint(text);
  if (text.capacity() > kKept) text = {};
  return print;
}

void take_json(Content& content, JsonValue value) {
  content.kind = Content::Kind::Json;
  content.meaning = meaning_of(value);
  content.value = std::make_shared<const JsonValue>(std::move(value));
  collect_members(content);
}

void read_json(Content& content, std::string_view body) {
  content.meaning = fingerprint_of({"no json", body});
  if (too_deep(body)) {
    content.kind = Content::Kind::BadJson;
    content.complaint = fmt::format("nested deeper than {} levels", kMaxDepth);
    return;
  }
  if (auto value = parse_json(body)) {
    take_json(content, std::move(*value));
  } else {
    content.kind = Content::Kind::BadJson;
    content.complaint = "the body is not JSON";
  }
}

void read_form_body(Content& content, std::string_view body) {
  content.kind = Content::Kind::Form;
  std::vector<NameValue> pairs = read_form(body);
  JsonValue value = JsonValue::object();
  for (const NameValue& pair : pairs) value[pair.name] = pair.value;
  content.value = std::make_shared<const JsonValue>(std::move(value));
  content.members = pairs;
  // A name that occurs twice keeps its order of values.
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const NameValue& a, const NameValue& b) { return a.name < b.name; });
  std::string text = "form:";
  for (const NameValue& pair : pairs) {
    text += fmt::format("{}:{}={}:{}&", pair.name.size(), pair.name, pair.value.size(), pair.value);
  }
  content.meaning = fingerprint(text);
}

// Every attempt of a multipart request has a boundary of its own; what it says is the same.
void read_multipart(Content& content, std::string_view content_type, std::string_view body) {
  content.kind = Content::Kind::Multipart;
  std::string text = "multipart:";
  const std::string boundary = boundary_of(content_type);
  std::string_view rest = body;
  while (!boundary.empty()) {
    const std::size_t at = rest.find(boundary);
    if (at == std::string_view::npos) break;
    text += rest.substr(0, at);
    text +=
        "\x01"
        "boundary";
    rest.remove_prefix(at + boundary.size());
  }
  text += rest;
  content.meaning = fingerprint(text);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

const std::string* Content::member(std::string_view name) const {
  for (const NameValue& found : members) {
    if (found.name == name) return &found.value;
  }
  return nullptr;
}

std::string percent_decoded(std::string_view text, bool plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low >= 0) {
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

std::vector<NameValue> read_form(std::string_view text) {
  std::vector<NameValue> pairs;
  while (!text.empty()) {
    const std::size_t ampersand = text.find('&');
    const std::string_view pair = text.substr(0, ampersand);
    if (!pair.empty()) {
      const std::size_t equals = pair.find('=');
      const std::string_view value =
          equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
      pairs.push_back(
          {percent_decoded(pair.substr(0, equals), true), percent_decoded(value, true)});
    }
    if (ampersand == std::string_view::npos) break;
    text.remove_prefix(ampersand + 1);
  }
  return pairs;
}

Content json_content(JsonValue value) {
  Content content;
  content.bytes = to_text(value).size();
  take_json(content, std::move(value));
  return content;
}

std::string scalar_text(const JsonValue& value) {
  return value.is_string() ? value.get<std::string>() : to_text(value);
}

Content read_content(std::string_view content_type, std::string_view body) {
  Content content;
  content.bytes = body.size();
  if (body.empty()) return content;
  const std::string type = media_type(content_type);
  const bool says_json = type == "application/json" || type.ends_with("+json");
  const bool says_form = type == "application/x-www-form-urlencoded";
  if (says_json) {
    read_json(content, body);
    return content;
  }
  if ((type.empty() || says_form) && starts_like_json(body)) {
    read_json(content, body);
    if (content.kind == Content::Kind::Json) return content;
    content = Content{};
    content.bytes = body.size();
  }
  if (says_form) {
    read_form_body(content, body);
  } else if (type.starts_with("multipart/")) {
    read_multipart(content, content_type, body);
  } else {
    content.kind = Content::Kind::Other;
    content.meaning = fingerprint_of({"bytes", body});
  }
  return content;
}

}  // namespace mishap::server
