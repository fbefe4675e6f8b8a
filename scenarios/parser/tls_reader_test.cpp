#include "scenarios/parser/tls_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mishap/confined.h"
#include "scenarios/parser/reading.h"

namespace mishap::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::said;

std::optional<Tls> tls(const std::string& text) {
  const Loaded loaded = testing::load("api: {from: any, tls: " + text + "}\n");
  EXPECT_THAT(said(loaded), IsEmpty()) << text;
  return loaded.scenario ? loaded.scenario->apis.at(0).tls : std::nullopt;
}

std::string complaint(const std::string& text) {
  const Loaded loaded = testing::load("api: {from: any, tls: " + text + "}\n");
  return loaded.diagnostics.empty() ? "" : loaded.diagnostics.at(0).message;
}

TEST(Tls, IsSpokenOrNot) {
  EXPECT_TRUE(tls("true"));
  EXPECT_FALSE(tls("false"));
  EXPECT_TRUE(tls("{}"));
  EXPECT_THAT(said(testing::load("api: any\n")), IsEmpty());
}

TEST(Tls, HasFurtherNamesAndAPlaceForItsAuthority) {
  const auto read = tls("{names: [api.vendor.com, '*.vendor.com', 10.0.0.7], ca_out: /tmp/ca.pem}");
  ASSERT_TRUE(read);
  EXPECT_THAT(read->names, ElementsAre("api.vendor.com", "*.vendor.com", "10.0.0.7"));
  EXPECT_EQ(read->ca_out, "/tmp/ca.pem");
}

TEST(Tls, RefusesWhatIsNoNameOfAHost) {
  EXPECT_THAT(complaint("{names: ['a,DNS=b']}"), HasSubstr("no name of a host"));
  EXPECT_THAT(complaint("{names: [999.1.1.1]}"), HasSubstr("is no IPv4 address"));
  EXPECT_THAT(complaint("{names: ['api.vendor.com:8443']}"), HasSubstr("knows no port"));
  EXPECT_THAT(complaint("{names: ['*.com']}"), HasSubstr("the whole first label"));
  EXPECT_THAT(complaint("{names: ['']}"), HasSubstr("no name of a host"));
  EXPECT_THAT(complaint("{names: api.vendor.com}"), HasSubstr("\"names\" is a list"));
  EXPECT_THAT(complaint("maybe"), HasSubstr("\"tls\" is true, false, or a map"));
  EXPECT_THAT(complaint("{name: x}"), HasSubstr("did you mean \"names\"?"));
}

TEST(Tls, StandsInForHostsOneByOne) {
  const Loaded loaded = testing::load("api: {from: any, intercept: ['*.vendor.com']}\n");
  ASSERT_FALSE(loaded.diagnostics.empty());
  EXPECT_THAT(loaded.diagnostics.at(0).message, HasSubstr("named one by one"));
}

std::string intercept(const std::vector<std::string>& words, const std::string& apis) {
  LoadOptions options;
  options.intercept = words;
  const Loaded loaded = testing::load(apis, options);
  if (!loaded.diagnostics.empty()) return loaded.diagnostics.at(0).message;
  std::string hosts;
  for (const Api& api : loaded.scenario->apis) {
    for (const NamedHost& host : api.intercept) hosts += api.name + "=" + host.text() + " ";
  }
  return hosts;
}

const std::string kTwo = "apis: {pay: any, crm: any}\n";

TEST(Intercept, MeansTheFirstApiOrTheOneThatIsNamed) {
  EXPECT_EQ(intercept({"A.vendor.com", "crm=[::1]:8443"}, kTwo),
            "pay=a.vendor.com crm=[::1]:8443 ");
  EXPECT_EQ(intercept({"a.com", "A.com"}, kTwo), "pay=a.com ");
  EXPECT_EQ(intercept({"b.com"}, "api: {from: any, intercept: [A.com, b.com]}\n"),
            "any=a.com any=b.com ");
  EXPECT_THAT(intercept({"bank=a.com"}, kTwo), HasSubstr("no such api; there is pay, crm"));
  EXPECT_THAT(intercept({"a.com:0"}, kTwo), HasSubstr("--intercept: \"a.com:0\" has no port"));
  for (const auto* wrong : {"https://api.vendor.com", "", "a b"}) {
    EXPECT_THAT(intercept({wrong}, kTwo), HasSubstr("is no name of a host")) << wrong;
  }
}

TEST(Intercept, LeadsOneHostToOneApi) {
  EXPECT_EQ(
      intercept({"pay=a.com", "crm=a.com"}, kTwo),
      "--intercept: \"crm\" intercepts a.com, and so does \"pay\" (the command line): one host "
      "leads to one api; take it from one of them, or give each its own port");
  EXPECT_THAT(intercept({"a.com"}, "apis: {pay: any, crm: {from: any, intercept: [A.com]}}\n"),
              HasSubstr("\"crm\" intercepts a.com, and so does \"pay\" (the command line)"));
  EXPECT_THAT(intercept({"crm=::1"}, "apis: {pay: {from: any, intercept: ['[::1]']}, crm: any}\n"),
              HasSubstr("and so does \"pay\" (t.yaml:3:37)"));
  EXPECT_EQ(intercept({"pay=a.com", "crm=a.com:8443"}, kTwo), "pay=a.com crm=a.com:8443 ");
}

std::vector<std::string> two_authorities(const std::string& first, const std::string& second) {
  return said(testing::load("apis:\n  pay: {from: any, tls: {ca_out: " + first +
                            "}}\n  crm: {from: any, tls: {ca_out: " + second + "}}\n"));
}

TEST(Tls, WritesItsAuthorityToAFileOfItsOwn) {
  EXPECT_THAT(two_authorities("./a.pem", "./b.pem"), IsEmpty());
  EXPECT_THAT(
      two_authorities("./a.pem", "x/../a.pem"),
      ElementsAre("5:34 \"pay\" writes the authority to this file as well (t.yaml:4:34): all "
                  "apis have one authority, so one \"ca_out\" is enough"));
  EXPECT_THAT(complaint("{ca_out: ''}"), HasSubstr("\"ca_out\" names no file"));
  EXPECT_THAT(complaint("{ca_out: }"), HasSubstr("\"ca_out\" has no value"));
}

TEST(Tls, WritesNoFileForAStranger) {
  const std::string text = "mishap: 1\nscenario: t\napi: {from: any, tls: {ca_out: /tmp/x}}\n";
  const Loaded loaded = load_confined_text("yaml", text, "", {});
  ASSERT_FALSE(loaded.scenario);
  EXPECT_THAT(loaded.diagnostics.at(0).message, HasSubstr("may not be written here"));
}

}  // namespace
}  // namespace mishap::scenarios
