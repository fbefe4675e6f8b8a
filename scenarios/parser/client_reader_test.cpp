#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mishap/client.h"
#include "mishap/line_pattern.h"
#include "mishap/local_url.h"
#include "scenarios/parser/reading.h"

namespace mishap::scenarios {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Client read(const std::string& client) {
  const Loaded loaded = testing::load("api: any\nclient:\n" + client);
  EXPECT_THAT(testing::said(loaded), IsEmpty());
  if (!loaded.scenario) return {};
  return loaded.scenario->client;
}

std::vector<std::string> said_about(const std::string& client) {
  return testing::said_about("api: any\nclient: " + client);
}

TEST(ClientReader, ReadsAService) {
  const Client client = read(R"(  kind: service
  command: [node, server.js, '{free_port}']
  env: {VENDOR_URL: '{url}', EMPTY: }
  ready: http://127.0.0.1:{free_port}/health
  ready_within: 5s
  drive: npm test
  until: quiet 3s
  stop: SIGINT 2s
  before: ./reset > log
  after: ./drop
  kill_after: 40s
)");
  EXPECT_EQ(client.kind, Client::Kind::Service);
  EXPECT_THAT(client.command, ElementsAre("node", "server.js", "{free_port}"));
  EXPECT_THAT(client.environment,
              ElementsAre(NameValue{"VENDOR_URL", "{url}"}, NameValue{"EMPTY", ""}));
  EXPECT_EQ(client.ready->kind, Ready::Kind::Url);
  EXPECT_EQ(client.ready->text, "http://127.0.0.1:{free_port}/health");
  EXPECT_EQ(client.ready_within, 5s);
  EXPECT_THAT(client.drive->command, ElementsAre("npm", "test"));
  EXPECT_EQ(client.until->quiet, 3s);
  EXPECT_EQ(client.stop->signal, "SIGINT");
  EXPECT_EQ(client.stop->grace, 2s);
  EXPECT_THAT(client.before, ElementsAre("/bin/sh", "-c", "./reset > log"));
  EXPECT_THAT(client.after, ElementsAre("./drop"));
  EXPECT_EQ(client.kill_after, 40s);
}

TEST(ClientReader, ReadsWhatItKeeps) {
  const Client client = read(R"(  logs: ['{state}/*.log', logs/app.log]
  log_format: json
  sensitive: {mail: ann.7f3a@example.com, card: "4111111111111111"}
  dead_letters: dead/letters.jsonl
  telemetry: telemetry.json
  replay: ./sync --replay
)");
  EXPECT_THAT(client.logs, ElementsAre("{state}/*.log", "logs/app.log"));
  EXPECT_TRUE(client.json_logs);
  EXPECT_THAT(client.sensitive, ElementsAre(NameValue{"mail", "ann.7f3a@example.com"},
                                            NameValue{"card", "4111111111111111"}));
  EXPECT_EQ(client.dead_letters, "dead/letters.jsonl");
  EXPECT_EQ(client.telemetry, "telemetry.json");
  EXPECT_THAT(client.replay, ElementsAre("./sync", "--replay"));
}

TEST(ClientReader, LetsNoPathLeadOutOfItsFolders) {
  for (const std::string logs :
       {"/var/log/*", "../x.log", "'{state}/../x'", "'{token}/x'", "a/.."}) {
    EXPECT_THAT(said_about("{logs: [" + logs + "]}"), ElementsAre(HasSubstr("stays there")))
        << logs;
  }
  for (const std::string file : {"/tmp/x", "../x", "''"}) {
    EXPECT_THAT(said_about("{dead_letters: " + file + "}"),
                ElementsAre(HasSubstr("a file of the state folder")))
        << file;
  }
}

TEST(ClientReader, WantsSensitiveTextsThatCanBeTold) {
  EXPECT_THAT(said_about("{sensitive: {mail: short}}"), ElementsAre(HasSubstr("8 to 200")));
  EXPECT_THAT(said_about("{sensitive: {Mail: ann@example.com}}"),
              ElementsAre(HasSubstr("small letters")));
  EXPECT_THAT(said_about("{sensitive: [a]}"), ElementsAre(HasSubstr("is a map")));
}

TEST(ClientReader, ReadsWhatIsRunThen) {
  const Loaded loaded = testing::load("api: any\nthen: {run: [./sync, --replay], times: 2}\n");
  ASSERT_TRUE(loaded.scenario && loaded.scenario->then);
  EXPECT_THAT(loaded.scenario->then->run, ElementsAre("./sync", "--replay"));
  EXPECT_EQ(loaded.scenario->then->times, 2);
  const Loaded plain = testing::load("api: any\nthen: {}\n");
  ASSERT_TRUE(plain.scenario && plain.scenario->then);
  EXPECT_EQ(plain.scenario->then->times, 1);
  EXPECT_THAT(testing::said_about("api: any\nthen: {times: 6}\n"),
              ElementsAre(HasSubstr("between 1 and 5")));
  EXPECT_THAT(testing::said_about("api: any\nthen: {twice: 1}\n"),
              ElementsAre(HasSubstr("unknown key")));
}

TEST(ClientReader, ReadsARequestAsTheDrive) {
  const Client client = read(R"(  drive:
    request: POST http://localhost:8080/orders?fast=1
    headers: {X-User: ann}
    json: {sku: boat, count: 2}
)");
  EXPECT_THAT(client.drive->command, IsEmpty());
  EXPECT_EQ(client.drive->method, "POST");
  EXPECT_EQ(client.drive->url, "http://localhost:8080/orders?fast=1");
  EXPECT_THAT(client.drive->headers, ElementsAre(NameValue{"X-User", "ann"}));
  EXPECT_EQ(client.drive->body, R"({"sku":"boat","count":2})");
  EXPECT_TRUE(client.drive->json);
}

TEST(ClientReader, KnowsThreeWaysToBeReady) {
  EXPECT_EQ(read("  {ready: port 3000}\n").ready->kind, Ready::Kind::Port);
  EXPECT_EQ(read("  ready: port {free_port}\n").ready->text, "{free_port}");
  const auto log = read("  ready: log listening on .*:\\d+\n").ready;
  EXPECT_EQ(log->kind, Ready::Kind::Log);
  EXPECT_EQ(log->text, "listening on .*:\\d+");
}

TEST(ClientReader, StopsWithTheDefaultGraceWhereNoneIsSaid) {
  EXPECT_EQ(read("  {stop: SIGHUP}\n").stop->grace, 10s);
  EXPECT_FALSE(read("  {until: drive ends}\n").until->quiet.has_value());
}

TEST(ClientReader, SaysWhatIsWrong) {
  struct Case {
    std::string client;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"{kind: demon}", "kind: unknown word \"demon\""},
      {"{kind: command, ready: port 1}", "4:32 a client of kind command has no \"ready\""},
      {"{kind: service, command: x}", "4:9 a service needs \"drive\""},
      {"{command: x, until: drive ends}", "4:9 a service needs \"drive\""},
      {"{command: []}", "\"command\" names no program"},
      {"{command: ''}", "\"command\" names no program"},
      {"{command: [node, {free_port}]}", "4:26 YAML takes \"{free_port}\" for a map"},
      {"{env: {X: {url}}}", "YAML takes \"{url}\" for a map: write it in quotes, '{url}'"},
      {"{env: [X]}", "\"env\" is a map"},
      {"{env: {'A=B': x}}", "holds no \"=\""},
      {"{ready: soon}", "\"ready\" is a URL"},
      {"{ready: port 70000}", "a port is a number up to 65535"},
      {"{ready: 'log ('}", "not a regular expression (RE2): missing )"},
      {"{ready: 'https://127.0.0.1/'}", "is https"},
      {"{drive: {json: {}}}", "the key \"request\" is missing here"},
      {"{drive: {request: 'POST http://127.0.0.1/', body: a, json: b}}", "not both"},
      {"{drive: {request: 'http://127.0.0.1/'}}", "a request is a method and a URL"},
      {"{drive: {request: 'POST http://api.example.com/x'}}",
       "4:27 \"http://api.example.com/x\" is not on this machine"},
      {"{drive: POST http://127.0.0.1/x}", "a request is a map: drive: {request: 'POST "},
      {"{until: never}", "\"until\" is \"drive ends\", or \"quiet\" and a time"},
      {"{until: quiet 0s}", "a quiet time is longer than nothing"},
      {"{until: quiet 3}", "a duration needs its unit"},
      {"{stop: SIGTERN}", "stop: unknown signal \"SIGTERN\"; did you mean \"SIGTERM\"?"},
      {"{stop: SIGTERM 10}", "a duration needs its unit"},
      {"{ready_within: 0s}", "\"ready_within\" is longer than nothing"},
      {"{kill_after: 0s}", "\"kill_after\" is longer than nothing"},
      {"{driev: npm test}", "unknown key \"driev\"; did you mean \"drive\"?"},
  };
  for (const Case& one : cases) {
    EXPECT_THAT(said_about(one.client), ElementsAre(HasSubstr(one.message))) << one.client;
  }
}

