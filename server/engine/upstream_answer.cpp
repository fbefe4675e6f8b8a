#include "server/engine/upstream_answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/engine/upstream_request.h"
#include "server/resources/content.h"
#include "server/resources/decoded.h"

namespace mishap::server {
namespace {

// Of what is read to find ids; a larger answer is passed on unread.
constexpr std::uint64_t kMostRead = 4 * 1024 * 1024;

const std::string* field_of(const std::vector<NameValue>& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const NameValue& field) {
    return equal_ignoring_case(field.name, name);
  });
  return found == fields.end() ? nullptr : &found->value;
}

std::string value_of(const std::vector<NameValue>& fields, std::string_view name) {
  const std::string* value = field_of(fields, name);
  return value == nullptr ? std::string() : *value;
}

std::string id_of(const JsonValue& value, const std::string& id_field) {
  if (!value.is_object() || !value.contains(id_field)) return {};
  const JsonValue& id = value[id_field];
  return id.is_string() || id.is_number() ? scalar_text(id) : std::string();
}

void add_ids(const JsonValue& list, const std::string& id_field, std::vector<std::string>& ids) {
  if (!list.is_array()) return;
  for (const JsonValue& item : list) {
    if (std::string id = id_of(item, id_field); !id.empty()) ids.push_back(std::move(id));
  }
}

// A thing, a list of things, or a map that holds such a list under whatever name.
std::vector<std::string> ids_in(const JsonValue& value, const std::string& id_field) {
  std::vector<std::string> ids;
  if (std::string own = id_of(value, id_field); !own.empty()) ids.push_back(std::move(own));
  add_ids(value, id_field, ids);
  if (!value.is_object()) return ids;
  for (const auto& member : value.items()) add_ids(member.value(), id_field, ids);
  return ids;
}

std::string last_segment(std::string_view location) {
  location = location.substr(0, location.find_first_of("?#"));
  while (location.ends_with('/')) location.remove_suffix(1);
  const std::size_t slash = location.rfind('/');
  return slash == location.npos ? std::string()
                                : percent_decoded(location.substr(slash + 1), false);
}

// "https://Host:443/a/b" of this origin -> "/a/b"; nothing: it leads elsewhere.
std::optional<std::string_view> path_at(std::string_view location,
                                        const scenarios::Upstream& upstream) {
  if (location.starts_with('/') && !location.starts_with("//")) return location;
  const std::string_view scheme = upstream.tls ? "https://" : "http://";
  if (location.size() < scheme.size() ||
      !equal_ignoring_case(location.substr(0, scheme.size()), scheme)) {
    return std::nullopt;
  }
  location.remove_prefix(scheme.size());
  const std::size_t end = std::min(location.find_first_of("/?#"), location.size());
  const std::string_view authority = location.substr(0, end);
  const std::string port = ":" + std::to_string(upstream.port);
  const bool same = equal_ignoring_case(authority, upstream.authority) ||
                    equal_ignoring_case(authority, upstream.authority + port);
  if (!same) return std::nullopt;
  return location.substr(end);
}

std::string location_at_mock(const std::string& location, const scenarios::Upstream& upstream,
                             const std::string* mock_host) {
  const auto path = path_at(location, upstream);
  const std::string& base = upstream.base_path;
  if (!path || !path->starts_with(base)) return location;
  const std::string_view rest = path->substr(base.size());
  if (!rest.empty() && rest.find_first_of("/?#") != 0)
    return location;  // "/v22" is not below "/v2"
  const std::string relative = rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest);
  const bool was_absolute = !location.starts_with('/');
  return was_absolute && mock_host != nullptr ? "http://" + *mock_host + relative : relative;
}

bool is_true(const std::string& value) {
  return equal_ignoring_case(value, "true");
}

}  // namespace

UpstreamWords read_words(const UpstreamAnswer& answer, const std::string& id_field) {
  UpstreamWords words;
  // The words of two vendors for the same thing.
  words.replayed = is_true(value_of(answer.headers, "Idempotency-Replayed")) ||
                   is_true(value_of(answer.headers, "Idempotent-Replayed"));
  const auto body = decoded(value_of(answer.headers, "Content-Encoding"), answer.body, kMostRead);
  if (body && body->size() <= kMostRead) {
    const Content content = read_content(value_of(answer.headers, "Content-Type"), *body);
    if (content.kind == Content::Kind::Json && content.value) {
      words.id = id_of(*content.value, id_field);
      words.shown = ids_in(*content.value, id_field);
    }
  }
  if (words.id.empty()) words.id = last_segment(value_of(answer.headers, "Location"));
  return words;
}

SendAnswer answer_to_client(const UpstreamAnswer& answer, const scenarios::Upstream& upstream,
                            const std::string* mock_host, bool head_only) {
  SendAnswer out;
  out.status = answer.status;
  out.reason = answer.reason;
  out.body = answer.body;
  out.head_only = head_only;
  out.measured = true;
  bool has_length = answer.status == 204;  // has none (RFC 9110 section 8.6)
  std::vector<NameValue> fields = answer.headers;
  for (NameValue& field : fields) {
    // Chunks are put together: their length stands where they were announced. What a HEAD would
    // have got is told as it is.
    const bool is_chunked = equal_ignoring_case(field.name, "Transfer-Encoding");
    if (is_chunked && !head_only) field = {"Content-Length", ""};
    if (equal_ignoring_case(field.name, "Location")) {
      field.value = location_at_mock(field.value, upstream, mock_host);
    }
  }
  for (NameValue& field : end_to_end(fields)) {
    if (equal_ignoring_case(field.name, "Content-Length")) {
      if (has_length) continue;
      has_length = true;
    }
    out.headers.push_back(std::move(field));
  }
  return out;
}

void make_plain(SendAnswer& answer, std::uint64_t most) {
  const std::string coding = value_of(answer.headers, "Content-Encoding");
  if (coding.empty()) return;
  auto plain = decoded(coding, answer.body, most);
  if (!plain) return;
  answer.body = std::move(*plain);
  std::erase_if(answer.headers, [](const NameValue& field) {
    return equal_ignoring_case(field.name, "Content-Encoding");
  });
}

bool leaves_in_doubt(StatusCode status) {
  if (status >= 500 || status == 408) return true;
  return status / 100 == 3 && status != 301 && status != 307 && status != 308;
}

}  // namespace mishap::server
