#include "server/journal/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Secrets, AreToldByName) {
  for (const char* name :
       {"Authorization", "proxy-authorization", "COOKIE", "Set-Cookie", "X-Api-Key", "X-Auth-Token",
        "client_secret", "Password", "api_key", "apikey", "access_token", "key", "sig",
        "X-Amz-Signature", "Ocp-Apim-Subscription-Key", "DPoP"}) {
    EXPECT_TRUE(is_secret_name(name)) << name;
  }
  for (const char* name :
       {"Idempotency-Key", "X-Request-Id", "Accept", "keys", "signed", "reference", ""}) {
    EXPECT_FALSE(is_secret_name(name)) << name;
  }
}

TEST(Secrets, KeepSchemeHashAndLength) {
  const KeptField kept = kept_header("Authorization", "Bearer abcdef", "salt");
  EXPECT_TRUE(kept.secret);
  EXPECT_THAT(kept.value, testing::MatchesRegex("Bearer sha256:[0-9a-f]{12} length 6"));
  const KeptField cookie = kept_header("Cookie", "a=b; c=d", "salt");
  EXPECT_THAT(cookie.value, testing::MatchesRegex("sha256:[0-9a-f]{12} length 8"));
}

TEST(Secrets, CanBeComparedWithinARunOnly) {
  EXPECT_EQ(masked("x", "one"), masked("x", "one"));
  EXPECT_NE(masked("x", "one"), masked("y", "one"));
  EXPECT_NE(masked("x", "one"), masked("x", "two"));
}

TEST(Secrets, AreMaskedInAQueryAndNowhereElse) {
  const std::string kept = kept_target("/a?q=1&access_token=hunter2&token&x=hunter3", "salt");
  EXPECT_THAT(kept, Not(HasSubstr("hunter2")));
  EXPECT_THAT(kept, testing::StartsWith("/a?q=1&access_token=sha256:"));
  EXPECT_THAT(kept, testing::EndsWith("-length-7&token&x=hunter3"));
  EXPECT_EQ(kept_target("/plain", "salt"), "/plain");
}

TEST(Secrets, AreMaskedInBytesThatAreNoRequest) {
  const std::string kept = kept_raw(
      "GET /?password=hunter2 HTTP/1.1\r\nCookie: hunter2\r\nA: b\r\nauthorization:Basic hunter2",
      "s");
  EXPECT_THAT(kept, Not(HasSubstr("hunter2")));
  EXPECT_THAT(kept, HasSubstr("\r\nA: b\r\n"));
  EXPECT_THAT(kept, HasSubstr("Basic sha256:"));
}

TEST(KeptValues, SayThatTheyWereCut) {
  const KeptField kept = kept_header("X-Long", std::string(5000, 'x'), "salt");
  EXPECT_LT(kept.value.size(), 2100U);
  EXPECT_THAT(kept.value, testing::EndsWith("... (5000 bytes)"));
}

}  // namespace
}  // namespace mishap::server
