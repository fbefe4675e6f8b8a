#include "client-tests/launch/secrets.h"

#include <gtest/gtest.h>

namespace mishap::client_tests {
namespace {

TEST(Secrets, AreValuesOfTellingNames) {
  const std::vector<NameValue> environment{
      {"API_KEY", "k-123456"},       {"github_token", "gh-7654321"},  {"DB_PASSWORD", "short"},
      {"HOME", "/nowhere"},          {"CLIENT_SECRET", "gh-7654321"}, {"MISHAP_TOKEN", "canary-1"},
      {"COPIED_TOKEN", "canary-xyz"}};
  EXPECT_EQ(secrets_of(environment, "canary-xyz"),
            (std::vector<std::string>{"gh-7654321", "k-123456"}));
}

TEST(Secrets, AreMaskedWhereverTheyStand) {
  const std::vector<std::string> secrets{"abcdefgh", "abcdef", "efghij"};
  EXPECT_EQ(mask_secrets("x abcdef y abcdefgh", secrets), "x *** y ***");
  EXPECT_EQ(mask_secrets("abcdefghij", secrets), "***") << "overlapping ones leave no rest";
  EXPECT_EQ(mask_secrets("nothing", secrets), "nothing");
  EXPECT_EQ(mask_command({"curl", "-H", "Auth: abcdefgh"}, secrets),
            (std::vector<std::string>{"curl", "-H", "Auth: ***"}));
}

}  // namespace
}  // namespace mishap::client_tests
