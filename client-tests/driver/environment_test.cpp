#include "client-tests/driver/environment.h"

#include <gmock/gmock.h>

#include <map>

namespace mishap::client_tests {
namespace {

CopyContext context() {
  CopyContext context;
  context.scenario = "lost-answer";
  context.copy = 2;
  context.addresses = {{2, "pay", "http://127.0.0.1:4001", 4001},
                       {2, "crm-eu", "http://127.0.0.1:4002", 4002}};
  context.token = "t0ken";
  context.outcomes = "/o";
  context.state = "/s";
  context.ca = "/ca.pem";
  context.proxy = "http://127.0.0.1:4100";
  context.free_port = 5000;
  return context;
}

TEST(Expand, ReplacesWhatItKnowsAndLeavesOtherBraces) {
  const std::pair<std::string, std::string> rows[] = {
      {"{url}/v1", "http://127.0.0.1:4001/v1"},
      {"--port={port}", "--port=4001"},
      {"{token}{copy}{scenario}", "t0ken2lost-answer"},
      {"{outcomes} {state} {free_port}", "/o /s 5000"},
      {"--cacert {ca}", "--cacert /ca.pem"},
      {"-x {proxy}", "-x http://127.0.0.1:4100"},
      {R"({"json": {"a": 1}})", R"({"json": {"a": 1}})"},
      {"{urls} {", "{urls} {"},
      {"{url_pay} {url_crm-eu}/x", "http://127.0.0.1:4001 http://127.0.0.1:4002/x"},
      {R"({"a":"{url_pay}"})", R"({"a":"http://127.0.0.1:4001"})"},
      {"", ""},
  };
  for (const auto& [text, expanded] : rows) EXPECT_EQ(expand(text, context()), expanded);
}

TEST(Expand, DoesNotExpandWhatAValueHolds) {
  auto hostile = context();
  hostile.state = "/tmp/{token}";
  EXPECT_EQ(expand("{state}", hostile), "/tmp/{token}");
}

TEST(CheckTemplates, RefusesWordsThatHaveNoValueYet) {
  EXPECT_TRUE(check_templates({"{url}", "{\"a\":1}"}, {}).has_value());
  const auto refused = check_templates({"--cacert", "{operations}"}, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::BadInput);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("{operations}"));
}

TEST(CheckTemplates, KnowsAnAuthorityWhereAnApiSpeaksTls) {
  scenarios::Scenario scenario;
  scenario.name = "plain";
  scenario.apis.resize(1);
  const auto refused = check_templates({"--cacert", "{ca}"}, {scenario});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, testing::HasSubstr("speaks plain HTTP"));
  scenario.apis[0].tls.emplace();
  EXPECT_TRUE(check_templates({"--cacert", "{ca}"}, {scenario}).has_value());
}

TEST(CheckTemplates, KnowsAProxyWhereAnApiInterceptsHosts) {
  scenarios::Scenario scenario;
  scenario.apis.resize(1);
  const auto refused = check_templates({"{proxy}"}, {scenario});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, testing::HasSubstr("no api intercepts a host"));
  scenario.apis[0].intercept = {{"api.vendor.com", std::nullopt}};
  EXPECT_TRUE(check_templates({"{proxy} {ca}"}, {scenario}).has_value());
}

TEST(CheckTemplates, KnowsTheApisOfEveryScenario) {
  scenarios::Scenario both;
  both.name = "both";
  both.apis.resize(2);
  both.apis[0].name = "pay";
  both.apis[1].name = "crm";
  EXPECT_TRUE(check_templates({"--pay={url_pay}", "{url_crm}"}, {both}).has_value());
  EXPECT_TRUE(check_templates({"{url_ no name", "{url_pay", "{url_"}, {both}).has_value());
  const auto refused = check_templates({"{\"base\":\"{url_ledger}\"}"}, {both});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::BadInput);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("both has no api for {url_ledger}"));
  EXPECT_THAT(refused.error().hint, testing::HasSubstr("{url_pay}, {url_crm}"));
  auto alone = both;
  alone.apis.resize(1);
  EXPECT_FALSE(check_templates({"{url_crm}"}, {both, alone}).has_value());
}

