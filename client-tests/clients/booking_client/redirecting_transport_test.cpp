#include "client-tests/clients/booking_client/redirecting_transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

namespace booking {
namespace {

using namespace std::chrono_literals;

struct Sent {
  std::string origin;
  Request request;
};

// Answers what it is told to, and remembers what was sent to which origin.
class Script {
 public:
  std::deque<Answer> answers;
  std::vector<Sent> sent;

  std::unique_ptr<Transport> transport(RedirectPolicy policy = {}) {
    return make_redirecting_transport("http://a:1", policy, [this](const std::string& origin) {
      return std::make_unique<Scripted>(*this, origin);
    });
  }

 private:
  class Scripted : public Transport {
   public:
    Scripted(Script& script, std::string origin) : script_(script), origin_(std::move(origin)) {}
    Answer exchange(const Request& request, milliseconds) override {
      script_.sent.push_back({origin_, request});
      Answer answer = script_.answers.front();
      if (script_.answers.size() > 1) script_.answers.pop_front();
      return answer;
    }
    void drop_connection() override {}

   private:
    Script& script_;
    std::string origin_;
  };
};

Answer answer(int status, const std::string& location = "") {
  Answer made;
  made.ending = Ending::Answered;
  made.status = status;
  made.location = location;
  return made;
}

Request create() {
  return {"POST",
          "/v1/bookings",
          {{"Authorization", "Bearer t"}, {"Idempotency-Key", "k"}, {"Accept", "x"}},
          "{}"};
}

bool has(const Request& request, const std::string& name) {
  return std::ranges::any_of(request.headers, [&](const auto& f) { return f.first == name; });
}

TEST(RedirectingTransport, SendsTheSameAgainFor307AndAGetFor303) {
  Script same;
  same.answers = {answer(307, "/v2"), answer(201)};
  EXPECT_EQ(same.transport()->exchange(create(), 1s).status, 201);
  EXPECT_EQ(same.sent.at(1).request.method, "POST");
  EXPECT_EQ(same.sent.at(1).request.body, "{}");
  EXPECT_TRUE(has(same.sent.at(1).request, "Idempotency-Key"));
  Script other;
  other.answers = {answer(303, "/v2"), answer(200)};
  other.transport()->exchange(create(), 1s);
  EXPECT_EQ(other.sent.at(1).request.method, "GET");
  EXPECT_EQ(other.sent.at(1).request.target, "/v2");
  EXPECT_TRUE(other.sent.at(1).request.body.empty());
}

TEST(RedirectingTransport, LeavesCredentialsBehindAtAnotherOrigin) {
  Script script;
  script.answers = {answer(307, "http://b:2/v2"), answer(201)};
  script.transport()->exchange(create(), 1s);
  EXPECT_EQ(script.sent.at(1).origin, "http://b:2");
  EXPECT_FALSE(has(script.sent.at(1).request, "Authorization"));
  EXPECT_TRUE(has(script.sent.at(1).request, "Accept"));
  Script careless;
  careless.answers = {answer(307, "http://b:2/v2"), answer(201)};
  RedirectPolicy policy;
  policy.keeps_credentials = true;
  careless.transport(policy)->exchange(create(), 1s);
  EXPECT_TRUE(has(careless.sent.at(1).request, "Authorization"));
}

TEST(RedirectingTransport, StopsAtItsBoundAndAtWhatIsNoPlace) {
  Script loop;
  loop.answers = {answer(302, "/loop")};
  EXPECT_EQ(loop.transport()->exchange(create(), 1s).status, 302);
  EXPECT_EQ(loop.sent.size(), 11U);
  Script nowhere;
  nowhere.answers = {answer(302, "nonsense")};
  EXPECT_EQ(nowhere.transport()->exchange(create(), 1s).status, 302);
  EXPECT_EQ(nowhere.sent.size(), 1U);
  Script later;
  later.answers = {answer(307, "/v2"), answer(201)};
  later.answers.front().retry_after = {"2"};
  EXPECT_EQ(later.transport()->exchange(create(), 1s).status, 307);
}

}  // namespace
}  // namespace booking
