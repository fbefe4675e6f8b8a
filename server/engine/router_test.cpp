#include "server/engine/router.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using scenarios::Verb;

RequestView asked(const std::string& method, const std::string& target) {
  RequestView view;
  view.method = method;
  view.target = parse_target(target);
  return view;
}

scenarios::Api booking() {
  scenarios::Api api;
  api.name = "booking";
  scenarios::Resource bookings;
  bookings.name = "bookings";
  bookings.path = "/v1/bookings";
  bookings.verbs = {Verb::Create, Verb::List, Verb::Read, Verb::Delete};
  bookings.batch = scenarios::Batch{.path = "/v1/bookings/batch", .span = {}};
  scenarios::Resource products;
  products.name = "products";
  products.path = "/v1/products";
  products.verbs = {Verb::List};
  api.resources = {bookings, products};
  scenarios::Route ping;
  ping.on.method = "GET";
  ping.on.path = "/v1/ping";
  api.routes = {ping};
  return api;
}

struct RouteCase {
  std::string method;
  std::string target;
  Routed::Kind kind;
  std::string id;
};

class Routes : public testing::TestWithParam<RouteCase> {};

TEST_P(Routes, AreFound) {
  const scenarios::Api api = booking();
  const Routed routed = Router(api).route(asked(GetParam().method, GetParam().target));
  EXPECT_EQ(routed.kind, GetParam().kind);
  EXPECT_EQ(routed.id, GetParam().id);
}

using Kind = Routed::Kind;
INSTANTIATE_TEST_SUITE_P(
    Table, Routes,
    testing::Values(RouteCase{"GET", "/v1/ping", Kind::Route, ""},
                    RouteCase{"HEAD", "/v1/ping", Kind::Route, ""},
                    RouteCase{"POST", "/v1/bookings", Kind::Resource, ""},
                    RouteCase{"HEAD", "/v1/bookings", Kind::Resource, ""},
                    RouteCase{"POST", "/v1/bookings/batch", Kind::Batch, ""},
                    RouteCase{"GET", "/v1/bookings/batch", Kind::NotAllowed, ""},
                    RouteCase{"OPTIONS", "/v1/bookings/batch", Kind::Options, ""},
                    RouteCase{"GET", "/v1/bookings/bk_1", Kind::Resource, "bk_1"},
                    RouteCase{"GET", "/v1/bookings/a%2Fb", Kind::Resource, "a/b"},
                    RouteCase{"PUT", "/v1/bookings/bk_1", Kind::NotAllowed, "bk_1"},
                    RouteCase{"PUT", "/v1/bookings", Kind::NotAllowed, ""},
                    RouteCase{"POST", "/v1/products", Kind::NotAllowed, ""},
                    RouteCase{"OPTIONS", "/v1/bookings", Kind::Options, ""},
                    RouteCase{"GET", "/v1/products/p1", Kind::Unmatched, ""},
                    RouteCase{"GET", "/v1/bookings/", Kind::Unmatched, ""},
                    RouteCase{"GET", "/v1//bookings", Kind::Unmatched, ""},
                    RouteCase{"OPTIONS", "*", Kind::Unmatched, ""},
                    RouteCase{"CONNECT", "host:443", Kind::Unmatched, ""}));

TEST(Router, SaysWhatIsAllowed) {
  const scenarios::Api api = booking();
  EXPECT_EQ(Router(api).route(asked("PUT", "/v1/bookings")).allow, "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(Router(api).route(asked("PUT", "/v1/bookings/x")).allow, "GET, HEAD, DELETE, OPTIONS");
}

TEST(Router, NamesTheNearestRoute) {
  const scenarios::Api api = booking();
  const Router router(api);
  EXPECT_EQ(router.why_unmatched(asked("POST", "/v1/bookngs")),
            "no route for POST /v1/bookngs; the nearest is POST /v1/bookings");
  EXPECT_EQ(router.why_unmatched(asked("GET", "/v1/booking/bk_12345678")),
            "no route for GET /v1/booking/bk_12345678; the nearest is GET "
            "/v1/bookings/bk_12345678");
  EXPECT_NE(router.why_unmatched(asked("GET", "/")).find("there are GET /v1/ping"),
            std::string::npos);
}

TEST(Router, TakesEveryPathUnderAny) {
  scenarios::Api api;
  api.any_path = true;
  api.safe_posts = {"/token", "/:x/search"};
  const Router router(api);
  EXPECT_EQ(router.route(asked("POST", "/orders")).kind, Kind::Any);
  EXPECT_EQ(router.route(asked("POST", "/orders/search")).kind, Kind::SafePost);
  EXPECT_TRUE(router.is_safe("POST", parse_target("/token")));
  EXPECT_FALSE(router.is_safe("POST", parse_target("/orders")));
  const Routed put = router.route(asked("PUT", "/orders/7"));
  EXPECT_EQ(put.collection, "/orders");
  EXPECT_EQ(put.id, "7");
  EXPECT_EQ(router.route(asked("BREW", "/orders")).kind, Kind::NotAllowed);
  EXPECT_EQ(router.route(asked("GET", "*")).kind, Kind::Unmatched);
}

TEST(Router, PutsRoutesBeforeResources) {
  scenarios::Api api = booking();
  scenarios::Route special;
  special.on.method = "GET";
  special.on.path = "/v1/bookings/summary";
  api.routes.push_back(special);
  EXPECT_EQ(Router(api).route(asked("GET", "/v1/bookings/summary")).kind, Kind::Route);
}

}  // namespace
}  // namespace mishap::server
