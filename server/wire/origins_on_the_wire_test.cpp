#include "server/wire/faults_on_the_wire_fixture.h"

// Redirects to another origin: a second api of the same run, of the same copy of the client.
namespace mishap::server {
namespace {

class OriginsOnTheWire : public testing::Test, protected PlayedScenario {
 protected:
  void SetUp() override {
    begin_scenario(
        "apis: {vendor: any, files: any}\nfaults:\n"
        "  - {on: vendor GET /v1/export, fault: {kind: status, code: 307, headers: {Location: "
        "'{url_files}/v1/data?from={url}'}}}\n",
        2);
  }

  const LaneAddress& address(const std::string& api, int lane) const {
    return *std::ranges::find_if(run_->addresses(), [&](const LaneAddress& one) {
      return one.api == api && one.lane == lane;
    });
  }
};

TEST_F(OriginsOnTheWire, ARedirectLeadsToTheSecondApiOfTheSameCopy) {
  for (const int lane : {0, 1}) {
    const LaneAddress& vendor = address("vendor", lane);
    const LaneAddress& files = address("files", lane);
    RawClient client(vendor.port);
    client.send("GET /v1/export HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(
        client.receive_until("\r\n\r\n"),
        testing::HasSubstr("Location: " + files.url + "/v1/data?from=" + vendor.url + "\r\n"));
    client.close();
    RawClient next(files.port);
    next.send("GET /v1/data HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(next.receive_until("\r\n\r\n"), testing::StartsWith("HTTP/1.1 200"));
    next.close();
  }
  const Journal seen = run_->end();
  ASSERT_EQ(seen.exchanges.size(), 4U);
  EXPECT_TRUE(seen.exchanges[0].rules.at(0).delivered);
  EXPECT_EQ(seen.exchanges[1].api, "files");
}

}  // namespace
}  // namespace mishap::server
