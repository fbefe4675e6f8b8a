#include <mishap/history.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client-tests/checks/history_builder.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::SizeIs;

// --- Gaps, hedges, abandonment ----------------------------------------------------------------

const Operation& only(const History& history) {
  EXPECT_THAT(history.operations, SizeIs(1));
  return history.operations.at(0);
}

TEST(Gap, RunsFromTheLastWriteToTheNextFirstByte) {
  RecordingBuilder r("gap");
  auto booking = r.create("ref-1");
  booking.attempt(0ms).failed_with(503, 300ms).dribbled_from(4ms);
  booking.attempt(1000ms).effect().answered(201, 1002ms);
  const History history = make_history(r.recording());
  EXPECT_EQ(only(history).attempts[0].gap, std::nullopt);
  EXPECT_EQ(only(history).attempts[1].gap, 700ms);
}

TEST(Gap, RunsFromOurReset) {
  RecordingBuilder r("gap");
  auto booking = r.create("ref-1");
  booking.attempt(0ms).lost_by_reset(4ms);
  booking.attempt(504ms).answered(201, 506ms);
  const History history = make_history(r.recording());
  EXPECT_EQ(only(history).attempts[1].gap, 500ms);
}

TEST(Gap, AfterATimeoutRunsFromTheClientsCloseAndNotFromTheRequest) {
  RecordingBuilder r("gap");
  auto booking = r.create("ref-1");
  booking.attempt(0ms).stalled().left(2000ms);
  booking.attempt(2300ms).answered(201, 2302ms);
  const History history = make_history(r.recording());
  EXPECT_EQ(only(history).attempts[1].gap, 300ms);
  EXPECT_FALSE(only(history).attempts[1].hedged);
}

TEST(Gap, IsAbsentAfterASuccessAndAfterARedirect) {
  RecordingBuilder r("gap");
  auto booking = r.create("ref-1");
  booking.attempt(0ms).answered(201, 2ms);
  booking.attempt(3ms).answered(302, 4ms);
  booking.attempt(5ms).answered(201, 6ms);
  const History history = make_history(r.recording());
  EXPECT_EQ(only(history).attempts[1].gap, std::nullopt);
  EXPECT_EQ(only(history).attempts[2].gap, std::nullopt);
}

TEST(Resend, HasTheNumberOfItsOriginalAndNoGap) {
  RecordingBuilder r("resend");
  auto booking = r.create("ref-1");
  booking.attempt(0ms).lost_by_close(4ms);
  booking.resend(5ms).failed_with(503, 9ms);
  booking.attempt(109ms).answered(201, 110ms);
  const History history = make_history(r.recording());
  const auto& attempts = only(history).attempts;
  EXPECT_TRUE(attempts[1].transport_resend);
  EXPECT_EQ(attempts[1].policy_number, 1u);
  EXPECT_EQ(attempts[1].gap, std::nullopt);
  EXPECT_FALSE(attempts[1].hedged);
  EXPECT_EQ(attempts[2].policy_number, 2u);
  EXPECT_EQ(attempts[2].gap, 100ms);  // from the end of the resend, the failure the client saw
  EXPECT_EQ(only(history).policy_attempts, 2u);
}

TEST(Redirect, ThatIsFollowedElsewhereIsOneAttempt) {
  RecordingBuilder r("redirect");
  auto booking = r.create("ref-1").key("k1");
  booking.attempt(0ms).answered(307, 1ms);
  booking.attempt(2ms).failed_with(503, 3ms).raw().request.path = "/v2/bookings";
  booking.attempt(100ms).answered(307, 101ms);
  booking.attempt(102ms).answered(307, 103ms);
  const History history = make_history(r.recording());
  const auto& attempts = only(history).attempts;
  EXPECT_EQ(attempts[1].policy_number, 1u);
  EXPECT_EQ(attempts[2].policy_number, 2u);
  EXPECT_EQ(attempts[3].policy_number, 3u) << "back to where it came from";
}

