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
  EXPECT_THAT(complaint("{names: ['']}"), HasSubstr("no name of a host"));
  EXPECT_THAT(complaint("{names: api.vendor.com}"), HasSubstr("\"names\" is a list"));
  EXPECT_THAT(complaint("maybe"), HasSubstr("\"tls\" is true, false, or a map"));
  EXPECT_THAT(complaint("{name: x}"), HasSubstr("did you mean \"names\"?"));
}

TEST(Tls, StandsInForHostsOneByOne) {
  const Loaded loaded = testing::load("api: {from: any, intercept: ['*.vendor.com']}\n");
  ASSERT_FALSE(loaded.diagnostics.empty());
  EXPECT_THAT(loaded.diagnostics.at(0).message, HasSubstr("names hosts one by one"));
}

TEST(Tls, WritesNoFileForAStranger) {
  const std::string text = "mishap: 1\nscenario: t\napi: {from: any, tls: {ca_out: /tmp/x}}\n";
  const Loaded loaded = load_confined_text("yaml", text, "", {});
  ASSERT_FALSE(loaded.scenario);
  EXPECT_THAT(loaded.diagnostics.at(0).message, HasSubstr("may not be written here"));
}

}  // namespace
}  // namespace mishap::scenarios
