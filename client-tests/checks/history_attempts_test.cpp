#include <functional>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mishap/history.h>

#include "client-tests/checks/history_builder.h"

// How one attempt ended, what it proves, what happened.
namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;
using server::Departure;
using server::Ending;
using ::testing::SizeIs;

struct EndCase {
  std::string name;
  std::function<void(ExchangeBuilder&)> tell;
  Result result;
  Knowable knowable;
  Truth truth;
  std::optional<Duration> failed_at;
};

void PrintTo(const EndCase& end_case, std::ostream* out) {
  *out << end_case.name;
}

class AttemptEnd : public ::testing::TestWithParam<EndCase> {};

TEST_P(AttemptEnd, IsReadFromReceiptAndLedger) {
  RecordingBuilder r("end");
  auto attempt = r.create("ref-1").attempt(10ms);
  GetParam().tell(attempt);
  const History history = make_history(r.recording());
  ASSERT_THAT(history.operations, SizeIs(1));
  const Attempt& judged = history.operations[0].attempts.at(0);
  EXPECT_EQ(to_string(judged.result), to_string(GetParam().result));
  EXPECT_EQ(to_string(judged.knowable), to_string(GetParam().knowable));
  EXPECT_EQ(to_string(judged.truth), to_string(GetParam().truth));
  EXPECT_EQ(judged.failed_at, GetParam().failed_at);
}

using E = ExchangeBuilder;
constexpr auto kNothing = std::nullopt;

const std::vector<EndCase> kAnswers{
    {"HealthyCreate", [](E& e) { e.effect().answered(201, 12ms); }, Result::Success,
     Knowable::Processed, Truth::Effect, kNothing},
    {"HealthyReadLike", [](E& e) { e.answered(200, 12ms); }, Result::Success, Knowable::Processed,
     Truth::NoEffect, kNothing},
    {"JunkBody", [](E& e) { e.effect().spoiled(201, 12ms); }, Result::Spoiled, Knowable::Ambiguous,
     Truth::Effect, 12ms},
    {"Redirect", [](E& e) { e.answered(302, 12ms); }, Result::Redirect, Knowable::Processed,
     Truth::NoEffect, kNothing},
    {"TooMany", [](E& e) { e.failed_with(429, 12ms); }, Result::Throttled, Knowable::NotProcessed,
     Truth::NoEffect, 12ms},
    {"UnavailableForAWhile", [](E& e) { e.failed_with(503, 12ms).header("retry-AFTER", "2"); },
     Result::Throttled, Knowable::Ambiguous, Truth::NoEffect, 12ms},
    {"Unavailable", [](E& e) { e.failed_with(503, 12ms); }, Result::ServerError,
     Knowable::Ambiguous, Truth::NoEffect, 12ms},
    {"TooLargeForNow", [](E& e) { e.failed_with(413, 12ms).header("Retry-After", "2"); },
     Result::Throttled, Knowable::NotProcessed, Truth::NoEffect, 12ms},
    {"TooLarge", [](E& e) { e.failed_with(413, 12ms); }, Result::ClientError,
     Knowable::NotProcessed, Truth::NoEffect, 12ms},
    {"BadRequestWithRetryAfter", [](E& e) { e.failed_with(400, 12ms).header("Retry-After", "2"); },
     Result::ClientError, Knowable::NotProcessed, Truth::NoEffect, 12ms},
    {"RequestTimeout", [](E& e) { e.failed_with(408, 12ms); }, Result::ClientError,
     Knowable::Ambiguous, Truth::NoEffect, 12ms},
    {"Conflict", [](E& e) { e.failed_with(409, 12ms); }, Result::ClientError, Knowable::Ambiguous,
     Truth::NoEffect, 12ms},
    {"Misdirected", [](E& e) { e.failed_with(421, 12ms); }, Result::ClientError,
     Knowable::NotProcessed, Truth::NoEffect, 12ms},
    {"TooEarly", [](E& e) { e.failed_with(425, 12ms); }, Result::ClientError,
     Knowable::NotProcessed, Truth::NoEffect, 12ms},
    {"ErrorAfterTheEffect", [](E& e) { e.effect().failed_with(500, 12ms); }, Result::ServerError,
     Knowable::Ambiguous, Truth::Effect, 12ms},
    {"DribbledUntilItsLastWrite", [](E& e) { e.failed_with(502, 900ms).dribbled_from(12ms); },
     Result::ServerError, Knowable::Ambiguous, Truth::NoEffect, 900ms},
};
INSTANTIATE_TEST_SUITE_P(Answers, AttemptEnd, ::testing::ValuesIn(kAnswers),
                         [](const auto& row) { return row.param.name; });

