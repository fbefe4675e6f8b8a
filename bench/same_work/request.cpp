#include "bench/same_work/request.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include <fmt/format.h>

namespace same_work {
namespace {

bool is_token_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_field_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

void refuse(Head& head, int status, std::string_view reason) {
  head.state = Head::State::Refused;
  head.status = status;
  head.reason = reason;
}

bool read_request_line(std::string_view line, const Limits& limits, Head& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || last == first) return false;
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(head.method) || head.target.find(' ') != std::string_view::npos) return false;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
  head.minor_version = version.back() - '0';
  head.keeps_alive = head.minor_version == 1;
  if (head.target.size() > limits.target) refuse(head, 414, "the target is too long");
  return true;
}

bool read_length(std::string_view value, std::size_t& length) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  return error == std::errc() && end == value.data() + value.size();
}

// What the fields say about framing and connection.
void heed_fields(const Limits& limits, Head& head) {
  bool has_length = false;
  for (const auto& [name, value] : head.fields) {
    if (equal_in_any_case(name, "content-length")) {
      std::size_t length = 0;
      if (!read_length(value, length) || (has_length && length != head.body)) {
        return refuse(head, 400, "the length of the body cannot be told");
      }
      has_length = true;
      head.body = length;
    } else if (equal_in_any_case(name, "transfer-encoding")) {
      return refuse(head, 501, "no transfer coding is known here");
    } else if (equal_in_any_case(name, "connection")) {
      if (equal_in_any_case(value, "close")) head.keeps_alive = false;
      if (equal_in_any_case(value, "keep-alive")) head.keeps_alive = true;
    }
  }
  if (head.body > limits.body) refuse(head, 413, "the body is too long");
}

// What a name of a field or of a parameter says about its value.
bool reads_like_a_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 20> kWhole = {
      "authorization", "proxy-authorization",
      "cookie",        "set-cookie",
      "x-api-key",     "x-auth",
      "x-session",     "dpop",
      "key",           "sig",
      "code",          "pass",
      "pwd",           "passwd",
      "auth",          "jwt",
      "session",       "sessionid",
      "sid",           "bearer"};
  static constexpr std::array<std::string_view, 9> kPart = {
      "token",  "secret",     "password",         "api-key",  "api_key",
      "apikey", "credential", "subscription-key", "signature"};
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::ranges::find(kWhole, lower) != kWhole.end() ||
         std::ranges::any_of(
             kPart, [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

// The same few names come with every request.
bool is_secret_name(std::string_view name) {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  constexpr std::size_t kMost = 1024;
  constexpr std::size_t kLongest = 64;
  static std::unordered_map<std::string, bool, Hash, std::equal_to<>> known;
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  const bool is_secret = reads_like_a_secret(name);
  if (known.size() < kMost && name.size() <= kLongest) known.emplace(name, is_secret);
  return is_secret;
}

std::string masked(std::string_view secret, std::string_view salt) {
  return fmt::format("xxh3:{:.12} length {}", text_of(print_of({salt, secret})), secret.size());
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

namespace dom = simdjson::dom;
using NamedElement = std::pair<std::string_view, dom::element>;

// In the order of their names; of those that occur twice the last.
std::vector<NamedElement> sorted_members(const dom::object& object) {
  std::vector<NamedElement> members;
  members.reserve(object.size());
  for (const auto& field : object) members.emplace_back(field.key, field.value);
  const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(members.begin(), members.end(), by_name);
  const auto is_same = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto kept = std::unique(members.rbegin(), members.rend(), is_same);
  members.erase(members.begin(), kept.base());
  return members;
}

void append_value(std::string& out, const dom::element& element);

void append_object(std::string& out, const dom::object& object) {
  char before = '{';
  for (const auto& [name, value] : sorted_members(object)) {
    out += std::exchange(before, ',');
    append_text(out, name);
    out += ':';
    append_value(out, value);
  }
  out += before == '{' ? "{}" : "}";
}

void append_array(std::string& out, const dom::array& array) {
  char before = '[';
  for (const dom::element item : array) {
    out += std::exchange(before, ',');
    append_value(out, item);
  }
  out += before == '[' ? "[]" : "]";
}

void append_number(std::string& out, auto number) {
  std::array<char, 32> digits;
  out.append(digits.data(),
             std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

void append_value(std::string& out, const dom::element& element) {
  switch (element.type()) {
    case dom::element_type::OBJECT:
      return append_object(out, element.get_object().value_unsafe());
    case dom::element_type::ARRAY:
      return append_array(out, element.get_array().value_unsafe());
    case dom::element_type::STRING:
      return append_text(out, element.get_string().value_unsafe());
    case dom::element_type::INT64:
      return append_number(out, element.get_int64().value_unsafe());
    case dom::element_type::UINT64:
      return append_number(out, element.get_uint64().value_unsafe());
    case dom::element_type::DOUBLE:
      return append_number(out, element.get_double().value_unsafe());
    case dom::element_type::BOOL:
      out += element.get_bool().value_unsafe() ? "true" : "false";
      return;
    case dom::element_type::NULL_VALUE:
      break;
  }
  out += "null";
}

std::string_view type_of(const dom::element& element) {
  switch (element.type()) {
    case dom::element_type::OBJECT:
      return "object";
    case dom::element_type::ARRAY:
      return "array";
    case dom::element_type::STRING:
      return "string";
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
      return "integer";
    case dom::element_type::DOUBLE:
      return "number";
    case dom::element_type::BOOL:
      return "boolean";
    case dom::element_type::NULL_VALUE:
      break;
  }
  return "null";
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_-.[]").find(c) != std::string_view::npos;
  });
}

}  // namespace

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view Head::field(std::string_view name) const {
  for (const auto& [own, value] : fields) {
    if (equal_in_any_case(own, name)) return value;
  }
  return {};
}

void read_head(std::string_view bytes, const Limits& limits, Head& head) {
  head.state = Head::State::NeedMore;
  head.fields.clear();
  head.body = 0;
  const std::size_t blank = bytes.substr(0, limits.head).find("\r\n\r\n");
  if (blank == std::string_view::npos) {
    if (bytes.size() >= limits.head) refuse(head, 431, "the head is too long");
    return;
  }
  head.state = Head::State::Whole;
  head.size = blank + 4;
  std::string_view rest = bytes.substr(0, blank + 2);
  std::size_t end = rest.find("\r\n");
  if (!read_request_line(rest.substr(0, end), limits, head)) {
    return refuse(head, 400, "this is no request line");
  }
  for (rest.remove_prefix(end + 2); !rest.empty(); rest.remove_prefix(end + 2)) {
    end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return refuse(head, 400, "a line is no field");
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (!is_token(line.substr(0, colon)) || !is_field_value(value)) {
      return refuse(head, 400, "a field has bytes that it may not have");
    }
    head.fields.emplace_back(line.substr(0, colon), value);
  }
  if (head.state == Head::State::Whole) heed_fields(limits, head);
}

Field kept_field(std::string_view name, std::string_view value, std::string_view salt) {
  constexpr std::size_t kMost = 2048;
  if (!is_secret_name(name)) return {std::string(name), std::string(value.substr(0, kMost)), false};
  const std::size_t space = value.find(' ');
  const bool has_scheme =
      space != std::string_view::npos && space <= 32 &&
      (equal_in_any_case(name, "authorization") || equal_in_any_case(name, "proxy-authorization"));
  std::string kept;
  if (has_scheme) {
    kept = value.substr(0, space + 1);
    value.remove_prefix(space + 1);
  }
  kept += masked(value, salt);
  return {std::string(name), std::move(kept), true};
}

std::string kept_target(std::string_view target, std::string_view salt) {
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) return std::string(target);
  std::string kept(target.substr(0, question));
  char before = '?';
  for (std::string_view rest = target.substr(question + 1); !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    kept += std::exchange(before, '&');
    if (equals != std::string_view::npos && is_secret_name(one.substr(0, equals))) {
      kept += one.substr(0, equals + 1);
      kept += text_of(print_of({salt, one.substr(equals + 1)}));
    } else {
      kept += one;
    }
  }
  return kept;
}

std::string decoded(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    plain += low >= 0 ? static_cast<char>(high * 16 + low) : text[i];
    if (low >= 0) i += 2;
  }
  return plain;
}