TEST(Environment, NamesEachApiAndExpandsTheUsersOwn) {
  const auto variables = environment_of(context(), {{"VENDOR_URL", "{url}"}});
  EXPECT_THAT(variables, testing::IsSupersetOf({
                             NameValue{"MISHAP_URL", "http://127.0.0.1:4001"},
                             NameValue{"MISHAP_URL_PAY", "http://127.0.0.1:4001"},
                             NameValue{"MISHAP_URL_CRM_EU", "http://127.0.0.1:4002"},
                             NameValue{"MISHAP_SCENARIO", "lost-answer"},
                             NameValue{"MISHAP_COPY", "2"},
                             NameValue{"VENDOR_URL", "http://127.0.0.1:4001"},
                         }));
}

TEST(Environment, SendsAClientToTheProxyAndNobodyElse) {
  const auto variables = environment_of(context(), {});
  EXPECT_THAT(variables, testing::IsSupersetOf({
                             NameValue{"HTTPS_PROXY", "http://127.0.0.1:4100"},
                             NameValue{"http_proxy", "http://127.0.0.1:4100"},
                             NameValue{"NO_PROXY", "127.0.0.1,localhost,::1"},
                             NameValue{"SSL_CERT_FILE", "/ca.pem"},
                             NameValue{"NODE_EXTRA_CA_CERTS", "/ca.pem"},
                         }));
  CopyContext direct = context();
  direct.proxy.clear();
  for (const auto& variable : environment_of(direct, {})) {
    EXPECT_THAT(variable.name, testing::Not(testing::HasSubstr("PROXY")));
    EXPECT_NE(variable.name, "SSL_CERT_FILE");
  }
}

TEST(Environment, AsksNoProxyOfTheUsersForAListenerWithAnAddressOfItsOwn) {
  CopyContext own = context();
  own.proxy.clear();
  own.addresses.front().url = "http://127.70.1.9:4001";
  EXPECT_THAT(environment_of(own, {}),
              testing::Contains(NameValue{"no_proxy", "127.0.0.1,localhost,::1,127.70.1.9"}));
  own.no_proxy = ".corp.example";
  EXPECT_THAT(environment_of(own, {}),
              testing::Contains(NameValue{"NO_PROXY", ".corp.example,127.70.1.9"}));
  own.proxy = "http://127.0.0.1:4100";
  EXPECT_THAT(environment_of(own, {}),
              testing::Contains(NameValue{"NO_PROXY", "127.0.0.1,localhost,::1,127.70.1.9"}));
}

// What a client finds: of two variables of one name the later wins.
std::map<std::string, std::string> found(const std::vector<NameValue>& variables) {
  std::map<std::string, std::string> found;
  for (const auto& variable : variables) found[variable.name] = variable.value;
  return found;
}

TEST(Environment, BothSpellingsOfAProxyAreTheUsersWord) {
  auto variables = found(environment_of(
      context(), {{"HTTPS_PROXY", "{proxy}/mine"}, {"no_proxy", ""}, {"SSL_CERT_FILE", "/mine"}}));
  EXPECT_EQ(variables["HTTPS_PROXY"], "http://127.0.0.1:4100/mine");
  EXPECT_EQ(variables["https_proxy"], "http://127.0.0.1:4100/mine");
  EXPECT_EQ(variables["HTTP_PROXY"], "http://127.0.0.1:4100");
  EXPECT_EQ(variables["NO_PROXY"], "");
  EXPECT_EQ(variables["no_proxy"], "");
  variables = found(environment_of(context(), {{"HTTP_PROXY", "a"}, {"http_proxy", "b"}}));
  EXPECT_EQ(variables["HTTP_PROXY"], "a");
  EXPECT_EQ(variables["http_proxy"], "b");
  CopyContext direct = context();
  direct.proxy.clear();
  EXPECT_EQ(found(environment_of(direct, {{"HTTPS_PROXY", "a"}})).count("https_proxy"), 0U);
}

TEST(FreePort, IsOneThatCouldBeBound) {
  EXPECT_NE(free_port(), 0);
}

}  // namespace
}  // namespace mishap::client_tests
