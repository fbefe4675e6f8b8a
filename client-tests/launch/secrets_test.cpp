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

TEST(Secrets, AreNotWhatANameOnlyBringsToMind) {
  const std::vector<NameValue> environment{{"MONKEY", "a-monkey"},
                                           {"KEYSTORE", "/etc/keys/a"},
                                           {"TOKEN_URL", "{url}/oauth/token"},
                                           {"KEY_FILE", "/etc/key.pem"},
                                           {"API_TOKEN", "{token}"}};
  EXPECT_EQ(secrets_of(environment, {}), std::vector<std::string>{});
}

TEST(Secrets, OfTheCommandAndOfValuesAreMaskedInTheOutputToo) {
  EXPECT_EQ(secrets_of({{"DSN", "postgres://u:hidden1@db/x"}}, {},
                       {"cli", "--token", "hidden-22", "--api-key=hidden-333"}),
            (std::vector<std::string>{"hidden-333", "hidden-22", "hidden1"}));
}

TEST(Secrets, AreMaskedWhereverTheyStand) {
  const std::vector<std::string> secrets{"abcdefgh", "abcdef", "efghij"};
  EXPECT_EQ(mask_secrets("x abcdef y abcdefgh", secrets), "x *** y ***");
  EXPECT_EQ(mask_secrets("abcdefghij", secrets), "***") << "overlapping ones leave no rest";
  EXPECT_EQ(mask_secrets("nothing", secrets), "nothing");
  EXPECT_EQ(mask_command({"curl", "-H", "Auth: abcdefgh"}, secrets),
            (std::vector<std::string>{"curl", "-H", "Auth: ***"}));
}

TEST(Secrets, AreKnownByWhereTheyStand) {
  const std::pair<std::string, std::string> cases[] = {
      {"--token=abc", "--token=***"},
      {"--api-key=abc", "--api-key=***"},
      {"DB_PASSWORD=abc run", "DB_PASSWORD=*** run"},
      {"https://me:abc@host/x", "https://***@host/x"},
      {"http://h/x?a=1&api_key=abc&b=2", "http://h/x?a=1&api_key=***&b=2"},
      {"Authorization: Bearer abc", "Authorization: Bearer ***"},
      {"curl -H 'X-Api-Key: abc' http://h", "curl -H 'X-Api-Key: ***' http://h"},
      {R"({"client_secret": "abc", "n": 1})", R"({"client_secret": "***", "n": 1})"},
      {"postgres://u:a/b@c@db/x", "postgres://u:***@db/x"},
      {"?sig=abc&id=7", "?sig=***&id=7"},
      {"--auth=abc", "--auth=***"},
      {"--user=me:abc", "--user=me:***"},
      {"-ume:abc", "-ume:***"},
      {R"({"token": "a\"b"})", R"({"token": "***"})"},
      {"cli --token abc && curl -u me:abc http://h", "cli --token *** && curl -u me:*** http://h"},
      // Names, placeholders and switches are none.
      {"--token={token}", "--token={token}"},
      {"ssh://git@host/x", "ssh://git@host/x"},
      {"docker run -u 1000:1000 x", "docker run -u 1000:1000 x"},
      {"--token=$MISHAP_TOKEN", "--token=$MISHAP_TOKEN"},
      {"X-Token: $MISHAP_TOKEN", "X-Token: $MISHAP_TOKEN"},
      {"--keys=per-attempt", "--keys=per-attempt"},
      {"http://127.0.0.1:4000/orders?id=7", "http://127.0.0.1:4000/orders?id=7"},
      {"tests/test_token.py::test_cookie", "tests/test_token.py::test_cookie"},
  };
  for (const auto& [word, masked] : cases) EXPECT_EQ(mask_word(word, {}), masked);
}

TEST(Secrets, AreKnownByTheOptionBefore) {
  const auto masked = [](std::vector<std::string> command) { return mask_command(command, {}); };
  using Words = std::vector<std::string>;
  EXPECT_EQ(masked({"c", "--token", "abc", "x"}), (Words{"c", "--token", "***", "x"}));
  EXPECT_EQ(masked({"c", "--token", "$TOKEN"}), (Words{"c", "--token", "$TOKEN"}));
  EXPECT_EQ(masked({"curl", "-u", "me:abc"}), (Words{"curl", "-u", "me:***"}));
  EXPECT_EQ(masked({"python3", "-u", "client.py"}), (Words{"python3", "-u", "client.py"}));
  EXPECT_EQ(masked({"c", "--secret", "--verbose"}), (Words{"c", "--secret", "--verbose"}));
}

}  // namespace
}  // namespace mishap::client_tests