std::vector<std::pair<std::string, std::string>> query_of(std::string_view target) {
  std::vector<std::pair<std::string, std::string>> query;
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) return query;
  for (std::string_view rest = target.substr(question + 1); !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::size_t equals = std::min(one.find('='), one.size());
    query.emplace_back(decoded(one.substr(0, equals)),
                       decoded(one.substr(std::min(one.size(), equals + 1))));
  }
  return query;
}

Content ContentReader::read(std::string_view type, std::string_view body) {
  Content content;
  if (body.empty()) return content;
  content.kind = "other";
  content.canonical = body;
  const std::string_view media = trimmed(type.substr(0, type.find(';')));
  if (!equal_in_any_case(media, "application/json")) return content;
  dom::element root;
  if (parser_.parse(body.data(), body.size()).get(root) != simdjson::SUCCESS) {
    content.kind = "bad json";
    return content;
  }
  content.kind = "json";
  content.canonical.clear();
  dom::object object;
  content.is_object = root.get(object) == simdjson::SUCCESS;
  if (content.is_object) read_object(content, object);
  append_value(content.canonical, root);
  return content;
}

void ContentReader::read_object(Content& content, const dom::object& object) {
  constexpr std::size_t kMost = 64;
  std::string value;
  for (const auto& field : object) {
    value.clear();
    append_value(value, field.value);
    if (content.sketch.size() < kMost && is_plain_name(field.key)) {
      content.sketch.push_back({std::string(field.key), type_of(field.value)});
    }
    if (!field.value.is_object() && !field.value.is_array()) {
      content.prints.push_back(print_of({field.key, value}).low);
    }
    if (field.key == "reference" && field.value.is_string()) {
      content.reference = field.value.get_string().value_unsafe();
    }
    if (field.key == "id") continue;
    if (!content.members.empty()) content.members += ',';
    append_text(content.members, field.key);
    content.members += ':';
    content.members += value;
  }
}

}  // namespace same_work