TEST(Hedge, IsSentWhileTheAttemptBeforeIsStillOwed) {
  RecordingBuilder r("hedge");
  auto booking = r.create("ref-1").key("k1");
  booking.attempt(0ms).effect().answered(201, 3000ms);
  booking.attempt(500ms).answered(201, 502ms).replayed();
  const History history = make_history(r.recording());
  const auto& attempts = only(history).attempts;
  EXPECT_TRUE(attempts[1].hedged);
  EXPECT_EQ(attempts[1].gap, std::nullopt);
  EXPECT_EQ(attempts[0].abandoned_at, 500ms);
  // It still listened, so the answer reached it; but when it sent again it could not know.
  EXPECT_EQ(attempts[0].result, Result::Success);
  EXPECT_EQ(attempts[0].knowable, Knowable::Ambiguous);
}

TEST(Hedge, ThatWonLetsTheLoserBeDroppedAfterwards) {
  RecordingBuilder r("hedge");
  auto booking = r.create("ref-1").key("k1");
  booking.attempt(0ms).stalled().left(502ms);
  booking.attempt(500ms).answered(201, 501ms);
  const History history = make_history(r.recording());
  EXPECT_TRUE(only(history).attempts[1].hedged);
  EXPECT_EQ(only(history).attempts[1].gap, std::nullopt);  // though the first ended, abandoned
  EXPECT_EQ(only(history).attempts[0].abandoned_at, 500ms);
}

TEST(Hedge, IsNotACloseThatTheServerNoticedAMomentAfterTheNextAttempt) {
  RecordingBuilder r("close race");
  auto booking = r.create("ref-1").key("k1");
  booking.attempt(0ms).stalled().left(501ms);
  booking.attempt(500ms).answered(201, 503ms);
  const History history = make_history(r.recording());
  EXPECT_FALSE(only(history).attempts[1].hedged);
  EXPECT_EQ(only(history).attempts[1].gap, 0ms);
  EXPECT_EQ(only(history).attempts[0].abandoned_at, 501ms);
}

TEST(Hedge, IsNotAnAttemptAfterTheClientLeft) {
  RecordingBuilder r("no hedge");
  auto booking = r.create("ref-1");
  booking.attempt(0ms).effect().answered(201, 3000ms).left(1000ms);
  booking.attempt(1200ms).effect().answered(201, 1202ms);
  const History history = make_history(r.recording());
  EXPECT_FALSE(only(history).attempts[1].hedged);
  EXPECT_EQ(only(history).attempts[1].gap, 200ms);
}

TEST(Abandonment, IsTheFirstOfCloseNextAttemptAndLastWord) {
  struct Row {
    std::string name;
    std::optional<Duration> close;
    std::optional<Duration> next;
    std::optional<Duration> word;
    std::optional<Duration> expected;
  };
  const std::vector<Row> rows{
      {"close alone", 900ms, {}, {}, 900ms},
      {"close first", 700ms, 800ms, 900ms, 700ms},
      {"next attempt first", 900ms, 700ms, 800ms, 700ms},
      {"last word first", 900ms, 800ms, 700ms, 700ms},
      {"nothing", {}, {}, {}, {}},
  };
  for (const Row& row : rows) {
    RecordingBuilder r("abandoned");
    auto booking = r.create("ref-1");
    auto first = booking.attempt(0ms);
    first.stalled();
    if (row.close) first.left(*row.close);
    if (row.next) booking.attempt(*row.next).answered(201, *row.next + 2ms);
    if (row.word) r.outcome(*row.word, "ref-1", OutcomeKind::Failed);
    const History history = make_history(r.recording());
    EXPECT_EQ(only(history).attempts[0].abandoned_at, row.expected) << row.name;
  }
}

// Browsers and libraries open connections ahead, and whoever waits for a port opens one to look.
TEST(Attempt, IsARequestAndNoConnectionOnWhichNoneCame) {
  RecordingBuilder r("x");
  for (std::uint64_t ahead = 1; ahead <= 3; ++ahead) {
    server::Connection& connection = r.recording().journal.connections.emplace_back();
    connection.number = 100 + ahead;
    connection.accepted = 1ms;
    connection.departed = connection.closed = 2ms;
    connection.departure = server::Departure::Fin;
  }
  auto call = r.create("a").key("k");
  call.attempt(10ms).effect().answered(201, 12ms);
  r.process(0ms, 20ms, 0);
  const CaseOf told(r);
  ASSERT_THAT(told.history.operations, SizeIs(1));
  EXPECT_EQ(told.history.operations[0].policy_attempts, 1U);
  EXPECT_TRUE(told.history.unmatched.empty());
}

