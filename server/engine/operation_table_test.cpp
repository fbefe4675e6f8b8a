#include "server/engine/operation_table.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using namespace std::chrono_literals;

Fingerprint print(std::string_view word) {
  return fingerprint_of_word(word);
}

// Requests one after another, each with a number of its own.
class Operations : public testing::Test {
 protected:
  Asked create(const std::string& content) {
    Asked asked;
    asked.sending = {++exchange_};
    asked.place = print("POST /v1/bookings");
    asked.content_hash = print(content);
    asked.raw_hash = print(content);
    asked.collection = print("bookings");
    asked.resource = print("bookings");
    return asked;
  }
  Asked keyed(const std::string& content, const std::string& key) {
    Asked asked = create(content);
    asked.key = print(key);
    return asked;
  }
  Asked referenced(const std::string& content, const std::string& reference,
                   const std::string& key = "") {
    Asked asked = keyed(content, key);
    asked.reference = print(reference);
    asked.members = member_fingerprints({{"reference", reference}, {"product", "tent"}});
    return asked;
  }
  Asked read(const std::string& content) {
    Asked asked = create(content);
    asked.safe = true;
    asked.place = print("GET /v1/bookings");
    asked.collection = {};
    return asked;
  }
  Joined join(Asked asked, Duration now = 1s) {
    asked.first_byte = now;
    return table_.join(asked, now);
  }
  // Joins and ends at once.
  Identity done(const Asked& asked, bool success) {
    const Joined joined = join(asked);
    table_.ended(asked.sending, success);
    return joined.identity;
  }

  std::uint64_t counter_ = 0;
  std::uint64_t exchange_ = 0;
  OperationTable table_{counter_};
};

TEST_F(Operations, AreNumberedOverTheRunAndWithinTheLane) {
  OperationTable other(counter_);
  EXPECT_EQ(join(create("a")).identity.operation, 1U);
  Asked elsewhere = create("b");
  EXPECT_EQ(other.join(elsewhere, 1s).identity.operation, 2U);
  EXPECT_EQ(other.join(create("c"), 1s).identity.ordinal, 2U);
}

TEST_F(Operations, WithOneReferenceAreOneWhateverTheKeyOrContent) {
  const Identity first = done(referenced("a", "R1", "k1"), true);
  const Identity second = done(referenced("b", "R1", "k2"), true);
  EXPECT_EQ(first.operation, second.operation);
  EXPECT_EQ(second.attempt, 2U);
  EXPECT_EQ(second.by, IdentifiedBy::Reference);
}

TEST_F(Operations, WithOneKeyAndTwoReferencesAreTwo) {
  const Identity first = done(referenced("a", "R1", "k"), false);
  const Identity second = done(referenced("b", "R2", "k"), false);
  EXPECT_NE(first.operation, second.operation);
}

TEST_F(Operations, FollowAConfiguredIdentifierBeforeTheReference) {
  Asked first = referenced("a", "R1");
  first.configured = print("X");
  Asked second = referenced("b", "R2");
  second.configured = print("X");
  const Identity one = done(first, true);
  const Identity two = done(second, true);
  EXPECT_EQ(one.operation, two.operation);
  EXPECT_EQ(two.by, IdentifiedBy::Configured);
}

TEST_F(Operations, WithTwoReferencesAndEqualContentOtherwiseStayApart) {
  EXPECT_NE(done(referenced("a", "R1"), false).operation,
            done(referenced("a", "R2"), false).operation);
}

TEST_F(Operations, WithOneKeyAndEqualContentAreOneAlsoAfterSuccess) {
  const Identity first = done(keyed("a", "k"), true);
  const Identity second = done(keyed("a", "k"), true);
  EXPECT_EQ(first.operation, second.operation);
  EXPECT_EQ(second.by, IdentifiedBy::Key);
}

TEST_F(Operations, WithAUsedKeyAndOtherContentAfterSuccessAreTwo) {
  EXPECT_NE(done(keyed("a", "k"), true).operation, done(keyed("b", "k"), true).operation);
}

TEST_F(Operations, WithOneKeyAndOtherContentBeforeSuccessAreOneRetriedWithChanges) {
  EXPECT_EQ(done(keyed("a", "k"), false).operation, done(keyed("b", "k"), false).operation);
}

TEST_F(Operations, WithOneKeyAndOtherContentInFlightAreTwo) {
  EXPECT_NE(join(keyed("a", "k")).identity.operation, join(keyed("b", "k")).identity.operation);
}

TEST_F(Operations, WithOneKeyAtTwoPlacesAreTwo) {
  Asked elsewhere = keyed("b", "k");  // a content's hash has its place in it
  elsewhere.place = print("POST /v1/payments");
  EXPECT_NE(done(keyed("a", "k"), false).operation, done(elsewhere, false).operation);
}

TEST_F(Operations, JoinByContentWhenTheKeyChangedOnARetry) {
  const Identity first = done(keyed("a", "k1"), false);
  const Identity second = done(keyed("a", "k2"), false);
  EXPECT_EQ(first.operation, second.operation);
  EXPECT_EQ(second.by, IdentifiedBy::Content);
}