TEST(CommandOf, SplitsPlainTextAndGivesTheRestToAShell) {
  EXPECT_THAT(command_of("  python3  app.py --url={url} "),
              ElementsAre("python3", "app.py", "--url={url}"));
  for (const char* text : {"a | b", "echo 'x y'", "NAME=x node a.js", "ls *.js", "cat ~/x", "a # b",
                           "echo $HOME", "a && b", "a > b"}) {
    EXPECT_THAT(command_of(text), ElementsAre("/bin/sh", "-c", text));
  }
  EXPECT_THAT(command_of("   "), IsEmpty());
}

TEST(LaidOver, LetsTheUpperSayWinAndMergesTheEnvironment) {
  Client base;
  base.command = {"base"};
  base.environment = {{"A", "1"}, {"B", "2"}};
  base.ready_within = 5s;
  base.stop = StopOrder{"SIGINT", 1s};
  Client over;
  over.kind = Client::Kind::Service;
  over.command = {"over", "x"};
  over.environment = {{"B", "3"}, {"C", "4"}};
  over.drive.emplace().command = {"drive"};
  const Client laid = laid_over(base, over);
  EXPECT_EQ(laid.kind, Client::Kind::Service);
  EXPECT_THAT(laid.command, ElementsAre("over", "x"));
  EXPECT_THAT(laid.environment,
              ElementsAre(NameValue{"A", "1"}, NameValue{"B", "3"}, NameValue{"C", "4"}));
  EXPECT_EQ(laid.ready_within, 5s);
  EXPECT_EQ(laid.stop->signal, "SIGINT");
  EXPECT_THAT(laid.drive->command, ElementsAre("drive"));
  EXPECT_THAT(laid_over(base, {}).command, ElementsAre("base"));
}

