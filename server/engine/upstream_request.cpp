#include "server/engine/upstream_request.h"

#include <algorithm>
#include <array>

namespace mishap::server {
namespace {

// RFC 9110 section 7.6.1, and Proxy-Connection, which is older than it.
constexpr std::array<std::string_view, 7> kOfOneConnection = {
    "Connection", "Proxy-Connection",  "Keep-Alive", "TE",
    "Trailer",    "Transfer-Encoding", "Upgrade"};

// Credentials for a proxy are nobody's business behind it, and the body that was expected is here.
constexpr std::array<std::string_view, 2> kEndHere = {"Proxy-Authorization", "Expect"};

bool is_among(std::string_view name, const auto& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& one) { return equal_ignoring_case(name, one); });
}

// What "Connection: close, X-Hop" names.
std::vector<std::string> named_by_connection(const std::vector<NameValue>& fields) {
  std::vector<std::string> names;
  for (const NameValue& field : fields) {
    if (!equal_ignoring_case(field.name, "Connection")) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      std::string_view word = rest.substr(0, comma);
      while (word.starts_with(' ') || word.starts_with('\t')) word.remove_prefix(1);
      while (word.ends_with(' ') || word.ends_with('\t')) word.remove_suffix(1);
      if (!word.empty()) names.emplace_back(word);
      rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    }
  }
  return names;
}

// "http://host/a?b" -> "/a?b": whatever host a client writes there, the origin is the one that was
// configured.
std::string origin_form(const std::string& target) {
  if (target.starts_with('/')) return target;
  const std::size_t scheme_end = target.find("://");
  if (scheme_end == target.npos) return "/";
  const std::size_t path = target.find_first_of("/?", scheme_end + 3);
  if (path == target.npos) return "/";
  return target[path] == '?' ? "/" + target.substr(path) : target.substr(path);
}

bool is_dots(std::string_view segment) {
  std::string plain;
  for (std::size_t at = 0; at < segment.size();) {
    const bool is_coded = segment.substr(at, 2) == "%2" && at + 2 < segment.size() &&
                          (segment[at + 2] == 'e' || segment[at + 2] == 'E');
    plain += is_coded ? '.' : segment[at];
    at += is_coded ? 3 : 1;
  }
  return plain == "..";
}

// Below a base path ".." is resolved here (RFC 3986 section 5.2.4), so that no path leads out of
// it; all else goes as it was sent.
std::string below_base(const std::string& target) {
  const std::string_view whole = target;
  const std::string_view path = whole.substr(0, std::min(whole.find('?'), whole.size()));
  std::vector<std::string_view> kept;
  bool climbs = false;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view segment = path.substr(at, end - at);
    if (!is_dots(segment)) {
      kept.push_back(segment);
    } else {
      climbs = true;
      if (!kept.empty()) kept.pop_back();
    }
    at = end + 1;
  }
  if (!climbs) return target;
  std::string resolved;
  for (const std::string_view segment : kept) resolved.append("/").append(segment);
  return (resolved.empty() ? "/" : resolved) + std::string(whole.substr(path.size()));
}

class Fields {
 public:
  Fields(const scenarios::Upstream& upstream, std::size_t length, bool plain)
      : upstream_(upstream), length_(std::to_string(length)), plain_(plain) {}

  void add(const NameValue& field) {
    if (equal_ignoring_case(field.name, "Host")) {
      replace(has_host_, {field.name, upstream_.authority});
    } else if (equal_ignoring_case(field.name, "Content-Length")) {
      replace(has_length_, {field.name, length_});
    } else if (equal_ignoring_case(field.name, "Transfer-Encoding")) {
      replace(has_length_, {"Content-Length", length_});
    } else if (plain_ && equal_ignoring_case(field.name, "Accept-Encoding")) {
      replace(has_coding_, {field.name, "identity"});
    } else {
      fields_.push_back(field);
    }
  }

  std::vector<NameValue> take(bool needs_length) {
    if (!has_host_) fields_.insert(fields_.begin(), {"Host", upstream_.authority});
    if (plain_ && !has_coding_) fields_.push_back({"Accept-Encoding", "identity"});
    if (needs_length && !has_length_) fields_.push_back({"Content-Length", length_});
    fields_.push_back({"Connection", "close"});
    return std::move(fields_);
  }

 private:
  // In the place of the first; there is none after it.
  void replace(bool& is_there, NameValue field) {
    if (!is_there) fields_.push_back(std::move(field));
    is_there = true;
  }

  const scenarios::Upstream& upstream_;
  std::string length_;
  bool plain_;
  bool has_host_ = false;
  bool has_length_ = false;
  bool has_coding_ = false;
  std::vector<NameValue> fields_;
};

}  // namespace

std::vector<NameValue> end_to_end(const std::vector<NameValue>& fields) {
  const std::vector<std::string> named = named_by_connection(fields);
  std::vector<NameValue> kept;
  for (const NameValue& field : fields) {
    // Host and length are not for a sender to take away.
    const bool is_needed = equal_ignoring_case(field.name, "Host") ||
                           equal_ignoring_case(field.name, "Content-Length");
    const bool ends = is_among(field.name, kOfOneConnection) || is_among(field.name, named);
    if (is_needed || !ends) kept.push_back(field);
  }
  return kept;
}

UpstreamRequest upstream_request(const scenarios::Upstream& upstream, const RequestView& view,
                                 const std::string& sent_target, std::string body, bool plain) {
  UpstreamRequest request;
  request.api = view.api;
  request.method = view.method;
  const std::string target = origin_form(sent_target);
  request.target = upstream.base_path.empty() ? target : upstream.base_path + below_base(target);
  const std::vector<std::string> named = named_by_connection(view.headers);
  Fields fields(upstream, body.size(), plain);
  for (const NameValue& field : view.headers) {
    const bool is_framing = equal_ignoring_case(field.name, "Transfer-Encoding") ||
                            equal_ignoring_case(field.name, "Content-Length") ||
                            equal_ignoring_case(field.name, "Host");
    const bool ends = is_among(field.name, kOfOneConnection) || is_among(field.name, kEndHere) ||
                      is_among(field.name, named);
    if (is_framing || !ends) fields.add(field);
  }
  request.headers = fields.take(!body.empty());
  request.body = std::move(body);
  return request;
}

}  // namespace mishap::server
