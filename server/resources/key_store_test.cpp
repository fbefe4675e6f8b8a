#include "server/resources/key_store.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using Claim = KeyStore::Claim;

const KeyStore::Scoped kKey = {"/v1/bookings", "k"};

TEST(KeyStore, ReservesAKeyForOneExchangeAtATime) {
  KeyStore keys;
  EXPECT_EQ(keys.claim(kKey, "a", 1, 0s, 24h), Claim::Granted);
  EXPECT_EQ(keys.claim(kKey, "a", 1, 1s, 24h), Claim::Granted) << "its own again";
  EXPECT_EQ(keys.claim(kKey, "a", 2, 1s, 24h), Claim::InProgress);
  EXPECT_EQ(keys.claim(kKey, "b", 2, 1s, 24h), Claim::OtherContent);
  EXPECT_EQ(keys.claim({"/v1/payments", "k"}, "b", 2, 1s, 24h), Claim::Granted);
}

TEST(KeyStore, GivesTheStoredAnswerToEqualContentOnly) {
  KeyStore keys;
  keys.claim(kKey, "a", 1, 0s, 24h);
  keys.finish(kKey, 1, {201, {}, "made", false});
  EXPECT_EQ(keys.claim(kKey, "a", 2, 1s, 24h), Claim::Done);
  EXPECT_EQ(keys.answer(kKey).body, "made");
  EXPECT_EQ(keys.claim(kKey, "b", 2, 1s, 24h), Claim::OtherContent);
}

TEST(KeyStore, FreesAReservationThatCameToNothing) {
  KeyStore keys;
  keys.claim(kKey, "a", 1, 0s, 24h);
  keys.release(kKey, 2);  // not its own
  EXPECT_EQ(keys.claim(kKey, "b", 2, 1s, 24h), Claim::OtherContent);
  keys.release(kKey, 1);
  EXPECT_EQ(keys.claim(kKey, "b", 2, 1s, 24h), Claim::Granted);
}

TEST(KeyStore, KeepsAStoredAnswerThroughARelease) {
  KeyStore keys;
  keys.claim(kKey, "a", 1, 0s, 24h);
  keys.finish(kKey, 1, {});
  keys.release(kKey, 1);
  EXPECT_EQ(keys.claim(kKey, "a", 2, 1s, 24h), Claim::Done);
}

TEST(KeyStore, ForgetsAKeyAfterItsLifetimeButNotWhileItRuns) {
  KeyStore keys;
  keys.claim(kKey, "a", 1, 0s, 10s);
  EXPECT_EQ(keys.claim(kKey, "b", 2, 10s, 10s), Claim::OtherContent);
  keys.finish(kKey, 1, {});
  EXPECT_EQ(keys.claim(kKey, "a", 2, 9999ms, 10s), Claim::Done);
  EXPECT_EQ(keys.claim(kKey, "b", 2, 10s, 10s), Claim::Granted);
}

TEST(IdempotencyKey, LosesTheQuotesOfAStructuredField) {
  EXPECT_EQ(idempotency_key("\"abc\""), "abc");
  EXPECT_EQ(idempotency_key("abc"), "abc");
  EXPECT_EQ(idempotency_key(R"("a\"b\\c")"), R"(a"b\c)");
  EXPECT_EQ(idempotency_key("\"abc"), "\"abc");
  EXPECT_EQ(idempotency_key(R"("a"b")"), R"("a"b")");
  EXPECT_EQ(idempotency_key("\"\\\""), "\"\\\"");
  EXPECT_EQ(idempotency_key("\""), "\"");
  EXPECT_EQ(idempotency_key(""), "");
}

}  // namespace
}  // namespace mishap::server
