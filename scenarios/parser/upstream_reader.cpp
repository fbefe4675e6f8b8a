#include "scenarios/parser/upstream_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "scenarios/parser/map_view.h"
#include "scenarios/parser/source_file.h"

namespace mishap::scenarios {
namespace {

constexpr Port kHttpPort = 80;
constexpr Port kHttpsPort = 443;
constexpr std::size_t kLongestUrl = 2048;

bool is_host_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
}

bool is_address_char(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == ':' || c == '.';
}

// RFC 3986: what may stand in a path as it is written.
bool is_path_char(char c) {
  constexpr std::string_view kMarks = "/-._~!$&'()*+,;=:@%";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || kMarks.find(c) != kMarks.npos;
}

// Takes a URL apart from left to right; each step says what is wrong, or nothing.
class UrlReader {
 public:
  explicit UrlReader(std::string_view text) : rest_(text) {}

  std::optional<std::string> read(Upstream& out) {
    if (rest_.size() > kLongestUrl) return "this URL is longer than 2048 bytes";
    for (const auto step :
         {&UrlReader::scheme, &UrlReader::host, &UrlReader::port, &UrlReader::path}) {
      if (auto wrong = (this->*step)(out)) return wrong;
    }
    return std::nullopt;
  }

 private:
  using Wrong = std::optional<std::string>;

  Wrong scheme(Upstream& out) {
    for (const bool tls : {false, true}) {
      const std::string_view scheme = tls ? "https://" : "http://";
      if (!rest_.starts_with(scheme)) continue;
      out.tls = tls;
      rest_.remove_prefix(scheme.size());
      return std::nullopt;
    }
    return "an upstream is a URL with http:// or https://";
  }

  Wrong host(Upstream& out) {
    const std::string_view authority = rest_.substr(0, rest_.find_first_of("/?#"));
    if (authority.find('@') != authority.npos) {
      return "no credentials in the URL: those of the client go with its requests";
    }
    if (rest_.starts_with('[')) return bracketed(out);
    const auto end = std::find_if_not(authority.begin(), authority.end(), is_host_char);
    out.host = std::string(authority.begin(), end);
    out.authority = out.host;
    rest_.remove_prefix(out.host.size());
    if (out.host.empty()) return "this URL has no host";
    return std::nullopt;
  }

  Wrong bracketed(Upstream& out) {
    const std::size_t end = rest_.find(']');
    const std::string_view inner = rest_.substr(1, end == rest_.npos ? end : end - 1);
    if (end == rest_.npos || inner.empty() ||
        !std::all_of(inner.begin(), inner.end(), is_address_char)) {
      return "an IPv6 address stands in brackets: http://[::1]:8080";
    }
    out.host = std::string(inner);
    out.authority = std::string(rest_.substr(0, end + 1));
    rest_.remove_prefix(end + 1);
    return std::nullopt;
  }

  Wrong port(Upstream& out) {
    const Port own = out.tls ? kHttpsPort : kHttpPort;
    out.port = own;
    if (!rest_.starts_with(':')) return std::nullopt;
    rest_.remove_prefix(1);
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out.port);
    if (error != std::errc() || out.port == 0) return "a port is a number from 1 to 65535";
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (out.port != own) out.authority += fmt::format(":{}", out.port);
    return std::nullopt;
  }

  Wrong path(Upstream& out) {
    if (rest_.find_first_of("?#") != rest_.npos) return "an upstream has no query and no fragment";
    if (!rest_.empty() && rest_.front() != '/') {
      return fmt::format("\"{}\" has no place in a host", rest_.substr(0, 1));
    }
    if (!std::all_of(rest_.begin(), rest_.end(), is_path_char)) {
      return "a sign in the path of this URL must be percent-encoded";
    }
    while (rest_.ends_with('/')) rest_.remove_suffix(1);
    out.base_path = std::string(rest_);
    return std::nullopt;
  }

  std::string_view rest_;
};

void read_ca(const Node& node, Upstream& upstream, Problems& problems) {
  if (scalar_text(node, "ca", problems) == nullptr) return;
  upstream.ca = path_beside(node);
  if (!upstream.tls) {
    problems.error(node.span, "\"ca\" says something only for https://");
    return;
  }
  const auto source = read_source(upstream.ca);
  if (!source) {
    problems.error(node.span, source.error());
  } else if ((*source)->text.find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
    problems.error(node.span, fmt::format("{} holds no certificate in PEM form", upstream.ca));
  }
}

void read_url(const Node& node, Upstream& upstream, Problems& problems) {
  const auto* text = scalar_text(node, "url", problems);
  if (text == nullptr) return;
  if (auto wrong = UrlReader(*text).read(upstream)) problems.error(node.span, std::move(*wrong));
}

void read_map(const Node& node, Upstream& upstream, Problems& problems) {
  const MapView map(node, upstream_keys(), problems);
  map.require_keys();
  if (const Node* url = map.find("url")) read_url(*url, upstream, problems);
  if (const Node* ca = map.find("ca")) read_ca(*ca, upstream, problems);
  std::optional<Duration> timeout;
  map.duration("timeout", timeout);
  if (timeout == Duration::zero()) {
    problems.error(map.find("timeout")->span, "an upstream needs some time, as 30s");
  }
  upstream.timeout = timeout.value_or(upstream.timeout);
}

}  // namespace

std::optional<Upstream> read_upstream(const Node& node, Problems& problems) {
  const std::size_t errors_before = problems.errors();
  Upstream upstream;
  upstream.span = node.span;
  if (node.is_map()) {
    read_map(node, upstream, problems);
  } else {
    read_url(node, upstream, problems);
  }
  if (problems.errors() != errors_before) return std::nullopt;
  return upstream;
}

}  // namespace mishap::scenarios
