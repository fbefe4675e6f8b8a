#include "server/wire/proxy_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "mishap/host_name.h"

namespace mishap::server {
namespace {

constexpr Port kHttp = 80;

std::optional<Port> parse_port(std::string_view text) {
  Port port = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  if (text.empty() || error != std::errc() || rest != end || port == 0) return std::nullopt;
  return port;
}

// Names of hosts know no case (RFC 9110 section 4.2.3).
std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

const ProxyRoute* find_host(const std::vector<ProxyRoute>& routes, const std::string& host,
                            std::optional<Port> port) {
  const auto found = std::ranges::find_if(routes, [&](const ProxyRoute& route) {
    return std::ranges::any_of(route.hosts, [&](const scenarios::NamedHost& one) {
      return one.host == host && one.port == port;
    });
  });
  return found == routes.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Authority> parse_authority(std::string_view text, std::optional<Port> usual) {
  std::string_view host = text;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    rest = text.substr(colon);
  }
  if (host.empty()) return std::nullopt;
  if (rest.empty() && usual) return Authority{scenarios::comparable_host(host), *usual};
  if (!rest.starts_with(':')) return std::nullopt;
  const auto port = parse_port(rest.substr(1));
  if (!port) return std::nullopt;
  return Authority{scenarios::comparable_host(host), *port};
}

std::optional<ProxyRequest> read_proxy_request(std::string_view method, std::string_view target) {
  if (method == "CONNECT") {
    const auto wanted = parse_authority(target);
    if (!wanted) return std::nullopt;
    return ProxyRequest{*wanted, true};
  }
  constexpr std::string_view kScheme = "http://";
  if (in_small_letters(target.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  const std::string_view rest = target.substr(kScheme.size());
  const auto wanted = parse_authority(rest.substr(0, rest.find_first_of("/?")), kHttp);
  if (!wanted) return std::nullopt;
  return ProxyRequest{*wanted, false};
}

const ProxyRoute* ProxyTable::find(const Authority& wanted) const {
  const ProxyRoute* exact = find_host(routes_, wanted.host, wanted.port);
  return exact != nullptr ? exact : find_host(routes_, wanted.host, std::nullopt);
}

std::string ProxyTable::hosts() const {
  std::string all;
  for (const ProxyRoute& route : routes_) {
    for (const auto& host : route.hosts) all += (all.empty() ? "" : ", ") + host.text();
  }
  return all;
}

std::string to_string(const Authority& authority) {
  const bool is_six = authority.host.find(':') != std::string::npos;
  return is_six ? fmt::format("[{}]:{}", authority.host, authority.port)
                : fmt::format("{}:{}", authority.host, authority.port);
}

}  // namespace mishap::server