TEST(Abandonment, NeedsAnAnswerThatIsStillOwed) {
  RecordingBuilder r("answered");
  auto booking = r.create("ref-1");
  booking.attempt(0ms).failed_with(503, 2ms).left(5ms);
  booking.attempt(100ms).answered(201, 102ms).left(110ms);
  r.outcome(105ms, "ref-1", OutcomeKind::Succeeded);
  const History history = make_history(r.recording());
  EXPECT_EQ(only(history).attempts[0].abandoned_at, std::nullopt);
  EXPECT_EQ(only(history).attempts[1].abandoned_at, std::nullopt);
  EXPECT_EQ(only(history).attempts[1].result, Result::Success);
}

TEST(Abandonment, ByALastWordTakesTheLateAnswerAway) {
  RecordingBuilder r("gave up, answer came late");
  r.create("ref-1").attempt(0ms).effect().answered(201, 3000ms);
  r.outcome(1000ms, "ref-1", OutcomeKind::Failed);
  const History history = make_history(r.recording());
  EXPECT_EQ(only(history).attempts[0].result, Result::Abandoned);
  EXPECT_EQ(only(history).attempts[0].failed_at, 1000ms);
}

TEST(Abandonment, ByPendingCountsOnlyAsTheLastLineOfAClientThatWasNotKilled) {
  const auto abandoned = [](bool last, Stop stop) {
    RecordingBuilder r("pending");
    r.create("ref-1").attempt(0ms).stalled();
    r.outcome(1000ms, "ref-1", OutcomeKind::Pending);
    if (!last) r.outcome(1500ms, "ref-1", OutcomeKind::Failed);
    r.process(0ms, 40s, 0).stop = stop;
    return make_history(r.recording()).operations.at(0).attempts.at(0).abandoned_at;
  };
  EXPECT_EQ(abandoned(true, Stop::Exited), 1000ms);
  EXPECT_EQ(abandoned(false, Stop::Exited), 1500ms);
  EXPECT_EQ(abandoned(true, Stop::Killed), std::nullopt);
}

TEST(TruthOfAReplay, IsTheEarlierEffectOfTheSameOperation) {
  RecordingBuilder r("replay");
  auto booking = r.create("ref-1").key("k1");
  booking.attempt(0ms).effect().lost_by_reset(4ms);
  booking.attempt(500ms).answered(201, 502ms).replayed();
  const History history = make_history(r.recording());
  EXPECT_EQ(only(history).attempts[1].truth, Truth::Effect);
}

TEST(TruthOfAReplay, IsNoEffectWhereTheEffectIsAnotherOperations) {
  RecordingBuilder r("one key for everything");
  r.create("ref-1").key("k").attempt(0ms).effect().answered(201, 2ms);
  r.create("ref-2").key("k").attempt(10ms).answered(201, 12ms).replayed();
  const History history = make_history(r.recording());
  EXPECT_EQ(history.operations.at(1).attempts[0].truth, Truth::NoEffect);
}

// --- Operations
// -----------------------------------------------------------------------------------

TEST(OperationOfHistory, HasItsClassFromMethodAndKey) {
  struct Row {
    std::string method;
    std::vector<std::string> keys;  // of its attempts
    OperationClass expected;
  };
  const std::vector<Row> rows{
      {"GET", {""}, OperationClass::Safe},           {"PUT", {""}, OperationClass::Idempotent},
      {"DELETE", {"k"}, OperationClass::Idempotent}, {"POST", {""}, OperationClass::Unkeyed},
      {"POST", {"k", ""}, OperationClass::Keyed},    {"POST", {"", "k"}, OperationClass::Keyed},
      {"PATCH", {""}, OperationClass::Unkeyed},
  };
  for (const Row& row : rows) {
    RecordingBuilder r("class");
    auto operation = r.operation(row.method, "/v1/bookings/bk_1");
    Duration at{};
    for (const auto& key : row.keys) {
      operation.attempt(at).key(key).failed_with(503, at + 2ms);
      at += 100ms;
    }
    EXPECT_EQ(to_string(make_history(r.recording()).operations.at(0).klass),
              to_string(row.expected))
        << row.method;
  }
}