TEST(WhatIsMissing, IsAskedOfTheWholeClient) {
  Client client;
  client.command = {"x"};
  EXPECT_EQ(what_is_missing(client), "");
  EXPECT_FALSE(is_service(client));
  client.ready = Ready{Ready::Kind::Port, "1", {}};
  EXPECT_TRUE(is_service(client));
  EXPECT_THAT(what_is_missing(client), HasSubstr("a service needs"));
  client.until = Until{3s};
  EXPECT_EQ(what_is_missing(client), "");
  client.kind = Client::Kind::Command;
  EXPECT_THAT(what_is_missing(client), HasSubstr("it ends by itself"));
}

TEST(LocalUrl, IsReadWholeOrRefusedWithAReason) {
  const auto url = read_local_url("http://127.0.0.1:8080/a?b=1#c");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "127.0.0.1");
  EXPECT_EQ(url->port, 8080);
  EXPECT_EQ(url->target, "/a?b=1");
  EXPECT_EQ(read_local_url("http://localhost")->port, 80);
  EXPECT_EQ(read_local_url("http://localhost?x")->target, "/?x");
  EXPECT_EQ(read_local_url("http://[::1]:81/")->host, "::1");
  for (const char* wrong :
       {"ftp://127.0.0.1/", "http://", "http://:80/", "http://127.0.0.1:0/", "http://127.0.0.1:x/",
        "http://127.0.0.1:70000/", "http://127.0.0.1.example.com/", "http://u@example.com/",
        "http://127.0.0.1@example.com/", "http://[::2]/", "http://[::1", "http://[::1x",
        "http://[::1]x/", "http://127.0.0.1/a b", "http://10.0.0.1/", "https://127.0.0.1/"}) {
    EXPECT_FALSE(read_local_url(wrong)) << wrong;
  }
}

TEST(LinePattern, MatchesAnywhereInALineAndNeverRunsAway) {
  EXPECT_TRUE(LinePattern::compile("listening on \\d+")->matches("app: listening on 80."));
  EXPECT_FALSE(LinePattern::compile("^listening")->matches("app: listening"));
  EXPECT_EQ(LinePattern::compile("(k=)\\w+")->replace_all("k=1 k=22", "\\1*"), "k=* k=*");
  EXPECT_EQ(LinePattern::compile("k=(\\w*)")->all("k=1 k= k=22", 1),
            (std::vector<std::string>{"1", "", "22"}));
  EXPECT_FALSE(LinePattern::compile(std::string(2000, 'a')));
  EXPECT_FALSE(LinePattern::compile("((a{100}){100}){100}"));
  // Seconds of back-tracking elsewhere.
  EXPECT_FALSE(LinePattern::compile("^(a+)+$")->matches(std::string(40, 'a') + "b"));
}

}  // namespace
}  // namespace mishap::scenarios
