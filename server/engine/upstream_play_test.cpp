// What the engine makes of an upstream's answers, without a socket.
#include <gmock/gmock.h>

#include "server/engine/engine_fixture.h"

namespace mishap::server {
namespace {

using testing::IsEmpty;

const std::string kOver = R"(mishap: 1
scenario: t
api: {upstream: "https://sandbox.test/v2"}
)";

UpstreamResult answered(StatusCode status, const std::string& json,
                        std::vector<NameValue> headers = {}) {
  UpstreamAnswer answer;
  answer.status = status;
  answer.headers = std::move(headers);
  answer.headers.push_back({"Content-Type", "application/json"});
  answer.body = json;
  UpstreamResult result;
  result.answer = std::move(answer);
  result.sent = std::chrono::seconds(1);
  return result;
}

class Over : public testing::Test {
 protected:
  void answer(const UpstreamResult& result) {
    wire.upstream = [result](const UpstreamRequest&) { return result; };
  }

  PaperWire wire{kOver};
};

TEST_F(Over, EachUnsafeSuccessIsAnEffectOfItsKind) {
  struct Row {
    const char* method;
    StatusCode status;
    EffectKind kind;
    const char* resource;
    const char* id;
  };
  const Row rows[] = {
      {"POST", 201, EffectKind::Created, "/charges/c1", "made"},
      {"PUT", 201, EffectKind::Created, "/charges", "c1"},
      {"PUT", 200, EffectKind::Replaced, "/charges", "c1"},
      {"PATCH", 200, EffectKind::Patched, "/charges", "c1"},
      {"DELETE", 200, EffectKind::Deleted, "/charges", "c1"},
  };
  for (const Row& row : rows) {
    PaperWire fresh(kOver);
    fresh.upstream = [&](const UpstreamRequest& request) {
      EXPECT_EQ(request.target, "/v2/charges/c1");
      return answered(row.status, R"({"id":"made"})");
    };
    Ask ask = post("/charges/c1", "{}");
    ask.method = row.method;
    fresh.send(ask);
    ASSERT_EQ(fresh.journal.effects.size(), 1U) << row.method;
    EXPECT_EQ(fresh.journal.effects[0].kind, row.kind) << row.method << row.status;
    EXPECT_EQ(fresh.journal.effects[0].resource, row.resource) << row.method;
    EXPECT_EQ(fresh.journal.effects[0].id, row.id) << row.method;
  }
}

TEST_F(Over, ARefusalIsNoEffectAndNoDoubt) {
  answer(answered(422, "{}"));
  const Exchange exchange = wire.send(post("/charges", "{}"));
  EXPECT_THAT(wire.journal.effects, IsEmpty());
  EXPECT_FALSE(exchange.upstream.in_doubt);
  EXPECT_TRUE(exchange.answer.healthy);
}

TEST_F(Over, ASecondThingOfOneOperationIsASecondEffect) {
  answer(answered(201, R"({"id":"a"})"));
  wire.send(post("/charges", "{}", "k"));
  answer(answered(201, R"({"id":"b"})"));
  const Exchange second = wire.send(post("/charges", "{}", "k"));
  EXPECT_EQ(second.identity.attempt, 2U);
  EXPECT_EQ(wire.journal.effects.size(), 2U);
}

TEST_F(Over, TheSameThingAgainIsAStoredAnswer) {
  answer(answered(201, R"({"id":"a"})"));
  wire.send(post("/charges", "{}", "k"));
  const Exchange second = wire.send(post("/charges", "{}", "k"));
  EXPECT_EQ(wire.journal.effects.size(), 1U);
  EXPECT_TRUE(second.answer.replayed);
  EXPECT_FALSE(second.upstream.in_doubt);
}

TEST_F(Over, WhereNothingIsNamedASecondSuccessLeavesDoubt) {
  answer(answered(200, "{}"));
  wire.send(post("/charges", "{}", "k"));
  const Exchange second = wire.send(post("/charges", "{}", "k"));
  EXPECT_EQ(wire.journal.effects.size(), 1U);
  EXPECT_TRUE(second.upstream.in_doubt);
}

TEST_F(Over, ASearchAmongItsThingsIsALookup) {
  UpstreamResult nothing;
  nothing.failure = "https://sandbox.test/v2: no whole answer within 30s";
  nothing.sent = std::chrono::seconds(1);
  answer(nothing);
  const Exchange lost = wire.send(post("/charges", R"({"reference":"r"})", "k"));
  EXPECT_TRUE(lost.upstream.in_doubt);
  answer(answered(200, R"({"data":[]})"));
  const Exchange lookup = wire.send(get("/charges?reference=r"));
  EXPECT_EQ(lookup.role, Role::Lookup);
  EXPECT_FALSE(lookup.found);
  answer(answered(201, R"({"id":"a"})"));
  wire.send(post("/charges", R"({"reference":"r"})", "k"));
  answer(answered(200, R"({"id":"a"})"));
  const Exchange item = wire.send(get("/charges/a"));
  EXPECT_EQ(wire.journal.effects.size(), 1U);
  EXPECT_FALSE(item.upstream.in_doubt);
}

TEST_F(Over, PostsThatOnlyReadDoNothing) {
  answer(answered(200, R"({"id":"token_1"})"));
  const Exchange exchange = wire.send(post("/oauth/token", "{}"));
  EXPECT_TRUE(exchange.safe);
  EXPECT_THAT(wire.journal.effects, IsEmpty());
}

TEST_F(Over, ARouteOfTheApiAnswersItselfAndResourcesAreAskedForAsTheyAreNamed) {
  PaperWire mixed(R"(mishap: 1
scenario: t
api:
  from: booking
  auth: {bearer: accepted}
  upstream: "http://sandbox.test"
  routes: [{on: GET /v1/ping, json: {ok: true}}]
)");
  std::size_t calls = 0;
  mixed.upstream = [&](const UpstreamRequest&) {
    ++calls;
    return answered(201, R"({"id":"b"})");
  };
  EXPECT_EQ(mixed.send(get("/v1/ping")).answer.status, 200);
  EXPECT_EQ(calls, 0U);
  mixed.send(post("/v1/bookings", R"({"reference":"r-1"})"));
  EXPECT_EQ(mixed.journal.effects.at(0).resource, "bookings");
  EXPECT_EQ(mixed.journal.effects.at(0).reference, "r-1");
  EXPECT_EQ(mixed.journal.exchanges.at(1).identity.by, IdentifiedBy::Reference);
  mixed.send(post("/v1/bookings/b/cancel", "{}"));
  EXPECT_EQ(mixed.journal.effects.at(1).resource, "/v1/bookings/b/cancel");
  EXPECT_EQ(calls, 2U);
}

}  // namespace
}  // namespace mishap::server
