#include "client-tests/clients/booking_client/booking_api.h"

#include <gtest/gtest.h>

namespace booking {
namespace {

Answer answer(int status, std::string body, std::string type = "application/json") {
  Answer out;
  out.ending = Ending::Answered;
  out.status = status;
  out.content_type = std::move(type);
  out.body = std::move(body);
  return out;
}

std::string category_of(const Judgement& judgement) {
  const Failure* failure = std::get_if<Failure>(&judgement);
  return failure == nullptr ? "success" : name_of(failure->category);
}

TEST(JudgeBooking, BelievesOnlyAWholeAnswerWithAnIdAndOurReference) {
  const std::string good = R"({"id": "bk_1", "reference": "r-1", "new": [1]})";
  struct {
    Answer given;
    const char* category;
  } const cases[] = {
      {answer(201, good), "success"},
      {answer(200, good), "success"},
      {answer(201, good, "application/vnd.vendor+json; charset=utf-8"), "success"},
      {answer(201, good, ""), "success"},
      {answer(201, "\xef\xbb\xbf" + good), "success"},  // a byte order mark is harmless
      {answer(202, good), "invalid_response"},
      {answer(204, ""), "invalid_response"},
      {answer(201, ""), "invalid_response"},
      {answer(201, good.substr(0, good.size() - 1)), "invalid_response"},
      {answer(201, good + good), "invalid_response"},
      {answer(201, "null"), "invalid_response"},
      {answer(201, '[' + good + ']'), "invalid_response"},
      {answer(201, "<html></html>", "text/html"), "invalid_response"},
      {answer(201, good, "text/html"), "invalid_response"},
      {answer(201, R"({"id": "bk_1"})"), "invalid_response"},
      {answer(201, R"({"reference": "r-1"})"), "invalid_response"},
      {answer(201, R"({"id": "", "reference": "r-1"})"), "invalid_response"},
      {answer(201, R"({"id": 7, "reference": "r-1"})"), "invalid_response"},
      {answer(201, R"({"id": "bk_1", "reference": "r-2"})"), "invalid_response"},
      {answer(201, "{\"id\": \"bk_\xff\", \"reference\": \"r-1\"}"), "invalid_response"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.given.body);
    EXPECT_EQ(category_of(judge_booking(c.given, "r-1")), c.category);
  }
}

TEST(JudgeLookup, FindsOurReferenceAmongWhateverIsListed) {
  const std::string ours = R"({"id": "bk_2", "reference": "r-1"})";
  const std::string other = R"({"id": "bk_1", "reference": "r-2"})";
  const auto list = [](const std::string& items) {
    return answer(200, R"({"items": [)" + items + R"(], "total": 1})");
  };
  EXPECT_EQ(std::get<Success>(judge_lookup(list(other + ',' + ours), "r-1")).id, "bk_2");
  EXPECT_EQ(category_of(judge_lookup(list(other), "r-1")), "not_found_yet");
  EXPECT_EQ(category_of(judge_lookup(list(""), "r-1")), "not_found_yet");
  EXPECT_EQ(category_of(judge_lookup(list("null"), "r-1")), "invalid_response");
  EXPECT_EQ(category_of(judge_lookup(answer(200, ours), "r-1")), "invalid_response");
}

TEST(JudgeProducts, WantsAList) {
  EXPECT_EQ(category_of(judge_products(answer(200, R"({"items": []})"))), "success");
  EXPECT_EQ(category_of(judge_products(answer(200, R"({"items": {}})"))), "invalid_response");
  EXPECT_EQ(category_of(judge_products(answer(200, "[]"))), "invalid_response");
  EXPECT_EQ(category_of(judge_products(answer(503, ""))), "unavailable");
}

struct StatusCase {
  int status;
  const char* category;
  bool retryable;
  Effect effect;
};

TEST(FailureOf, SortsStatusesByWhatTheySayAboutTryingAgainAndAboutEffects) {
  const StatusCase cases[] = {
      {408, "timeout", true, Effect::Unknown},     {425, "throttling", true, Effect::None},
      {429, "throttling", true, Effect::None},     {500, "unavailable", true, Effect::Unknown},
      {502, "unavailable", true, Effect::Unknown}, {503, "unavailable", true, Effect::Unknown},
      {504, "unavailable", true, Effect::Unknown}, {501, "permanent", false, Effect::None},
      {505, "permanent", false, Effect::None},     {511, "permanent", false, Effect::Unknown},
      {303, "permanent", false, Effect::Unknown},  {400, "permanent", false, Effect::None},
      {401, "permanent", false, Effect::None},     {404, "permanent", false, Effect::None},
      {409, "permanent", false, Effect::None},     {413, "permanent", false, Effect::None},
      {422, "permanent", false, Effect::None},
  };
  for (const StatusCase& c : cases) {
    SCOPED_TRACE(c.status);
    const auto failure = failure_of(answer(c.status, "{}", "application/problem+json"));
    ASSERT_TRUE(failure);
    EXPECT_STREQ(name_of(failure->category), c.category);
    EXPECT_EQ(failure->retryable, c.retryable);
    EXPECT_EQ(failure->effect, c.effect);
  }
}

TEST(FailureOf, TellsAnAttemptInProgressFromAConflictByTheProblemType) {
  const auto problem = [](const char* type) {
    return answer(409, std::string(R"({"type": ")") + type + R"("})", "application/problem+json");
  };
  const auto in_progress = failure_of(problem("https://vendor/idempotency-key-in-progress"));
  EXPECT_EQ(in_progress->category, Category::InProgress);
  EXPECT_TRUE(in_progress->retryable);
  EXPECT_EQ(failure_of(problem("https://vendor/date-taken"))->category, Category::Permanent);
}

TEST(FailureOf, TakesA413AsTemporaryOnlyWithAValidTimeToComeBack) {
  Answer too_large = answer(413, "");
  too_large.retry_after = {"soon"};
  EXPECT_FALSE(failure_of(too_large)->retryable);
  too_large.retry_after = {"1"};
  EXPECT_TRUE(failure_of(too_large)->retryable);
}

TEST(CreateRequest, QuotesItsKeyAndSendsTheStoredBytes) {
  Environment environment;
  environment.base_path = "/base";
  environment.token = "secret";
  const Intent intent{"r-1", "k-1", booking_body("r-1", 1)};
  const Request request = create_request(environment, intent, intent.key);
  EXPECT_EQ(request.target, "/base/v1/bookings");
  EXPECT_EQ(request.body, intent.body);
  const auto has = [&](const char* name, const char* value) {
    for (const auto& header : request.headers) {
      if (header.first == name) return header.second == value;
    }
    return false;
  };
  EXPECT_TRUE(has("Idempotency-Key", "\"k-1\""));
  EXPECT_TRUE(has("Authorization", "Bearer secret"));
  EXPECT_EQ(lookup_request(environment, "reference", "a b&c").target,
            "/base/v1/bookings?reference=a%20b%26c");
}

}  // namespace
}  // namespace booking
