// The operations against a transport that answers by script: nothing here opens a socket.
#include "client-tests/clients/booking_client/bookings.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST_F(BookingsTest, LooksALostCreateUpWhereTheVendorTakesNoKeys) {
  settings_.no_keys = true;
  transport_.creates = {without_answer(Ending::Lost)};
  transport_.lookups = {listed()};
  EXPECT_TRUE(create());
  EXPECT_TRUE(transport_.keys().empty());
  EXPECT_TRUE(transport_.sent.back().target.ends_with("/v1/bookings?reference=r-1"));

  fs::remove_all(*environment_.state);
  transport_.creates = {without_answer(Ending::Lost), created()};
  transport_.lookups = {nothing_listed()};
  EXPECT_TRUE(create()) << "it is not there, so it is sent again";
}

TEST_F(BookingsTest, PutsAnUpsertWhereItWasPut) {
  settings_.upserts = true;
  transport_.lookups = {without_answer(Ending::Lost), created()};  // all that is no POST
  EXPECT_TRUE(create());
  ASSERT_EQ(transport_.sent.size(), 2U);
  EXPECT_EQ(transport_.sent.front().method, "PUT");
  EXPECT_TRUE(transport_.sent.front().target.ends_with("/v1/bookings/r-1"));
  EXPECT_EQ(transport_.sent.front().target, transport_.sent.back().target);
}

TEST_F(BookingsTest, OnlyLooksWhenItsKeyMayBeForgotten) {
  settings_.key_lifetime = 1ms;
  settings_.base = settings_.min_delay = 2ms;
  transport_.creates = {without_answer(Ending::Lost)};
  transport_.lookups = {nothing_listed(), nothing_listed(), nothing_listed(), nothing_listed()};
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "pending 1");
}

