#include "client-tests/driver/client_plan.h"

#include <gmock/gmock.h>

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

CopyContext context() {
  CopyContext context;
  context.addresses = {{0, "pay", "http://127.0.0.1:4001", 4001}};
  context.state = "/s";
  context.free_port = 5000;
  return context;
}

scenarios::Client service() {
  scenarios::Client client;
  client.kind = scenarios::Client::Kind::Service;
  client.command = {"sh", "server", "{free_port}"};
  client.environment = {{"VENDOR_URL", "{url}"}};
  client.ready = {scenarios::Ready::Kind::Url, "http://127.0.0.1:{free_port}/health", {}};
  client.before = {"sh", "-c", "touch {state}/x"};
  auto& drive = client.drive.emplace();
  drive.method = "POST";
  drive.url = "http://127.0.0.1:{free_port}/orders";
  drive.headers = {{"X-Vendor", "{url}"}};
  drive.body = "{\"state\":\"{state}\"}";
  return client;
}

TEST(LifeOf, PutsOnePortIntoCommandReadyAndDrive) {
  const auto life = life_of(service(), context(), {4001});
  ASSERT_TRUE(life) << life.error().message;
  EXPECT_THAT(life->client.command, ElementsAre("sh", "server", "5000"));
  EXPECT_EQ(life->client.role, ProcessRole::Service);
  EXPECT_THAT(life->client.environment, Contains(NameValue{"VENDOR_URL", "http://127.0.0.1:4001"}));
  EXPECT_EQ(life->service->ready->text, "http://127.0.0.1:5000/health");
  EXPECT_EQ(life->service->drive->url, "http://127.0.0.1:5000/orders");
  EXPECT_EQ(life->service->drive->headers.at(0).value, "http://127.0.0.1:4001");
  EXPECT_EQ(life->service->drive->body, "{\"state\":\"/s\"}");
  EXPECT_THAT(life->before, ElementsAre("sh", "-c", "touch /s/x"));
  EXPECT_EQ(life->service->stop.signal, "SIGTERM");
  EXPECT_EQ(life->service->stop.grace, 10s);
}

TEST(LifeOf, LeavesThePatternOfALogLineAlone) {
  auto client = service();
  client.ready = {scenarios::Ready::Kind::Log, "port \\d{4}", {}};
  const auto life = life_of(client, context(), {});
  ASSERT_TRUE(life);
  ASSERT_TRUE(life->client.ready_line);
  EXPECT_TRUE(life->client.ready_line->matches("port 4000"));
}

TEST(LifeOf, RefusesADriveThatTurnsOutToBeElsewhere) {
  auto client = service();
  client.drive->url = "{url}.example.com/x";
  const auto life = life_of(client, context(), {});
  ASSERT_FALSE(life);
  EXPECT_EQ(life.error().code, ErrorCode::BadInput);
  EXPECT_THAT(life.error().message, HasSubstr("drive: \"http://127.0.0.1:4001.example.com/x\""));
}

TEST(CheckClient, SaysWhatIsMissing) {
  EXPECT_TRUE(check_client(service(), {}));
  scenarios::Client none;
  EXPECT_THAT(check_client(none, {}).error().message, HasSubstr("no client"));
  auto undriven = service();
  undriven.drive.reset();
  EXPECT_THAT(check_client(undriven, {}).error().message, HasSubstr("a service needs"));
  auto gone = service();
  gone.before = {"/no/such/reset"};
  EXPECT_EQ(check_client(gone, {}).error().message, "before: no such client: /no/such/reset");
  auto unknown = service();
  unknown.drive->body = "{operations}";
  EXPECT_THAT(check_client(unknown, {}).error().message, HasSubstr("{operations}"));
}

TEST(ClientPrint, DiffersWhereAClientIsRunInAnotherWay) {
  const auto print = client_print(service());
  EXPECT_EQ(print, client_print(service()));
  std::vector<scenarios::Client> others(7, service());
  others[0].command.push_back("x");
  others[1].environment[0].value = "x";
  others[2].ready->text += "x";
  others[3].drive->body += "x";
  others[4].until = scenarios::Until{3s};
  others[5].stop = scenarios::StopOrder{"SIGINT", 1s};
  others[6].after = {"x"};
  for (const auto& other : others) EXPECT_NE(client_print(other), print);
}

TEST(ClientOf, LetsTheScenarioWinOverTheCommandLineButNotOverItsPatience) {
  TestOptions options;
  options.client = service();
  options.kill_after = 9s;
  scenarios::Scenario scenario;
  scenario.client.command = {"other"};
  scenario.client.kill_after = 3s;
  const auto client = client_of(scenario, options);
  EXPECT_THAT(client.command, ElementsAre("other"));
  EXPECT_EQ(client.kill_after, 9s);
  EXPECT_TRUE(client.drive);
}

}  // namespace
}  // namespace mishap::client_tests
