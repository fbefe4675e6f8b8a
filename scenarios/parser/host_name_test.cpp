#include "mishap/host_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mishap::scenarios {
namespace {

using ::testing::HasSubstr;

std::string why(std::string_view name) {
  return why_no_certificate_name(name).value_or("");
}

std::string read(std::string_view text) {
  const auto host = read_named_host(text);
  return host ? host->text() : "refused: " + host.error();
}

TEST(CertificateName, IsANameAWildcardOrAnAddress) {
  for (const auto* name :
       {"localhost", "api.vendor.com", "API.Vendor.Com", "a_b.vendor.com", "xn--bcher-kva.example",
        "1a.vendor.com", "*.vendor.com", "10.0.0.7", "::1", "fd00::7", "::ffff:10.0.0.7"}) {
    EXPECT_EQ(why(name), "") << name;
  }
  EXPECT_EQ(why(std::string(63, 'a') + ".com"), "");
}

TEST(CertificateName, IsNothingThatOpenSslOrNobodyWouldTake) {
  for (const auto* name :
       {"", ".", "a..b", "api.vendor.com.", "-a.com", "a-.com", "a b.com", "a,DNS=b",
        "b\xC3\xBC"
        "cher.example",
        "https://api.vendor.com"}) {
    EXPECT_NE(why(name), "") << name;
  }
  EXPECT_THAT(why(std::string(64, 'a') + ".com"), HasSubstr("labels of 1 to 63"));
  std::string long_name = "a";
  while (long_name.size() <= 253) long_name += ".a";
  EXPECT_THAT(why(long_name), HasSubstr("labels of 1 to 63"));
}

TEST(CertificateName, OfFiguresIsAnAddress) {
  for (const auto* name : {"999.1.1.1", "1.2.3", "7", "10.0.0.07", "api.7", "*.0.0.7"}) {
    EXPECT_THAT(why(name), HasSubstr("is no IPv4 address")) << name;
  }
  for (const auto* name : {"1:2", ":::", "[::1]", "fe80::1%eth0", "api.vendor.com:8443"}) {
    EXPECT_THAT(why(name), HasSubstr("is no IPv6 address")) << name;
  }
}

TEST(CertificateName, HasAStarForItsWholeFirstLabelOnly) {
  for (const auto* name : {"*", "*.com", "a*.vendor.com", "a.*.com", "*.*.vendor.com"}) {
    EXPECT_THAT(why(name), HasSubstr("a \"*\" is the whole first label")) << name;
  }
}

TEST(CertificateName, IsShownWithoutWhatATerminalWouldObey) {
  EXPECT_THAT(why("a\x1b[2J"), HasSubstr("\"a\\x1b[2J\""));
}

TEST(NamedHost, IsAHostWithOrWithoutAPort) {
  EXPECT_EQ(read("API.Vendor.com"), "api.vendor.com");
  EXPECT_EQ(read("api.vendor.com:8443"), "api.vendor.com:8443");
  EXPECT_EQ(read("10.0.0.7:1"), "10.0.0.7:1");
  EXPECT_EQ(read("api.vendor.com:65535"), "api.vendor.com:65535");
}

TEST(NamedHost, OfSixIsTheSameHoweverItIsWritten) {
  for (const auto* text : {"::1", "[::1]", "0:0:0:0:0:0:0:1", "[0::01]"}) {
    EXPECT_EQ(read(text), "::1") << text;
  }
  EXPECT_EQ(read("[FD00::A]:8443"), "[fd00::a]:8443");
  EXPECT_EQ(comparable_host("FD00:0:0::A"), "fd00::a");
}

TEST(NamedHost, HasNoOddPort) {
  for (const auto* text : {"a.com:0", "a.com:65536", "a.com:", "a.com:https", "a.com:+1",
                           "a.com:1x", "[::1]:0", "[::1]:", "a.com:99999999999999999999"}) {
    EXPECT_THAT(read(text), HasSubstr("has no port between 1 and 65535")) << text;
  }
}

TEST(NamedHost, IsNothingElse) {
  EXPECT_THAT(read("https://a.com/x"), HasSubstr("without a scheme or a path"));
  EXPECT_THAT(read("*.vendor.com"), HasSubstr("named one by one"));
  for (const auto* text : {"[::1", "[::1]x", "[a.com]", "[]"}) {
    EXPECT_THAT(read(text), HasSubstr("is no IPv6 address, as [::1]")) << text;
  }
  EXPECT_THAT(read(":443"), HasSubstr("is no name of a host"));
  EXPECT_THAT(read("a:b:c"), HasSubstr("is no IPv6 address"));
}

}  // namespace
}  // namespace mishap::scenarios
