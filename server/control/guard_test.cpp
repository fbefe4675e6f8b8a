#include "server/control/guard.h"

#include <gmock/gmock.h>

namespace mishap::server::control {
namespace {

using testing::HasSubstr;

Call call(const std::string& host, std::vector<NameValue> more = {}) {
  Call made;
  made.method = "POST";
  made.path = "/v1/runs";
  made.headers = {{"Host", host}};
  made.headers.insert(made.headers.end(), more.begin(), more.end());
  return made;
}

int status_of(const Doors& doors, const Call& made) {
  const auto away = turned_away(doors, made);
  return away ? away->status : 200;
}

TEST(Guard, LetsInWhoCallsLoopbackByItsName) {
  for (const auto* host :
       {"127.0.0.1:8099", "127.1.2.3", "localhost:1", "LOCALHOST.", "[::1]:8099"}) {
    EXPECT_EQ(status_of({}, call(host)), 200) << host;
  }
}

TEST(Guard, TurnsAwayANameThatWasMadeToPointHere) {
  for (const auto* host :
       {"evil.example", "127.0.0.1.evil.example:80", "[::2]:1", "", "localhost.evil.example",
        "[::1]evil:80", "127.0.0.1:80.evil.example", "127.0.0.1:80@evil.example"}) {
    EXPECT_EQ(status_of({}, call(host)), 421) << host;
  }
}

TEST(Guard, KnowsTheNamesItWasGiven) {
  const Doors doors{true, {"mishap.test", "192.0.2.7"}, ""};
  EXPECT_EQ(status_of(doors, call("mishap.test:80")), 200);
  EXPECT_EQ(status_of(doors, call("192.0.2.7")), 200);
  EXPECT_EQ(status_of(doors, call("other.test")), 421);
}

TEST(Guard, WantsOneHost) {
  auto none = call("x");
  none.headers.clear();
  EXPECT_EQ(status_of({}, none), 400);
  EXPECT_EQ(status_of({}, call("127.0.0.1", {{"host", "127.0.0.1"}})), 400);
}

TEST(Guard, TurnsAwayAPageOfAnotherOrigin) {
  const std::string host = "127.0.0.1:8099";
  EXPECT_EQ(status_of({}, call(host, {{"Origin", "http://127.0.0.1:8099"}})), 200);
  for (const auto* origin :
       {"http://evil.example", "null", "http://127.0.0.1:9", "https://127.0.0.1:8099"}) {
    EXPECT_EQ(status_of({}, call(host, {{"Origin", origin}})), 403) << origin;
  }
  const NameValue own{"Origin", "http://127.0.0.1:8099"};
  EXPECT_EQ(status_of({}, call(host, {own, {"Origin", "http://evil.example"}})), 403);
}

TEST(Guard, AsksForTheTokenWhereThereIsOne) {
  const Doors doors{false, {}, "s3cret"};
  EXPECT_EQ(status_of(doors, call("any.name")), 401);
  EXPECT_EQ(status_of(doors, call("any.name", {{"Authorization", "Bearer s3cret"}})), 200);
  EXPECT_EQ(status_of(doors, call("any.name", {{"authorization", "bearer s3cret"}})), 200);
  for (const auto* wrong :
       {"Bearer s3cre", "Bearer s3cret2", "Bearer ", "Basic s3cret", "s3cret", "Bearer S3cret"}) {
    EXPECT_EQ(status_of(doors, call("any.name", {{"Authorization", wrong}})), 401) << wrong;
  }
}

TEST(Guard, TellsItsHealthToAnybody) {
  auto health = call("any.name");
  health.method = "GET";
  health.path = "/v1/health";
  EXPECT_EQ(status_of({false, {}, "s3cret"}, health), 200);
  health.path = "/v1/health/../runs";
  EXPECT_EQ(status_of({false, {}, "s3cret"}, health), 401);
}

TEST(Guard, KnowsLoopbackAddresses) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_TRUE(is_loopback("localhost"));
  EXPECT_FALSE(is_loopback("0.0.0.0"));
  EXPECT_FALSE(is_loopback("::"));
  EXPECT_FALSE(is_loopback("10.0.0.1"));
  EXPECT_FALSE(is_loopback("127.evil"));
}

}  // namespace
}  // namespace mishap::server::control
