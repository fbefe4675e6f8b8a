// The operations against a transport that answers by script: nothing here opens a socket.
#include "client-tests/clients/booking_client/bookings.h"

#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace booking {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr const char* kReference = "r-1";

Answer answered(int status, std::string body, std::vector<std::string> retry_after = {}) {
  return {Ending::Answered, status, "application/json", std::move(retry_after), std::move(body)};
}

Answer created() {
  return answered(201, R"({"id": "bk_1", "reference": "r-1"})");
}
Answer listed() {
  return answered(200, R"({"items": [{"id": "bk_1", "reference": "r-1"}], "total": 1})");
}
Answer nothing_listed() {
  return answered(200, R"({"items": [], "total": 0})");
}
Answer status(int code) {
  return answered(code, "{}");
}
Answer without_answer(Ending ending) {
  return {ending, 0, "", {}, ""};
}

// Creates are answered from one list, everything else from another; what is left over is an error.
class ScriptedTransport : public Transport {
 public:
  std::deque<Answer> creates, lookups;
  std::vector<Request> sent;

  Answer exchange(const Request& request, milliseconds /*limit*/) override {
    sent.push_back(request);
    std::deque<Answer>& script = request.method == "POST" ? creates : lookups;
    if (script.empty()) {
      ADD_FAILURE() << "not in the script: " << request.method << ' ' << request.target;
      return without_answer(Ending::NotConnected);
    }
    Answer next = script.front();
    script.pop_front();
    return next;
  }
  void drop_connection() override { ++drops; }

  std::set<std::string> keys() const {
    std::set<std::string> out;
    for (const Request& request : sent) {
      for (const auto& [name, value] : request.headers) {
        if (name == "Idempotency-Key") out.insert(value);
      }
    }
    return out;
  }

  int drops = 0;
};

class BookingsTest : public testing::Test {
 protected:
  BookingsTest() {
    folder_ = fs::temp_directory_path() / ("bookings-test-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    environment_.state = folder_ / "state";
    environment_.outcomes = folder_ / "outcomes";
    settings_.base = settings_.min_delay = 1ms;
    settings_.max_delay = 2ms;
  }
  ~BookingsTest() override { fs::remove_all(folder_); }

  bool create() {
    Habits habits(settings_);
    return Bookings(environment_, habits, transport_).create(1);
  }

  // The last line of the outcome file, as "outcome attempts".
  std::string told() const {
    std::ifstream file(*environment_.outcomes);
    std::string line, last;
    while (std::getline(file, line)) last = line;
    const nlohmann::json json = nlohmann::json::parse(last, nullptr, false);
    if (!json.is_object() || json.at("operation") != kReference) return "no line";
    return json.at("outcome").get<std::string>() + ' ' + json.at("attempts").dump();
  }

  fs::path folder_;
  Environment environment_;
  Settings settings_;
  ScriptedTransport transport_;
};

TEST_F(BookingsTest, SucceedsAtOnceWhenAllIsWell) {
  transport_.creates = {created()};
  EXPECT_TRUE(create());
  EXPECT_EQ(told(), "succeeded 1");
  EXPECT_EQ(transport_.drops, 0);
}

TEST_F(BookingsTest, APlainVendorIsSentNothingTwiceAndWhatIsUnknownIsPending) {
  settings_.plain_vendor = true;
  transport_.creates = {without_answer(Ending::Lost)};
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "pending 1");
  EXPECT_TRUE(transport_.keys().empty());
  transport_.creates = {status(429), created()};  // nothing can have happened after a 429
  fs::remove_all(*environment_.state);
  EXPECT_TRUE(create());
  EXPECT_EQ(told(), "succeeded 2");
}

TEST_F(BookingsTest, RepeatsALostCreateUnderTheSameKeyWithTheSameBytesOnANewConnection) {
  transport_.creates = {without_answer(Ending::Lost), without_answer(Ending::TimedOut), created()};
  EXPECT_TRUE(create());
  EXPECT_EQ(told(), "succeeded 3");
  EXPECT_EQ(transport_.keys().size(), 1U);
  EXPECT_EQ(transport_.sent.front().body, transport_.sent.back().body);
  EXPECT_EQ(transport_.drops, 2);
}

TEST_F(BookingsTest, SendsAPermanentErrorOnceAndCallsItFailed) {
  transport_.creates = {status(400)};
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "failed 1");
}

TEST_F(BookingsTest, StopsAtAPermanentErrorAfterATransientOneAndThenLooks) {
  transport_.creates = {status(503), status(400)};
  transport_.lookups = {nothing_listed(), nothing_listed(), nothing_listed()};
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "pending 2");
}