TEST(OperationOfHistory, HoldsItsDistinctKeysWithoutQuotesInOrder) {
  RecordingBuilder r("keys");
  auto booking = r.create();
  booking.attempt(0ms).key("\"b\"").failed_with(503, 2ms);
  booking.attempt(10ms).key("a").failed_with(503, 12ms);
  booking.attempt(20ms).key("b").answered(201, 22ms);
  const History history = make_history(r.recording());
  EXPECT_THAT(only(history).keys, ElementsAre("b", "a"));
}

TEST(OperationOfHistory, IsNamedByItsReferenceElseItsKeyElseItsCall) {
  RecordingBuilder r("names");
  r.create("ref-1").key("k").attempt(0ms).answered(201, 1ms);
  r.create().key("short").attempt(2ms).answered(201, 3ms);
  r.create().key("0123456789abcdef").attempt(4ms).answered(201, 5ms);
  r.create().attempt(6ms).answered(201, 7ms);
  const History history = make_history(r.recording());
  EXPECT_EQ(history.operations.at(0).name, "ref-1");
  EXPECT_EQ(history.operations.at(1).name, "key short");
  EXPECT_EQ(history.operations.at(2).name, "key 01234567…");
  EXPECT_EQ(history.operations.at(3).name, "POST /v1/bookings #4");
}

TEST(OperationOfHistory, TakesItsAttemptsInOrderOfFirstByte) {
  RecordingBuilder r("order");
  auto booking = r.create("ref-1");
  booking.attempt(500ms).answered(201, 502ms);
  booking.attempt(0ms).failed_with(503, 2ms);
  const History history = make_history(r.recording());
  EXPECT_EQ(only(history).attempts[0].exchange->first_byte, 0ms);
  EXPECT_EQ(only(history).attempts[1].gap, 498ms);
}

TEST(OperationOfHistory, SeesLookupsAndEveryReadIsAnOperationToo) {
  RecordingBuilder r("lookup");
  auto booking = r.create("ref-1");
  booking.attempt(0ms).effect().lost_by_reset(4ms);
  auto other = r.create("ref-2");
  other.attempt(10ms).answered(201, 12ms);
  r.lookup(100ms, {booking.number()}, true).answered(200, 102ms);
  const History history = make_history(r.recording());
  ASSERT_THAT(history.operations, SizeIs(3));
  EXPECT_THAT(history.operations[0].lookups, SizeIs(1));
  EXPECT_THAT(history.operations[1].lookups, SizeIs(0));
  EXPECT_EQ(history.operations[0].policy_attempts, 1u);
  EXPECT_EQ(history.operations[2].klass, OperationClass::Safe);
}

TEST(OperationOfHistory, IsNoRetrierWhenItPolls) {
  RecordingBuilder r("poller");
  auto status = r.read("/v1/bookings/bk_1");
  status.attempt(0ms).answered(200, 2ms);
  status.poll(100ms).answered(200, 102ms);
  status.poll(200ms).answered(200, 202ms);
  const History history = make_history(r.recording());
  ASSERT_THAT(history.operations, SizeIs(3));
  EXPECT_FALSE(history.operations[0].polled);
  EXPECT_TRUE(history.operations[1].polled);
  EXPECT_EQ(history.operations[2].policy_attempts, 1u);
}

TEST(OperationOfHistory, OwnsItsEffectsAndNoOthers) {
  RecordingBuilder r("effects");
  r.create("ref-1").attempt(0ms).effect("bk_1").answered(201, 2ms);
  auto second = r.create("ref-2");
  second.attempt(10ms).effect("bk_2").lost_by_reset(12ms);
  second.attempt(20ms).effect("bk_3").answered(201, 22ms);
  const History history = make_history(r.recording());
  EXPECT_THAT(history.operations.at(0).effects, SizeIs(1));
  ASSERT_THAT(history.operations.at(1).effects, SizeIs(2));
  EXPECT_EQ(history.operations.at(1).effects[1]->id, "bk_3");
}

TEST(OperationOfHistory, IsOverlappingWhereOneOfItsAttemptsWas) {
  RecordingBuilder r("overlap");
  auto booking = r.create();
  booking.attempt(0ms).failed_with(503, 2ms);
  booking.attempt(10ms).overlapping().answered(201, 12ms);
  EXPECT_TRUE(only(make_history(r.recording())).overlapping);
}

