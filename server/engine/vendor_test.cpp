// What a well vendor answers, by request; one table a vendor.
#include "server/engine/vendor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/engine/engine_fixture.h"

namespace mishap::server {
namespace {

using testing::HasSubstr;

constexpr const char* kBooking = R"(mishap: 1
scenario: healthy
api:
  resources:
    bookings:
      path: /v1/bookings
      id_prefix: bk_
      reference: reference
      unique_reference: true
      verbs: [create, read, list, replace, patch, delete]
      schema:
        type: object
        required: [reference]
        properties: {reference: {type: string, minLength: 1}, seats: {type: integer}}
      idempotency: {required: true}
      items: [{reference: R0, seats: 1}]
  routes:
    - {on: GET /v1/ping, json: {ok: true}}
    - {on: GET /v1/gone, status: 410, headers: {X-Why: sold}, body: bye}
)";

struct Turn {
  std::string method;
  std::string target;
  std::string body;
  StatusCode status;
  std::string says;  // somewhere in the answer
  std::string type = "application/json";
};

void play(PaperWire& wire, const std::vector<Turn>& turns) {
  int number = 0;
  for (const Turn& turn : turns) {
    Ask ask;
    ask.method = turn.method;
    ask.target = turn.target;
    ask.body = turn.body;
    ask.headers = {{"Idempotency-Key", "k" + std::to_string(++number)}};
    if (!turn.body.empty()) ask.headers.push_back({"Content-Type", turn.type});
    EXPECT_EQ(wire.send(ask).answer.status, turn.status)
        << number << ": " << turn.method << " " << turn.target;
    EXPECT_THAT(wire.last_bytes, HasSubstr(turn.says)) << number;
  }
}

TEST(Vendor, KeepsItsResources) {
  PaperWire wire(kBooking);
  play(
      wire,
      {
          {"GET", "/v1/bookings", "", 200,
           R"({"items":[{"id":"bk_1","reference":"R0","seats":1}],"total":1})"},
          {"POST", "/v1/bookings", R"({"reference":"R1","seats":2})", 201,
           "Location: /v1/bookings/bk_2"},
          {"GET", "/v1/bookings/bk_2", "", 200, R"({"id":"bk_2","reference":"R1","seats":2})"},
          {"GET", "/v1/bookings?reference=R1", "", 200, R"("total":1)"},
          {"GET", "/v1/bookings?seats=2&limit=1&offset=1", "", 200, R"({"items":[],"total":1})"},
          {"PATCH", "/v1/bookings/bk_2", R"({"seats":3,"note":null})", 200, R"("seats":3)",
           "application/merge-patch+json"},
          {"PUT", "/v1/bookings/bk_2", R"({"reference":"R9"})", 200,
           R"({"id":"bk_2","reference":"R9"})"},
          {"PUT", "/v1/bookings/mine", R"({"reference":"R8"})", 201, "Location: /v1/bookings/mine"},
          {"DELETE", "/v1/bookings/bk_2", "", 204, "HTTP/1.1 204"},
          {"DELETE", "/v1/bookings/bk_2", "", 404, "bookings has no bk_2"},
          {"GET", "/v1/bookings/bk_2", "", 404, "problem+json"},
      });
  std::vector<EffectKind> kinds;
  for (const Effect& effect : wire.journal.effects) kinds.push_back(effect.kind);
  EXPECT_THAT(kinds,
              testing::ElementsAre(EffectKind::Created, EffectKind::Patched, EffectKind::Replaced,
                                   EffectKind::Created, EffectKind::Deleted));
}

TEST(Vendor, RefusesWhatDoesNotFit) {
  PaperWire wire(kBooking);
  play(wire,
       {
           {"POST", "/v1/bookings", R"({"seats":2})", 422, "reference"},
           {"POST", "/v1/bookings", R"({"reference":"R","seats":"two"})", 422, "seats"},
           {"POST", "/v1/bookings", R"({"reference":""})", 422, "reference"},
           {"POST", "/v1/bookings", R"(["R"])", 422, "the body"},
           {"POST", "/v1/bookings", R"({"reference":)", 400, "not JSON"},
           {"POST", "/v1/bookings", "", 400, "a body is needed"},
           {"POST", "/v1/bookings", "<a/>", 415, "application/json", "text/xml"},
           {"POST", "/v1/bookings", "reference=F1", 201, R"("reference":"F1")",
            "application/x-www-form-urlencoded"},
           {"POST", "/v1/bookings", R"({"reference":"R0"})", 409, "R0 is taken by bk_1"},
           {"PUT", "/v1/bookings", R"({"reference":"R"})", 405, "Allow: GET, HEAD, POST, OPTIONS"},
           {"OPTIONS", "/v1/bookings", "", 204, "Allow: GET, HEAD, POST, OPTIONS"},
       });
  EXPECT_EQ(wire.journal.effects.size(), 1U);
}

TEST(Vendor, AsksForAKeyOnlyWhereItIsNeeded) {
  PaperWire wire(kBooking);
  EXPECT_EQ(wire.send(post("/v1/bookings", R"({"reference":"R1"})")).answer.status, 400);
  EXPECT_THAT(wire.last_bytes, HasSubstr("problems/idempotency-key-missing"));
  Ask put = post("/v1/bookings/x", R"({"reference":"R1"})");
  put.method = "PUT";
  EXPECT_EQ(wire.send(put).answer.status, 201);
}

TEST(Vendor, DoesNotRememberARefusalForAKey) {
  PaperWire wire(kBooking);
  EXPECT_EQ(wire.send(post("/v1/bookings", R"({"seats":1})", "k")).answer.status, 422);
  EXPECT_EQ(wire.send(post("/v1/bookings", R"({"reference":"R1"})", "k")).answer.status, 201);
}

TEST(Vendor, RemembersAConflictForAKey) {
  PaperWire wire(kBooking);
  EXPECT_EQ(wire.send(post("/v1/bookings", R"({"reference":"R0"})", "k")).answer.status, 409);
  EXPECT_TRUE(wire.send(post("/v1/bookings", R"({"reference":"R0"})", "k")).answer.replayed);
}

TEST(Vendor, AnswersItsRoutes) {
  PaperWire wire(kBooking);
  play(wire, {
                 {"GET", "/v1/ping", "", 200, "Content-Type: application/json"},
                 {"GET", "/v1/ping", "", 200, R"({"ok":true})"},
                 {"GET", "/v1/gone", "", 410, "X-Why: sold"},
                 {"HEAD", "/v1/gone", "", 410, "Content-Length: 3\r\n\r\n"},
             });
}

TEST(Vendor, TakesEveryPathForACollectionUnderAny) {
  PaperWire wire("mishap: 1\nscenario: x\napi: any\n");
  play(wire,
       {
           {"GET", "/orders", "", 200, R"({"items":[],"total":0})"},
           {"GET", "/orders/7", "", 200, R"({"items":[],"total":0})"},
           {"POST", "/orders", R"({"n":1})", 201, R"({"id":"orders_1","n":1})"},
           {"GET", "/orders/7", "", 404, "problem+json"},
           {"GET", "/orders/orders_1", "", 200, R"({"id":"orders_1","n":1})"},
           {"GET", "/orders?n=1", "", 200, R"("total":1)"},
           {"PUT", "/orders/mine", R"({"n":2})", 201, R"({"id":"mine","n":2})"},
           {"PUT", "/orders/mine", R"({"n":3})", 200, R"("n":3)"},
           {"PATCH", "/orders/mine", R"({"m":4})", 200, R"("m":4)"},
           {"PATCH", "/orders/nobody", R"({"m":4})", 404, "no nobody"},
           {"DELETE", "/orders/mine", "", 204, ""},
           {"POST", "/orders/orders_1/confirm", "", 201, R"({"id":"confirm_1"})"},
           {"POST", "/files", "\xff\xfe\x01", 201, R"("body_bytes":3)", "application/octet-stream"},
           {"POST", "/list", R"([1,2])", 201, R"("value":[1,2])"},
           {"POST", "/form", "a=b+c&d=%26", 201, R"("a":"b c","d":"&")",
            "application/x-www-form-urlencoded"},
           {"POST", "/curl", R"({"a":1})", 201, R"("a":1)", "application/x-www-form-urlencoded"},
           {"POST", "/bad", "{", 400, "not JSON"},
           {"POST", "/oauth/token", "grant_type=x", 200, R"({"items":[],"total":0})",
            "application/x-www-form-urlencoded"},
           {"OPTIONS", "/orders", "", 204, "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"},
           {"BREW", "/orders", "", 405, "Allow: GET"},
       });
}

TEST(Vendor, SurvivesDeepNestingAndOddText) {
  PaperWire wire("mishap: 1\nscenario: x\napi: any\n");
  const std::string deep(100'000, '[');
  play(wire, {{"POST", "/x", deep, 400, "nested deeper"},
              {"POST", "/x", "a=%ff%fe", 201, "\xef\xbf\xbd", "application/x-www-form-urlencoded"},
              {"POST", "/x", R"({"n":1e999})", 400, "not JSON"},
              {"GET", "/x/%00%ff?%ff=%00", "", 404, "problem+json"}});
}

}  // namespace
}  // namespace mishap::server
