#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/scenario.h"
#include "mishap/units.h"

namespace mishap::server {

class TlsServer;

// A host and a port, as a client names them to a proxy (RFC 9110 section 7.2).
struct Authority {
  std::string host;  // comparable (mishap/host_name.h), an IPv6 address without its brackets
  Port port = 0;
};

// "api.vendor.com:443", "[::1]:443"; where the port may be missing, `usual` stands in.
std::optional<Authority> parse_authority(std::string_view text, std::optional<Port> usual = {});

// What a request's target asks a proxy for.
struct ProxyRequest {
  Authority wanted;
  bool is_tunnel =
      false;  // CONNECT: bytes both ways; else plain HTTP for one request after another
};

// CONNECT in authority-form (RFC 9112 section 3.2.3), or any method with http:// in absolute-form
// (section 3.2.2); nothing: this is no request to a proxy.
std::optional<ProxyRequest> read_proxy_request(std::string_view method, std::string_view target);

// An api that stands in for hosts.
struct ProxyRoute {
  std::string api;
  scenarios::Limits limits;
  std::shared_ptr<TlsServer> tls;  // spoken in its tunnels
  std::vector<scenarios::NamedHost> hosts;
};

// The proxy of one lane.
class ProxyTable {
 public:
  ProxyTable(int lane, std::vector<ProxyRoute> routes) : lane_(lane), routes_(std::move(routes)) {}
  int lane() const { return lane_; }
  // Who was named with this port comes before who was named without one. Null: nobody stands in for
  // it.
  const ProxyRoute* find(const Authority& wanted) const;
  std::string hosts() const;  // all of them, for a message

 private:
  int lane_;
  std::vector<ProxyRoute> routes_;
};

std::string to_string(const Authority& authority);  // "api.vendor.com:443"

}  // namespace mishap::server