TEST_F(Operations, WithTwoKeysAreTwoAfterSuccessDespiteEqualContent) {
  EXPECT_NE(done(keyed("a", "k1"), true).operation, done(keyed("a", "k2"), true).operation);
}

TEST_F(Operations, WithTwoKeysInFlightAreTwoAndTheirKeysCanBeJudged) {
  const Joined first = join(keyed("a", "k1"));
  const Joined second = join(keyed("a", "k2"));
  EXPECT_NE(first.identity.operation, second.identity.operation);
  EXPECT_FALSE(second.identity.overlapping);
  EXPECT_TRUE(second.also_overlapping.empty());
}

TEST_F(Operations, KnownByContentJoinAfterAFailedAttempt) {
  const Identity first = done(create("a"), false);
  const Identity second = done(create("a"), false);
  EXPECT_EQ(first.operation, second.operation);
  EXPECT_EQ(second.attempt, 2U);
  EXPECT_EQ(second.by, IdentifiedBy::Content);
}

TEST_F(Operations, GoOnWhereARedirectLeadsOnce) {
  Asked first = keyed("a", "k");
  const Identity sent = join(first).identity;
  table_.redirected(first.sending.exchange, print("there"));
  table_.ended(first.sending, false);
  Asked hop = keyed("b", "k");
  hop.place = print("POST /v2/bookings");
  hop.hop = print("there");
  const Identity followed = done(hop, true);
  EXPECT_EQ(followed.operation, sent.operation);
  EXPECT_EQ(followed.attempt, 2U);
  Asked next = keyed("b", "k2");
  next.place = hop.place;
  next.hop = print("there");
  EXPECT_NE(done(next, true).operation, sent.operation);
}

TEST_F(Operations, KnownByContentStartAnewAfterSuccess) {
  EXPECT_NE(done(create("a"), true).operation, done(create("a"), true).operation);
}

TEST_F(Operations, KnownByContentJoinTheNewestOnly) {
  done(create("a"), true);
  const Identity second = done(create("a"), false);
  EXPECT_EQ(done(create("a"), false).operation, second.operation);
}

TEST_F(Operations, OfEqualContentInFlightOverlapBoth) {
  const Asked first = create("a");
  join(first);
  const Joined second = join(create("a"));
  EXPECT_TRUE(second.identity.overlapping);
  EXPECT_EQ(second.also_overlapping, std::vector<Sending>{first.sending});
}

TEST_F(Operations, OpenAgainWhenTheClientHasLeftWhileTheVendorWorks) {
  const Asked first = create("a");
  const Identity one = join(first, 1s).identity;
  table_.let_go(first.sending.exchange, 2s);
  const Joined retry = join(create("a"), 3s);
  EXPECT_EQ(retry.identity.operation, one.operation);
  EXPECT_FALSE(retry.identity.overlapping);
}

TEST_F(Operations, AreStillInFlightBeforeAScriptedCut) {
  const Asked first = create("a");
  join(first, 1s);
  table_.connection_cut(first.sending.exchange, 5s, true);
  EXPECT_TRUE(join(create("a"), 2s).identity.overlapping);
}

TEST_F(Operations, ReadAgainAfterSuccessArePolls) {
  done(read("r"), true);
  const Joined again = join(read("r"));
  EXPECT_EQ(again.role, Role::Poll);
  EXPECT_EQ(again.identity.attempt, 1U);
}

TEST_F(Operations, ReadAgainAfterFailureAreRetries) {
  const Identity first = done(read("r"), false);
  const Joined again = join(read("r"));
  EXPECT_EQ(again.role, Role::Attempt);
  EXPECT_EQ(again.identity.operation, first.operation);
}

TEST_F(Operations, OfAnUnreadAttemptAreContinuedByTheKeyItLeft) {
  Asked unread = keyed("", "k");
  unread.raw_hash = {};
  const Identity first = done(unread, false);
  EXPECT_EQ(done(referenced("a", "R1", "k"), true).operation, first.operation);
  EXPECT_EQ(done(referenced("a", "R1"), true).operation, first.operation);
}

struct ResendCase {
  const char* what;
  std::uint64_t on_connection;
  bool zero_bytes;
  Duration after;
  std::string second;
  Role role;
};

class Resend : public testing::TestWithParam<ResendCase> {};

TEST_P(Resend, IsToldFromAPolicyRetry) {
  const ResendCase& c = GetParam();
  std::uint64_t counter = 0;
  OperationTable table(counter);
  Asked asked;
  asked.sending = {1};
  asked.place = print("POST /x");
  asked.content_hash = asked.raw_hash = print("a");
  asked.reference = print("R");
  asked.on_connection = c.on_connection;
  asked.first_byte = 1s;
  table.join(asked, 1s);
  table.connection_cut(1, 2s, c.zero_bytes);
  table.ended({1}, false);
  asked.sending = {2};
  asked.on_connection = 1;
  asked.content_hash = asked.raw_hash = print(c.second);
  asked.first_byte = 2s + c.after;
  EXPECT_EQ(table.join(asked, asked.first_byte).role, c.role) << c.what;
  asked.sending = {3};
  EXPECT_EQ(table.join(asked, asked.first_byte).role, Role::Attempt) << "one cut, one resend";
}

