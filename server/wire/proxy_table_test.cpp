#include "server/wire/proxy_table.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

std::string wanted(std::string_view method, std::string_view target) {
  const auto request = read_proxy_request(method, target);
  if (!request) return "none";
  return to_string(request->wanted) + (request->is_tunnel ? " tunnel" : "");
}

TEST(ProxyRequest, IsAConnectOrAnAbsoluteTarget) {
  EXPECT_EQ(wanted("CONNECT", "API.Vendor.com:443"), "api.vendor.com:443 tunnel");
  EXPECT_EQ(wanted("CONNECT", "[::1]:8443"), "[::1]:8443 tunnel");
  EXPECT_EQ(wanted("CONNECT", "[FD00:0::0:1]:443"), "[fd00::1]:443 tunnel");
  EXPECT_EQ(wanted("POST", "http://api.vendor.com/v1/x"), "api.vendor.com:80");
  EXPECT_EQ(wanted("GET", "HTTP://api.vendor.com:8080?a=b"), "api.vendor.com:8080");
  EXPECT_EQ(wanted("GET", "http://api.vendor.com"), "api.vendor.com:80");
}

TEST(ProxyRequest, IsNothingElse) {
  for (const auto* target : {"api.vendor.com", "api.vendor.com:", "api.vendor.com:0", ":443",
                             "api.vendor.com:70000", "a:1:2", "[::1", "[::1]x", "/v1/x", ""}) {
    EXPECT_EQ(wanted("CONNECT", target), "none") << target;
  }
  for (const auto* target : {"/v1/x", "https://api.vendor.com/", "http://", "http:///x", "*", ""}) {
    EXPECT_EQ(wanted("GET", target), "none") << target;
  }
}

TEST(ProxyTable, FindsWhoStandsInForAHost) {
  const ProxyTable table(
      2, {{"pay", {}, nullptr, {{"pay.vendor.com", std::nullopt}, {"fd00::1", std::nullopt}}},
          {"crm", {}, nullptr, {{"vendor.com", Port{8443}}, {"pay.vendor.com", Port{8443}}}}});
  const auto api = [&](const std::string& host, Port port) {
    const ProxyRoute* route = table.find({host, port});
    return route == nullptr ? std::string("nobody") : route->api;
  };
  EXPECT_EQ(api("pay.vendor.com", 443), "pay");
  EXPECT_EQ(api("pay.vendor.com", 80), "pay");
  EXPECT_EQ(api("fd00::1", 443), "pay");
  EXPECT_EQ(api("vendor.com", 8443), "crm");
  EXPECT_EQ(api("pay.vendor.com", 8443), "crm");
  EXPECT_EQ(api("vendor.com", 80), "nobody");
  EXPECT_EQ(api("evil.pay.vendor.com", 443), "nobody");
  EXPECT_EQ(table.hosts(), "pay.vendor.com, fd00::1, vendor.com:8443, pay.vendor.com:8443");
  EXPECT_EQ(table.lane(), 2);
}

}  // namespace
}  // namespace mishap::server
