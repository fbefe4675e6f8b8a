#include "client-tests/verdict/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client-tests/checks/history_builder.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Finding citing(std::vector<std::uint64_t> exchanges) {
  return failed(
      "h", "r",
      {{.statement = "s", .exchanges = std::move(exchanges), .effects = {}, .operation = 0}});
}

std::vector<std::string> told(const RecordingBuilder& run, const Finding& finding) {
  std::vector<std::string> lines;
  const History history = make_history(run.recording());
  for (const auto& line : timeline_of(finding, run.recording(), history)) {
    lines.push_back(seconds(line.at) + " " + line.text);
  }
  return lines;
}

TEST(Timeline, TellsALostAnswerAndTheSecondEffect) {
  RecordingBuilder r("lost");
  auto booking = r.create("r-1");
  auto first = booking.attempt(0ms).effect("bk_1").lost_by_reset(4ms);
  auto second = booking.attempt(541ms).effect("bk_2").answered(201, 543ms);
  first.raw().request.body_bytes = second.raw().request.body_bytes = 20;
  r.outcome(550ms, "r-1", OutcomeKind::Succeeded).id = "bk_2";
  EXPECT_THAT(
      told(r, citing({2})),
      ElementsAre(
          "0.000 s POST /v1/bookings  ref r-1  -> made bk_1, then RST, no byte of an answer",
          "0.004 s connection reset by the server",
          "0.54 s POST /v1/bookings  ref r-1  same body  gap 0.54 s  -> made bk_2, 201",
          "0.55 s client says succeeded bk_2"));
}

TEST(Timeline, TellsADepartureAndAnEffectThatCameAfterIt) {
  RecordingBuilder r("late");
  r.create("r-1").key("k").attempt(0ms).effect_at(3s, "bk_1").answered(201, 3s).left(1s);
  EXPECT_THAT(
      told(r, citing({1})),
      ElementsAre("0.000 s POST /v1/bookings  ref r-1  key k  -> 201 after 3.00 s, when the "
                  "client was gone",
                  "1.00 s connection closed by the client after 1.00 s, an answer still owed",
                  "3.00 s made bk_1, afterwards"));
}

TEST(Timeline, TellsACrashAndASecondLife) {
  RecordingBuilder r("crash");
  auto booking = r.create("r-1").key("k");
  auto cut = booking.attempt(100ms).effect("bk_1").left(122ms);
  server::ClientSignal& signal = cut.raw().receipt.signals.emplace_back();
  signal.name = "SIGKILL";
  signal.sent = 120ms;
  booking.attempt(450ms).answered(201, 452ms).replayed();
  ProcessFacts& first = r.process(0ms, 130ms, 0);
  first.stop = Stop::Scripted;
  first.told_to_end = 120ms;
  r.process(400ms, 500ms, 0).life = 2;
  const auto lines = told(r, citing({1}));
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[1], "0.12 s the scenario kills the client (SIGKILL)");
  EXPECT_EQ(lines[2], "0.40 s the client is started again");
  EXPECT_THAT(lines[3], HasSubstr("0.45 s POST /v1/bookings"));
}

TEST(Timeline, TellsWaitsThatWereAskedForAndResends) {
  RecordingBuilder r("wait");
  auto read = r.read("/v1/products");
  read.attempt(0ms).failed_with(429, 2ms).header("Retry-After", "2");
  read.attempt(302ms).lost_by_close(303ms);
  read.resend(304ms).spoiled(200, 306ms);
  EXPECT_THAT(told(r, citing({1})),
              ElementsAre("0.000 s GET /v1/products  -> 429 Retry-After: 2",
                          "0.30 s GET /v1/products  gap 0.30 s  -> FIN, no byte of an answer",
                          "0.30 s connection closed by the server",
                          "0.30 s GET /v1/products  resent by the transport  -> 200 with a spoiled "
                          "body"));
}

TEST(Timeline, ShowsLookupsOnceAlsoWhereTheyAreCitedThemselves) {
  RecordingBuilder r("lookup");
  auto booking = r.create("r-1");
  booking.attempt(0ms).effect().lost_by_reset(4ms);
  const auto lookup = r.lookup(100ms, {booking.number()}, true).answered(200, 102ms).number();
  const auto lines = told(r, citing({1, lookup}));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[2], HasSubstr("looks for it  -> 200, found"));
}

TEST(Timeline, TellsOfItemsOfABatchOneByOneAndOfItsEndOnce) {
  RecordingBuilder r("batch");
  auto a = r.create("r-1");
  auto b = r.create("r-2");
  r.batch(0ms, {&a, &b}).took_effect(1).lost_by_reset(4ms);
  r.batch(500ms, {&a, &b}).told({201, 503}, 504ms).by_rule(2);
  const std::string call = " POST /v1/bookings/batch  ref ";
  EXPECT_THAT(told(r, citing({2})),
              ElementsAre("0.000 s" + call + "r-1  -> made bk_1, then RST, no byte of an answer",
                          "0.000 s" + call + "r-2  -> RST, no byte of an answer",
                          "0.004 s connection reset by the server",
                          "0.50 s" + call + "r-1  gap 0.50 s  -> made bk_2, 201",
                          "0.50 s" + call + "r-2  gap 0.50 s  -> 503"));
}

TEST(Timeline, TellsRequestsThatMatchedNothing) {
  RecordingBuilder r("stray");
  r.unmatched(0ms, "GET", "/v2/x\x1b").raw().note = "nearest: GET /v1/products";
  EXPECT_THAT(told(r, citing({1})),
              ElementsAre("0.000 s GET /v2/x\\x1b  -> 404, nearest: GET /v1/products"));
}

TEST(Timeline, ShowsOnlyWhatIsCited) {
  RecordingBuilder r("two");
  r.create("r-1").attempt(0ms).answered(201, 2ms);
  r.create("r-2").attempt(5ms).answered(201, 7ms);
  EXPECT_THAT(told(r, citing({2})), SizeIs(1));
  EXPECT_THAT(told(r, citing({})), IsEmpty());
}

TEST(Timeline, LosesItsMiddleWhenLongAndSaysSo) {
  RecordingBuilder r("hammer");
  auto read = r.read();
  for (int i = 0; i < 100; ++i) read.attempt(i * 10ms).failed_with(503, i * 10ms + 1ms);
  const auto lines = told(r, citing({1}));
  ASSERT_THAT(lines, SizeIs(21));
  EXPECT_THAT(lines[14], HasSubstr("80 moments left out"));
  EXPECT_THAT(lines[20], HasSubstr("0.99 s"));
}

}  // namespace
}  // namespace mishap::client_tests