INSTANTIATE_TEST_SUITE_P(
    Table, Resend,
    testing::Values(ResendCase{"reused", 2, true, 1ms, "a", Role::TransportResend},
                    ResendCase{"just in time", 2, true, 49ms, "a", Role::TransportResend},
                    ResendCase{"too late", 2, true, 50ms, "a", Role::Attempt},
                    ResendCase{"fresh connection", 1, true, 1ms, "a", Role::Attempt},
                    ResendCase{"an answer had begun", 2, false, 1ms, "a", Role::Attempt},
                    ResendCase{"other bytes", 2, true, 1ms, "b", Role::Attempt}));

TEST_F(Operations, AreFoundByAListWithAFilterThatNamesThem) {
  const Identity lost = done(referenced("a", "R1"), false);
  const std::vector<std::uint64_t> found = {lost.operation};
  const std::vector<std::uint64_t> none;
  EXPECT_EQ(table_.could_find({"bookings", "", {}}, 2s), found);
  EXPECT_EQ(table_.could_find({"bookings", "", {{"reference", "R1"}}}, 2s), found);
  EXPECT_EQ(table_.could_find({"bookings", "", {{"ref", "R1"}}}, 2s), found);
  EXPECT_EQ(table_.could_find({"bookings", "", {{"product", "tent"}}}, 2s), found);
  EXPECT_EQ(table_.could_find({"bookings", "", {{"product", "boat"}}}, 2s), none);
  EXPECT_EQ(table_.could_find({"payments", "", {}}, 2s), none);
}

TEST_F(Operations, AreFoundAtTheItemTheyMade) {
  const Asked lost = referenced("a", "R1");
  const Joined joined = join(lost);
  table_.add_effect(lost.sending, EffectKind::Created, "bookings", "bk_1");
  table_.ended(lost.sending, false);
  EXPECT_EQ(table_.could_find({"bookings", "bk_1", {}}, 2s),
            std::vector<std::uint64_t>{joined.identity.operation});
  EXPECT_TRUE(table_.could_find({"bookings", "bk_2", {}}, 2s).empty());
  EXPECT_TRUE(table_.shows_effect_of({joined.identity.operation}, "bookings", {"bk_2", "bk_1"}));
  EXPECT_FALSE(table_.shows_effect_of({joined.identity.operation}, "bookings", {"bk_2"}));
  EXPECT_FALSE(table_.shows_effect_of({joined.identity.operation}, "payments", {"bk_1"}));
}

TEST_F(Operations, AreNotLookedUpWhileTheyAreWaitedForOrHaveSucceeded) {
  const Asked waiting = referenced("a", "R1");
  join(waiting);
  EXPECT_TRUE(table_.could_find({"bookings", "", {}}, 2s).empty());
  table_.let_go(waiting.sending.exchange, 3s);
  EXPECT_TRUE(table_.could_find({"bookings", "", {}}, 2s).empty());
  EXPECT_EQ(table_.could_find({"bookings", "", {}}, 3s).size(), 1U);
  done(referenced("b", "R2"), true);
  EXPECT_EQ(table_.could_find({"bookings", "", {{"reference", "R2"}}}, 4s).size(), 0U);
}

TEST_F(Operations, ThatOnlyReadAreNeverLookedUp) {
  Asked lost = read("r");
  lost.collection = print("bookings");
  done(lost, false);
  EXPECT_TRUE(table_.could_find({"bookings", "", {}}, 2s).empty());
}

// Items of one batch: the exchange is one, the attempts are many.
TEST_F(Operations, OfOneBatchEndEachByItself) {
  const auto item = [&](std::size_t number, const std::string& content) {
    Asked asked = create(content);
    asked.sending = {100, number};
    return asked;
  };
  const Identity first = join(item(1, "a")).identity;
  const Identity second = join(item(2, "b")).identity;
  EXPECT_NE(first.operation, second.operation);
  table_.ended({100, 1}, true);
  table_.ended({100, 2}, false);
  EXPECT_NE(done(create("a"), true).operation, first.operation);  // it had succeeded
  const Identity again = done(create("b"), true);
  EXPECT_EQ(again.operation, second.operation);
  EXPECT_EQ(again.attempt, 2U);
}

TEST_F(Operations, OfOneBatchAreLetGoTogether) {
  for (const std::size_t number : {1U, 2U}) {
    Asked asked = create("content " + std::to_string(number));
    asked.sending = {100, number};
    join(asked, 1s);
  }
  table_.let_go(100, 2s);
  EXPECT_EQ(join(create("content 1"), 3s).identity.attempt, 2U);
  EXPECT_EQ(join(create("content 2"), 3s).identity.attempt, 2U);
}

}  // namespace
}  // namespace mishap::server
