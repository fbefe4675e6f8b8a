#include "server/wire/faults_on_the_wire_fixture.h"

// Redirects to another origin: a second api of the same run, of the same copy of the client.
namespace mishap::server {
namespace {

class OriginsOnTheWire : public testing::Test {
 protected:
  void SetUp() override {
    auto loaded = scenarios::load_scenario_text(
        "t.yaml",
        "mishap: 1\nscenario: t\napis: {vendor: any, files: any}\nfaults:\n"
        "  - {on: vendor GET /v1/export, fault: {kind: status, code: 307, headers: {Location: "
        "'{url_files}/v1/data?from={url}'}}}\n",
        ".", {});
    ASSERT_TRUE(loaded.scenario) << render(loaded.diagnostics.at(0));
    ASSERT_FALSE(has_errors(check_scenario(*loaded.scenario)));
    auto server = start_server(clock_);
    ASSERT_TRUE(server);
    server_ = std::move(*server);
    auto run = server_->begin(*loaded.scenario, {.seed = 3, .lanes = 2, .token = "t"});
    ASSERT_TRUE(run) << run.error().message;
    run_ = std::move(*run);
  }

  const LaneAddress& address(const std::string& api, int lane) const {
    return *std::ranges::find_if(run_->addresses(), [&](const LaneAddress& one) {
      return one.api == api && one.lane == lane;
    });
  }

  SystemClock clock_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<server::Run> run_;
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