TEST_F(BookingsTest, SaysHowOldAPageIsThatItUsesAgain) {
  settings_.uses_last_known = true;
  settings_.max_attempts = 1;
  Habits habits(settings_);
  Bookings bookings(environment_, habits, transport_);
  transport_.lookups = {answered(200, R"({"items": []})"), status(503)};
  EXPECT_TRUE(bookings.read(1));
  EXPECT_FALSE(bookings.read(2));
  std::ifstream file(*environment_.outcomes);
  std::string live, known;
  std::getline(file, live);
  std::getline(file, known);
  EXPECT_NE(live.find(R"("operation":"GET /v1/products?limit=20&offset=0","outcome":"succeeded")"),
            std::string::npos)
      << live;
  EXPECT_EQ(live.find("cached"), std::string::npos) << live;
  EXPECT_NE(known.find(R"("cached":true,"as_of":"20)"), std::string::npos) << known;
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

// As if the time for which somebody waits were over then.
class TriesTwice : public Habits {
 public:
  using Habits::Habits;
  bool may_retry(CallKind kind, const std::vector<Failure>& failures) const override {
    return kind == CallKind::Create && failures.size() < 2;
  }
};

TEST_F(BookingsTest, GoesOnWithWhatIsPendingUnderItsKeyAndCountsOn) {
  settings_.interactive = 2000ms;
  TriesTwice habits(settings_);
  Bookings bookings(environment_, habits, transport_);
  EXPECT_FALSE(bookings.go_on(1)) << "it was never begun";
  transport_.creates = {without_answer(Ending::Lost), without_answer(Ending::Lost)};
  transport_.lookups = {nothing_listed()};
  EXPECT_FALSE(bookings.create_soon(1));
  EXPECT_EQ(told(), "pending 2");
  transport_.creates = {created()};
  transport_.lookups = {nothing_listed()};
  EXPECT_TRUE(bookings.go_on(1));
  EXPECT_EQ(told(), "succeeded 3");
  EXPECT_EQ(transport_.keys().size(), 1U);
}

// Sleeps in no time, and keeps what it was asked for.
template <typename Kind>
class OnPaper : public Kind {
 public:
  using Kind::Kind;
  bool sleep(milliseconds length) override {
    longest = std::max(longest, length);
    return true;
  }
  milliseconds longest{};
};
using WaitsOnPaper = OnPaper<TriesTwice>;

TEST_F(BookingsTest, GoesOnWhenTheWaitThatTheVendorAskedForIsOver) {
  settings_.interactive = 2000ms;
  settings_.deadline = 60s;
  WaitsOnPaper habits(settings_);
  Bookings bookings(environment_, habits, transport_);
  transport_.creates = {without_answer(Ending::Lost), answered(503, "{}", {"30"})};
  transport_.lookups = {nothing_listed()};
  EXPECT_FALSE(bookings.create_soon(1));
  EXPECT_EQ(told(), "pending 2");
  EXPECT_LT(habits.longest, 2s);
  transport_.lookups = {listed()};
  EXPECT_TRUE(bookings.go_on(1));
  EXPECT_GT(habits.longest, 28s);
  EXPECT_LE(habits.longest, 30'001ms);
}

TEST_F(BookingsTest, WaitsNoLongerThanItMayForWhatIsInProgress) {
  settings_.base = settings_.max_delay = 900ms;
  settings_.in_progress_delay = 500ms;
  environment_.state.reset();  // each time anew
  const std::string problem = R"({"type": "https://vendor/idempotency-key-in-progress"})";
  for (int i = 0; i < 40; ++i) {
    OnPaper<Habits> habits(settings_);
    transport_.creates = {answered(409, problem), created()};
    EXPECT_TRUE(Bookings(environment_, habits, transport_).create(1));
    EXPECT_GE(habits.longest, 500ms);
    EXPECT_LE(habits.longest, 900ms);
  }
}

TEST_F(BookingsTest, LeavesPendingWhatItIsToldToWaitTooLongFor) {
  settings_.interactive = 2000ms;
  settings_.deadline = 20s;
  WaitsOnPaper habits(settings_);
  Bookings bookings(environment_, habits, transport_);
  transport_.creates = {without_answer(Ending::Lost), answered(503, "{}", {"30"})};
  transport_.lookups = {nothing_listed()};
  EXPECT_FALSE(bookings.create_soon(1));
  EXPECT_FALSE(bookings.go_on(1));
  EXPECT_EQ(told(), "pending 2");
}

TEST_F(BookingsTest, OnlyLooksWhenItsAttemptsAreUsedUp) {
  settings_.interactive = 2000ms;
  settings_.max_attempts = 2;
  TriesTwice habits(settings_);
  Bookings bookings(environment_, habits, transport_);
  transport_.creates = {without_answer(Ending::Lost), without_answer(Ending::Lost)};
  transport_.lookups = {nothing_listed()};
  EXPECT_FALSE(bookings.create_soon(1));
  transport_.lookups = {nothing_listed(), listed()};
  EXPECT_TRUE(bookings.go_on(1));
  EXPECT_EQ(told(), "succeeded 2");
}

TEST_F(BookingsTest, DoesNotGoOnWithARefusal) {
  settings_.interactive = 2000ms;
  Habits habits(settings_);
  Bookings bookings(environment_, habits, transport_);
  transport_.creates = {status(400)};
  EXPECT_FALSE(bookings.create_soon(1));
  EXPECT_FALSE(bookings.go_on(1));
}

TEST_F(BookingsTest, RenewsItsTokenOnceAndStopsAtTheNextRefusal) {
  const Answer token = answered(200, R"({"access_token": "t-2"})");
  transport_.creates = {status(401)};
  EXPECT_FALSE(create()) << "unless it is told to";
  settings_.renews_token = true;
  transport_.creates = {status(401), token, created()};
  EXPECT_TRUE(create());
  EXPECT_EQ(told(), "succeeded 2");
  const auto& headers = transport_.sent.back().headers;
  EXPECT_NE(std::ranges::find(headers,
                              std::pair<std::string, std::string>("Authorization", "Bearer t-2")),
            headers.end());
  fs::remove_all(*environment_.state);
  transport_.creates = {status(401), token, status(401)};
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "failed 2");
  fs::remove_all(*environment_.state);
  transport_.creates = {status(401), answered(200, R"({"access_token": ""})")};
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "failed 1") << "the same token";
  fs::remove_all(*environment_.state);
  transport_.creates = {status(401), status(503)};
  EXPECT_FALSE(create());
  EXPECT_EQ(told(), "failed 1") << "no new token, no further attempt";
}

TEST_F(BookingsTest, TellsOfWhatItDoesNotSend) {
  Habits habits(settings_);
  Gate gate(habits);
  Bookings(environment_, habits, transport_, &gate).refuse(1, "no worker was free");
  EXPECT_EQ(told(), "failed 0");
  EXPECT_TRUE(transport_.sent.empty());
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

TEST_F(BookingsTest, KeepsWhatItGivesUpUntilItIsDone) {
  settings_.dead_letters = "dead.jsonl";
  settings_.max_attempts = 2;
  transport_.creates = {status(429), status(429)};
  EXPECT_FALSE(create());
  const auto line_of = [](const fs::path& path) {
    std::ifstream file(path);
    std::string line, last;
    while (std::getline(file, line)) last = line;
    return nlohmann::json::parse(last, nullptr, false);
  };
  const auto letter = line_of(*environment_.state / "dead.jsonl");
  EXPECT_EQ(letter.at("operation"), kReference);
  EXPECT_EQ(letter.at("attempts"), 2);
  EXPECT_EQ(letter.at("error"), "status 429");
  EXPECT_EQ(letter.at("payload").at("reference"), kReference);
  const auto told = line_of(*environment_.outcomes);
  EXPECT_EQ(told.at("kept"), "r-1.json");
  EXPECT_TRUE(fs::exists(*environment_.state / "r-1.json"));

  transport_.creates = {created()};
  EXPECT_TRUE(create());
  EXPECT_EQ(fs::file_size(*environment_.state / "dead.jsonl"), 0U);
}

TEST_F(BookingsTest, CountsWhatItDoes) {
  settings_.max_attempts = 3;
  Habits habits(settings_);
  Bookings bookings(environment_, habits, transport_);
  transport_.creates = {status(429), status(429), status(429)};
  EXPECT_FALSE(bookings.create(1));
  EXPECT_EQ(bookings.counters().operations, 1);
  EXPECT_EQ(bookings.counters().attempts, 3);
  EXPECT_EQ(bookings.counters().retries, 2);
  EXPECT_EQ(bookings.counters().exhausted, 1);
  EXPECT_EQ(bookings.counters().alerts(), 0) << "one failure is no news";
}

}  // namespace
}  // namespace booking
