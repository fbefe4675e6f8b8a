#include "server/control/guard.h"

#include <algorithm>

namespace mishap::server::control {
namespace {

bool is_port(std::string_view text) {
  return text.empty() || (text.front() == ':' && text.size() <= 6 &&
                          text.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

// "127.0.0.1:8099" -> "127.0.0.1", "[::1]:8099" -> "::1"; empty where it is no host and port.
std::string host_of(std::string_view authority) {
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    const bool is_whole = end != std::string_view::npos && is_port(authority.substr(end + 1));
    return is_whole ? std::string(authority.substr(1, end - 1)) : std::string();
  }
  const auto colon = std::min(authority.find(':'), authority.size());
  if (!is_port(authority.substr(colon))) return {};
  std::string_view host = authority.substr(0, colon);
  if (host.ends_with('.')) host.remove_suffix(1);
  return std::string(host);
}

std::string bare(const std::string& host) {
  return host.starts_with('[') ? host_of(host) : host;
}

bool is_known_host(const Doors& doors, const std::string& host) {
  return is_loopback(host) || std::ranges::any_of(doors.hosts, [&](const std::string& known) {
           return same_name(bare(known), host);
         });
}

std::size_t count_of(const Call& call, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      call.headers, [&](const NameValue& one) { return same_name(one.name, name); }));
}

// The time it takes says nothing of where two texts differ.
bool is_same_secret(std::string_view a, std::string_view b) {
  unsigned differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && !b.empty(); ++i) {
    differs |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i % b.size()]);
  }
  return differs == 0;
}

bool carries(const Call& call, const std::string& token) {
  constexpr std::string_view kScheme = "bearer ";
  const auto value = call.header("Authorization");
  if (value.size() <= kScheme.size()) return false;
  const std::string_view all = value;
  return same_name(all.substr(0, kScheme.size()), kScheme) &&
         is_same_secret(all.substr(kScheme.size()), token);
}

Problem wrong_host(const std::string& host) {
  return problem(421, "the Host \"" + host + "\" is not this server",
                 "call it by 127.0.0.1, [::1], localhost, or the name given with --advertise")
      .value();
}

Problem wrong_origin() {
  return problem(403, "the call comes from a web page of another origin",
                 "call the control API from a program, not from a page")
      .value();
}

Problem no_token() {
  return problem(401, "the call carries no valid credential",
                 "send Authorization: Bearer TOKEN, with the token of --token, "
                 "MISHAP_CONTROL_TOKEN, or the one that was printed at the start")
      .value();
}

}  // namespace

bool is_loopback(const std::string& address) {
  if (same_name(address, "localhost") || address == "::1") return true;
  // Digits and dots only: "127.0.0.1.example.com" is a name in somebody's hands.
  return address.starts_with("127.") &&
         address.find_first_not_of("0123456789.") == std::string::npos;
}

std::optional<Problem> turned_away(const Doors& doors, const Call& call) {
  const auto authority = call.header("Host");
  if (count_of(call, "Host") != 1) {
    return problem(400, "a call has one Host header").value();
  }
  if (doors.loopback && !is_known_host(doors, host_of(authority))) return wrong_host(authority);
  const auto origin = call.header("Origin");
  if (count_of(call, "Origin") > 1) return wrong_origin();
  if (!origin.empty() && !same_name(origin, "http://" + authority)) return wrong_origin();
  const bool is_health = call.method == "GET" && call.path == "/v1/health";
  if (!doors.token.empty() && !is_health && !carries(call, doors.token)) return no_token();
  return std::nullopt;
}

}  // namespace mishap::server::control