TEST_F(BookingsTest, FailsWithoutLookingWhenNothingCanHaveHappened) {
  transport_.creates = {status(429), without_answer(Ending::NotConnected), status(429), status(429),
                        status(425)};
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "failed 5");
}

TEST_F(BookingsTest, FindsWhatWasMadeThoughNoAnswerEverCame) {
  transport_.creates.assign(5, without_answer(Ending::Lost));
  transport_.lookups = {status(503), nothing_listed(), listed()};
  EXPECT_TRUE(create());
  EXPECT_EQ(told(), "succeeded 5");
}

TEST_F(BookingsTest, StaysPendingWhenNobodyCanTell) {
  transport_.creates.assign(5, without_answer(Ending::Lost));
  transport_.lookups.assign(3, without_answer(Ending::Lost));
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "pending 5");
}

TEST_F(BookingsTest, GivesUpAtOnceOnAWaitBeyondItsLimit) {
  transport_.creates = {answered(429, "{}", {"3600"})};
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "failed 1");
}

TEST_F(BookingsTest, LooksUpAnUnavailableServersWorkBeforeItGivesUpOnALongWait) {
  transport_.creates = {answered(503, "{}", {"3600"})};
  transport_.lookups = {listed()};
  EXPECT_TRUE(create());
  EXPECT_EQ(told(), "succeeded 1");
}

TEST_F(BookingsTest, WaitsAsLongAsItIsAsked) {
  transport_.creates = {answered(429, "{}", {"1"}), created()};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(create());
  EXPECT_GE(std::chrono::steady_clock::now() - start, 1s);
}

TEST_F(BookingsTest, IsPatientWhileAnEarlierAttemptIsInProgress) {
  settings_.in_progress_delay = 300ms;
  const std::string problem = R"({"type": "https://vendor/idempotency-key-in-progress"})";
  transport_.creates = {without_answer(Ending::TimedOut), answered(409, problem), created()};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(create());
  EXPECT_GE(std::chrono::steady_clock::now() - start, 300ms);
  EXPECT_EQ(told(), "succeeded 3");
  EXPECT_EQ(transport_.keys().size(), 1U);
}

TEST_F(BookingsTest, WritesNoOutcomesWhenToldNotTo) {
  settings_.writes_outcomes = false;
  transport_.creates = {created()};
  EXPECT_TRUE(create());
  EXPECT_FALSE(fs::exists(*environment_.outcomes));
}

TEST_F(BookingsTest, GoesOnUnderItsStoredKeyAfterARestart) {
  IntentStore store(environment_.state);
  ASSERT_TRUE(store.save({Intent{kReference, "old-key", "{\"old\": true}"}, std::nullopt, ""}));
  transport_.lookups = {nothing_listed()};
  transport_.creates = {created()};
  EXPECT_TRUE(create());
  EXPECT_EQ(transport_.keys(), std::set<std::string>{"\"old-key\""});
  EXPECT_EQ(transport_.sent.back().body, "{\"old\": true}");
}

TEST_F(BookingsTest, StaysPendingAfterARestartThatIsRefused) {
  IntentStore store(environment_.state);
  ASSERT_TRUE(store.save({Intent{kReference, "old-key", "{}"}, Outcome::Pending, ""}));
  transport_.lookups.assign(4, nothing_listed());
  transport_.creates = {status(401)};
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "pending 1");
}

TEST_F(BookingsTest, DoesNotRepeatWhatSucceededBeforeARestart) {
  transport_.creates = {created()};
  EXPECT_TRUE(create());
  EXPECT_TRUE(create());
  EXPECT_EQ(told(), "succeeded 0");
}

TEST_F(BookingsTest, TakesANewKeyForWhatFailedForCertain) {
  transport_.creates = {status(400), created()};
  EXPECT_FALSE(create());
  EXPECT_TRUE(create());
  EXPECT_EQ(transport_.keys().size(), 2U);
}

TEST_F(BookingsTest, SendsNothingWithoutItsKeyOnDisk) {
  std::ofstream(folder_ / "file") << "in the way";
  environment_.state = folder_ / "file" / "state";
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "failed 0");
}

TEST_F(BookingsTest, SendsNothingWhenTheStoredKeyCannotBeRead) {
  fs::create_directories(*environment_.state);
  std::ofstream(*environment_.state / "r-1.json") << "{\"half";
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "pending 0");
}

}  // namespace
}  // namespace booking
