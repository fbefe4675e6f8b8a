#include "mishap/local_url.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace mishap::scenarios {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::size_t kLongestUrl = 8 * 1024;

bool is_loopback(const std::string& host) {
  if (host == "localhost" || host == "::1") return true;
  in_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

tl::unexpected<std::string> refused(std::string_view text, std::string_view why) {
  return tl::unexpected(fmt::format("\"{}\" {}", text.substr(0, 200), why));
}

bool is_target(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

struct Authority {
  std::string host;
  std::string_view port;  // empty: not said
};

// "host:port" or "[::1]:port"
Authority split(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return {};
    return {std::string(text.substr(1, end - 1)), text.substr(end + 1)};
  }
  const std::size_t colon = std::min(text.find(':'), text.size());
  return {std::string(text.substr(0, colon)), text.substr(colon)};
}

}  // namespace

tl::expected<LocalUrl, std::string> read_local_url(const std::string& text) {
  const std::string_view whole = text;
  if (whole.starts_with("https://")) {
    return refused(whole, "is https: only http:// is spoken here, on this machine");
  }
  if (!whole.starts_with(kScheme)) return refused(whole, "is no URL: it begins with http://");
  if (whole.size() > kLongestUrl || !is_target(whole)) {
    return refused(whole, "is no URL: blanks and signs beyond ASCII are written %20");
  }
  const std::string_view rest = whole.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  const Authority authority = split(rest.substr(0, slash));
  LocalUrl url;
  url.host = authority.host;
  if (!is_loopback(url.host)) {
    return refused(whole, "is not on this machine: only 127.0.0.1, localhost and [::1] are called");
  }
  if (!authority.port.empty()) {
    const auto port = parse_integer(authority.port.substr(1));
    if (authority.port.front() != ':' || !port || *port < 1 ||
        *port > std::numeric_limits<Port>::max()) {
      return refused(whole, "has no port between 1 and 65535");
    }
    url.port = static_cast<Port>(*port);
  }
  url.target = rest.substr(slash, rest.find('#') - slash);
  if (!url.target.starts_with('/')) url.target = '/' + url.target;
  return url;
}

}  // namespace mishap::scenarios
