#include "mishap/host_name.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "mishap/printable.h"

namespace mishap::scenarios {
namespace {

// RFC 1035 section 2.3.4.
constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestLabel = 63;

constexpr std::size_t kMostShown = 80;
constexpr std::string_view kWildcard = "*.";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_label_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kLongestLabel && label.front() != '-' &&
         label.back() != '-' && std::ranges::all_of(label, is_label_char);
}

std::string_view last_label(std::string_view name) {
  return name.substr(name.rfind('.') + 1);  // npos + 1 is 0
}

bool are_labels(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  for (;;) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    if (!is_label(name.substr(0, dot))) return false;
    if (dot == name.size()) return true;
    name.remove_prefix(dot + 1);
  }
}

bool is_address(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return text.find('\0') == std::string_view::npos &&
         ::inet_pton(family, std::string(text).c_str(), bytes.data()) == 1;
}

std::string quoted(std::string_view text) {
  return '"' + printable(text, kMostShown) + '"';
}

tl::unexpected<std::string> refused(std::string_view text, std::string_view why) {
  return tl::unexpected(quoted(text) + " " + std::string(why));
}

std::optional<Port> port_of(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  const auto value = parse_integer(text);
  if (!value || *value < 1 || *value > std::numeric_limits<Port>::max()) return std::nullopt;
  return static_cast<Port>(*value);
}

struct HostAndPort {
  std::string_view host;
  std::optional<std::string_view> port;
  bool has_brackets = false;
};

// A second colon without brackets is an IPv6 address's own (RFC 3986 section 3.2.2).
std::optional<HostAndPort> split(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && rest.front() != ':') return std::nullopt;
    return HostAndPort{
        text.substr(1, end - 1),
        rest.empty() ? std::nullopt : std::optional<std::string_view>(rest.substr(1)), true};
  }
  const std::size_t colon = text.find(':');
  const bool is_six = colon != std::string_view::npos && text.find(':', colon + 1) != text.npos;
  if (colon == std::string_view::npos || is_six) return HostAndPort{text, std::nullopt};
  return HostAndPort{text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

std::optional<std::string> why_no_certificate_name(std::string_view name) {
  if (name.find(':') != std::string_view::npos) {
    if (is_address(AF_INET6, name)) return std::nullopt;
    return quoted(name) + " is no IPv6 address (without brackets), and a certificate knows no port";
  }
  const std::string_view last = last_label(name);
  if (!last.empty() && std::ranges::all_of(last, is_digit)) {
    if (is_address(AF_INET, name)) return std::nullopt;
    return quoted(name) + " is no IPv4 address: four numbers from 0 to 255, as 10.0.0.7";
  }
  const bool has_wildcard = name.starts_with(kWildcard);
  const std::string_view labels = has_wildcard ? name.substr(kWildcard.size()) : name;
  const bool has_star = labels.find('*') != std::string_view::npos;
  if (has_star || (has_wildcard && labels.find('.') == std::string_view::npos)) {
    return quoted(name) +
           ": a \"*\" is the whole first label, above two others at least, as *.vendor.com";
  }
  if (are_labels(labels)) return std::nullopt;
  return quoted(name) +
         " is no name of a host and no address: labels of 1 to 63 letters, digits and \"-\" (not "
         "at an end), with dots between them";
}

std::string comparable_host(std::string_view host) {
  in6_addr address{};
  if (host.find('\0') == std::string_view::npos &&
      ::inet_pton(AF_INET6, std::string(host).c_str(), &address) == 1) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, &address, text.data(), text.size());
    return text.data();
  }
  std::string small(host);
  std::ranges::transform(small, small.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

std::string NamedHost::text() const {
  if (!port) return host;
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, *port)
                                             : fmt::format("[{}]:{}", host, *port);
}

tl::expected<NamedHost, std::string> read_named_host(std::string_view text) {
  if (text.find('/') != std::string_view::npos) {
    return refused(text, "is no name of a host: it stands alone, without a scheme or a path");
  }
  const auto parts = split(text);
  const bool is_six = parts && is_address(AF_INET6, parts->host);
  if (!parts || (parts->has_brackets && !is_six)) {
    return refused(text, "is no IPv6 address, as [::1] or [::1]:8443");
  }
  if (parts->host.find('*') != std::string_view::npos) {
    return refused(text, "is no one host: they are named one by one, without \"*\"");
  }
  if (auto why = why_no_certificate_name(parts->host)) return tl::unexpected(std::move(*why));
  NamedHost read{comparable_host(parts->host), std::nullopt};
  if (!parts->port) return read;
  read.port = port_of(*parts->port);
  if (!read.port) return refused(text, "has no port between 1 and 65535");
  return read;
}

}  // namespace mishap::scenarios