// --- Outcomes ---------------------------------------------------------------------------------

TEST(Outcomes, BelongToTheOperationOfTheSameCopyByReferenceOrKey) {
  RecordingBuilder r("outcomes");
  r.create("ref-1").key("k1").attempt(0ms).answered(201, 2ms);
  r.create("ref-1").key("k1").lane(1).attempt(0ms).answered(201, 2ms);
  r.outcome(5ms, "ref-1", OutcomeKind::Pending, 0);
  r.outcome(6ms, "\"k1\"", OutcomeKind::Succeeded, 0);
  r.outcome(7ms, "k1", OutcomeKind::Failed, 1);
  r.outcome(8ms, "ref-1", OutcomeKind::Failed, 2);
  r.outcome(9ms, "GET /v1/products", OutcomeKind::Succeeded, 0);
  const History history = make_history(r.recording());
  EXPECT_THAT(history.operations.at(0).outcomes, SizeIs(2));
  EXPECT_THAT(history.operations.at(1).outcomes, SizeIs(1));
  ASSERT_THAT(history.orphan_outcomes, SizeIs(1));
  ASSERT_THAT(history.read_outcomes, SizeIs(1));
  EXPECT_EQ(history.read_outcomes[0]->operation, "GET /v1/products");
  EXPECT_EQ(history.orphan_outcomes[0]->copy, 2);
}

TEST(Outcomes, GoToTheReferenceBeforeTheKey) {
  RecordingBuilder r("outcomes");
  r.create("a").key("b").attempt(0ms).answered(201, 2ms);
  r.create("b").key("c").attempt(4ms).answered(201, 6ms);
  r.outcome(8ms, "b", OutcomeKind::Succeeded);
  const History history = make_history(r.recording());
  EXPECT_THAT(history.operations.at(0).outcomes, SizeIs(0));
  EXPECT_THAT(history.operations.at(1).outcomes, SizeIs(1));
}

TEST(HistoryOfARun, KeepsWhatBelongsToNoOperationApart) {
  RecordingBuilder r("unmatched");
  r.unmatched(0ms, "GET", "/v2/nothing");
  r.create("ref-1").attempt(10ms).answered(201, 12ms);
  const History history = make_history(r.recording());
  EXPECT_THAT(history.operations, SizeIs(1));
  ASSERT_THAT(history.unmatched, SizeIs(1));
  EXPECT_EQ(history.unmatched[0]->request.path, "/v2/nothing");
}

// --- The small things of check.h
// ------------------------------------------------------------------

TEST(BoundsOf, TakesThePromiseAndElseTheDefaults) {
  scenarios::Promise promise;
  promise.max_attempts = 3;
  promise.deadline = 5s;
  promise.retries = false;
  const Bounds bounds = bounds_of(promise);
  EXPECT_EQ(bounds.max_attempts, 3);
  EXPECT_TRUE(bounds.max_attempts_promised);
  EXPECT_EQ(bounds.deadline, 5s);
  EXPECT_TRUE(bounds.deadline_promised);
  EXPECT_EQ(bounds.attempt_timeout, 30s);
  EXPECT_FALSE(bounds.attempt_timeout_promised);
  EXPECT_EQ(bounds.retries, false);
  EXPECT_EQ(bounds_of({}).retries, std::nullopt);
}

TEST(LateTolerance, IsATenthButAtLeastAQuarterSecond) {
  EXPECT_EQ(late_tolerance(1s), 250ms);
  EXPECT_EQ(late_tolerance(10s), 1s);
}

TEST(Seconds, ReadsAsPeopleWriteThem) {
  EXPECT_EQ(seconds(1720ms), "1.72 s");
  EXPECT_EQ(seconds(4ms), "0.004 s");
  EXPECT_EQ(seconds(99400us), "0.099 s");
  EXPECT_EQ(seconds(99700us), "0.10 s");
  EXPECT_EQ(seconds(0ms), "0.000 s");
  EXPECT_EQ(seconds(40s), "40.00 s");
}

}  // namespace
}  // namespace mishap::client_tests