const std::vector<EndCase> kLosses{
    {"ResetAfterTheEffect", [](E& e) { e.effect().lost_by_reset(14ms); }, Result::Broken,
     Knowable::Ambiguous, Truth::Effect, 14ms},
    {"ClosedWithoutAByte", [](E& e) { e.lost_by_close(14ms); }, Result::Broken, Knowable::Ambiguous,
     Truth::NoEffect, 14ms},
    {"ResetBeforeTheRequestWasWhole", [](E& e) { e.incomplete().lost_by_reset(14ms); },
     Result::Broken, Knowable::Ambiguous, Truth::NotReceived, 14ms},
    {"CutInTheBody", [](E& e) { e.effect().cut(201, 12ms, 13ms); }, Result::Broken,
     Knowable::Ambiguous, Truth::Effect, 13ms},
    {"CutInTheBodyThenSilence",
     [](E& e) { e.effect().cut(201, 12ms, 13ms, Ending::Stalled).left(1s); }, Result::Abandoned,
     Knowable::Ambiguous, Truth::Effect, 1s},
    {"EffectAfterTheReset", [](E& e) { e.effect_at(3s).lost_by_reset(14ms); }, Result::Broken,
     Knowable::Ambiguous, Truth::EffectLater, 14ms},
    {"LeftDuringAStall", [](E& e) { e.stalled().left(2s); }, Result::Abandoned, Knowable::Ambiguous,
     Truth::NoEffect, 2s},
    {"LeftByReset", [](E& e) { e.effect().left(2s, Departure::Rst); }, Result::Abandoned,
     Knowable::Ambiguous, Truth::Effect, 2s},
    {"LeftBeforeTheAnswerWasWritten", [](E& e) { e.effect().answered(201, 3s).left(1s); },
     Result::Abandoned, Knowable::Ambiguous, Truth::Effect, 1s},
    {"LeftBeforeTheEffect", [](E& e) { e.effect_at(2s).answered(201, 3s).left(1s); },
     Result::Abandoned, Knowable::Ambiguous, Truth::EffectLater, 1s},
    {"LeftAfterTheAnswer", [](E& e) { e.effect().answered(201, 12ms).left(13ms); }, Result::Success,
     Knowable::Processed, Truth::Effect, kNothing},
    {"LeftBeforeOurReset", [](E& e) { e.lost_by_reset(2s).left(1s); }, Result::Abandoned,
     Knowable::Ambiguous, Truth::NoEffect, 1s},
    {"LeftAfterOurClose", [](E& e) { e.lost_by_close(14ms).left(15ms); }, Result::Broken,
     Knowable::Ambiguous, Truth::NoEffect, 14ms},
    {"StillOwedAtTheEnd", [](E&) {}, Result::Unanswered, Knowable::Ambiguous, Truth::NoEffect,
     kNothing},
    {"StillSilentAtTheEnd", [](E& e) { e.stalled(); }, Result::Unanswered, Knowable::Ambiguous,
     Truth::NoEffect, kNothing},
};
INSTANTIATE_TEST_SUITE_P(Losses, AttemptEnd, ::testing::ValuesIn(kLosses),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace mishap::client_tests
