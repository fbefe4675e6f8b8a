// Batches: each item is an operation of its own, in one request and one answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/engine/engine_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kPath = "/v1/bookings/batch";

std::string scenario(const std::string& faults = "", const std::string& idempotency = "{}",
                     const std::string& batch = "true") {
  return R"(mishap: 1
scenario: x
api:
  resources:
    bookings:
      path: /v1/bookings
      id_prefix: bk_
      reference: reference
      unique_reference: true
      schema: {type: object, required: [product], additionalProperties: true}
      idempotency: )" +
         idempotency + "\n      batch: " + batch + "\n" +
         (faults.empty() ? "" : "faults:\n  - {on: POST " + std::string(kPath) + faults + "}\n");
}

std::string of(const std::string& items) {
  return R"({"items":[)" + items + "]}";
}

Ask batch(const std::string& items, const std::string& key = "") {
  return post(kPath, of(items), key);
}

std::string thing(const std::string& product, const std::string& more = "") {
  return R"({"product":")" + product + "\"" + more + "}";
}

std::string keyed(const std::string& product, const std::string& key) {
  return thing(product, R"(,"idempotency_key":")" + key + "\"");
}

std::string referenced(const std::string& product, const std::string& reference) {
  return thing(product, R"(,"reference":")" + reference + "\"");
}

const std::string kThree = thing("a") + "," + thing("b") + "," + thing("c");

std::vector<StatusCode> statuses(const Exchange& exchange) {
  std::vector<StatusCode> all;
  for (const BatchItem& item : exchange.items) all.push_back(item.status);
  return all;
}

std::vector<std::uint64_t> operations(const Exchange& exchange) {
  std::vector<std::uint64_t> all;
  for (const BatchItem& item : exchange.items) all.push_back(item.identity.operation);
  return all;
}

std::vector<std::uint64_t> attempts(const Exchange& exchange) {
  std::vector<std::uint64_t> all;
  for (const BatchItem& item : exchange.items) all.push_back(item.identity.attempt);
  return all;
}

TEST(Batch, IsSomeCreatesEachWithAResultAtItsPlace) {
  PaperWire wire(scenario());
  const Exchange sent = wire.send(batch(thing("a") + R"(,{"x":1},)" + thing("c")));
  EXPECT_EQ(sent.answer.status, 207);
  EXPECT_TRUE(sent.answer.healthy);
  EXPECT_THAT(statuses(sent), ElementsAre(201, 422, 201));
  EXPECT_THAT(wire.last_bytes, HasSubstr(R"({"results":[{"status":201,"item":{"id":"bk_1",)"));
  EXPECT_THAT(wire.last_bytes, HasSubstr(R"({"status":422,"error":{"type":)"));
  EXPECT_EQ(wire.journal.effects.size(), 2U);
  EXPECT_THAT(sent.effects, ElementsAre(1, 2));
  EXPECT_THAT(sent.items.at(2).effects, ElementsAre(2));
  EXPECT_EQ(wire.journal.effects.at(1).operation, sent.items.at(2).identity.operation);
  for (const BatchItem& item : sent.items) EXPECT_TRUE(item.healthy);
}

TEST(Batch, IsNoOperationItself) {
  PaperWire wire(scenario());
  const Exchange sent = wire.send(batch(kThree));
  EXPECT_EQ(sent.identity.operation, 0U);
  EXPECT_EQ(sent.identity.attempt, 1U);
  EXPECT_EQ(sent.role, Role::Attempt);
  EXPECT_THAT(operations(sent), ElementsAre(1, 2, 3));
  const Exchange again = wire.send(batch(thing("d") + "," + referenced("e", "R")));
  EXPECT_EQ(again.identity.attempt, 1U);
  EXPECT_EQ(again.items.at(1).reference, "R");
  EXPECT_EQ(again.items.at(1).identity.by, IdentifiedBy::Reference);
}

TEST(Batch, IsAnsweredAsItsResourceSays) {
  PaperWire wire(scenario("", "{}", "{status: 200, items: rows, results: out, key: rid}"));
  const Exchange sent = wire.send(post(kPath, R"({"rows":[{"product":"a","rid":"k"}]})"));
  EXPECT_EQ(sent.answer.status, 200);
  EXPECT_THAT(wire.last_bytes, HasSubstr(R"({"out":[{"status":201,"item":{"id":"bk_1","product")"));
  EXPECT_THAT(wire.last_bytes, Not(HasSubstr("rid"))) << "a key is not stored";
  EXPECT_EQ(sent.items.at(0).key, "k");
}

TEST(Batch, IsRefusedAsAWholeWhereItHasNoItems) {
  PaperWire wire(scenario());
  for (const std::string body : {"{}", R"({"items":[]})", R"({"items":{}})", "[1]", "{"}) {
    const Exchange sent = wire.send(post(kPath, body));
    EXPECT_EQ(sent.answer.status, 400) << body;
    EXPECT_THAT(sent.items, IsEmpty());
    EXPECT_NE(sent.identity.operation, 0U) << "it is an operation like any other";
    EXPECT_NE(sent.note, "");
  }
  EXPECT_EQ(wire.send(get(kPath)).answer.status, 405);
}

TEST(Batch, LetsInOnlyWhomTheVendorKnows) {
  PaperWire wire("mishap: 1\nscenario: x\napi: {from: booking, auth: {bearer: required}}\n", 1, 1,
                 "t0ken");
  const Exchange sent = wire.send(batch(referenced("a", "R1")));
  EXPECT_EQ(sent.answer.status, 401);
  EXPECT_THAT(statuses(sent), ElementsAre(0)) << "nothing was said of the item";
  Ask known = batch(referenced("a", "R1"));
  known.headers.push_back({"Authorization", "Bearer t0ken"});
  EXPECT_THAT(statuses(wire.send(known)), ElementsAre(201));
}

TEST(Batch, KeysOfItemsAreThoseOfSingleCreates) {
  PaperWire wire(scenario());
  const Exchange first = wire.send(batch(keyed("a", "k1") + "," + keyed("b", "k2")));
  const Exchange single = wire.send(post("/v1/bookings", thing("a"), "k1"));
  EXPECT_TRUE(single.answer.replayed);
  EXPECT_EQ(single.identity.operation, first.items.at(0).identity.operation);
  EXPECT_EQ(single.identity.attempt, 2U);
  const Exchange again = wire.send(batch(keyed("b", "k2") + "," + keyed("x", "k1")));
  EXPECT_THAT(statuses(again), ElementsAre(201, 422));
  EXPECT_TRUE(again.items.at(0).replayed);
  EXPECT_FALSE(again.items.at(1).replayed);
  EXPECT_EQ(wire.journal.effects.size(), 2U);
}

TEST(Batch, ItemMayNeedAKey) {
  PaperWire wire(scenario("", "{required: true}"));
  EXPECT_THAT(statuses(wire.send(batch(keyed("a", "k1") + "," + thing("b")))),
              ElementsAre(201, 400));
  EXPECT_THAT(statuses(wire.send(batch(thing("b"), "whole"))), ElementsAre(201));
}

TEST(Batch, UnderAKeyOfItsOwnIsAnsweredAgainAsAWhole) {
  PaperWire wire(scenario());
  const std::string items = thing("a") + R"(,{"x":1})";
  wire.send(batch(items, "whole"));
  const Exchange again = wire.send(batch(items, "whole"));
  EXPECT_TRUE(again.answer.replayed);
  EXPECT_THAT(statuses(again), ElementsAre(201, 422));
  EXPECT_TRUE(again.items.at(0).replayed);
  EXPECT_EQ(wire.journal.effects.size(), 1U);
  EXPECT_EQ(wire.send(batch(thing("b"), "whole")).answer.status, 422);
}

TEST(Batch, KeysOfItsItemsAreTakenWhileItIsUnderWay) {
  PaperWire wire(scenario(", fault: {kind: late_effect, after: 1s}"));
  Underway slow = wire.start(batch(keyed("a", "k1")));
  const Exchange single = wire.send(post("/v1/bookings", thing("a"), "k1"));
  EXPECT_EQ(single.answer.status, 409);
  EXPECT_THAT(statuses(wire.finish(slow)), ElementsAre(201));
  EXPECT_TRUE(wire.send(post("/v1/bookings", thing("a"), "k1")).answer.replayed);
}

TEST(Batch, UniqueReferencesHoldAmongItsItems) {
  PaperWire wire(scenario());
  const Exchange sent = wire.send(batch(referenced("a", "R1") + "," + referenced("b", "R2")));
  EXPECT_THAT(statuses(sent), ElementsAre(201, 201));
  const Exchange twice = wire.send(batch(referenced("c", "R3") + "," + referenced("c", "R3")));
  EXPECT_THAT(statuses(twice), ElementsAre(201, 409));
  EXPECT_THAT(attempts(twice), ElementsAre(1, 2)) << "one reference, one operation";
}

TEST(FailedItems, AreNotCarriedOutAndToldSo) {
  PaperWire wire(scenario(", when: {attempt: 1}, fault: {kind: items_failed, items: 2}"));
  const Exchange sent = wire.send(batch(kThree));
  EXPECT_EQ(sent.answer.status, 207);
  EXPECT_FALSE(sent.answer.healthy);
  EXPECT_TRUE(sent.answer.changed);
  EXPECT_THAT(statuses(sent), ElementsAre(201, 503, 201));
  EXPECT_TRUE(sent.items.at(0).healthy);
  EXPECT_FALSE(sent.items.at(1).healthy);
  EXPECT_THAT(sent.items.at(1).effects, IsEmpty());
  EXPECT_TRUE(sent.rules.at(0).delivered) << sent.rules.at(0).shortfall;
  EXPECT_EQ(wire.journal.effects.size(), 2U);
}

TEST(FailedItems, SentAgainGoOnWithTheirOperations) {
  PaperWire wire(scenario(", when: {attempt: 1}, fault: {kind: items_failed, items: 2}"));
  const Exchange sent = wire.send(batch(kThree));
  const Exchange alone = wire.send(batch(thing("b")));
  EXPECT_EQ(alone.identity.attempt, 2U);
  EXPECT_THAT(alone.rules, IsEmpty()) << "no rule is about a second attempt";
  EXPECT_THAT(statuses(alone), ElementsAre(201));
  EXPECT_EQ(operations(alone).at(0), operations(sent).at(1));
  // After a delivered success equal content is another intent.
  EXPECT_THAT(attempts(wire.send(batch(thing("b") + "," + thing("a")))), ElementsAre(1, 1));
}

TEST(FailedItems, SentAgainByThemselvesGoOnAsWell) {
  PaperWire wire(scenario(", when: {attempt: 1}, fault: {kind: items_failed, items: 1..3}"));
  const Exchange sent =
      wire.send(batch(thing("a") + "," + keyed("b", "k2") + "," + referenced("c", "R3")));
  const Exchange by_content = wire.send(post("/v1/bookings", thing("a")));
  const Exchange by_key = wire.send(post("/v1/bookings", thing("b"), "k2"));
  const Exchange by_reference = wire.send(post("/v1/bookings", referenced("c2", "R3")));
  EXPECT_THAT(operations(sent),
              ElementsAre(by_content.identity.operation, by_key.identity.operation,
                          by_reference.identity.operation));
  EXPECT_EQ(by_content.request.content_hash, sent.items.at(0).content_hash);
}

TEST(FailedItems, AfterTheEffectAreDoneAndToldTheSame) {
  PaperWire wire(
      scenario(", when: {attempt: 1}, fault: {kind: items_failed, items: 2, at: after_effect, "
               "retry_after: '2'}"));
  const Exchange sent = wire.send(batch(thing("a") + "," + keyed("b", "k2")));
  EXPECT_THAT(statuses(sent), ElementsAre(201, 503));
  EXPECT_THAT(sent.items.at(1).effects, ElementsAre(2));
  EXPECT_THAT(sent.answer.headers, testing::Contains(NameValue{"Retry-After", "2"}));
  EXPECT_TRUE(sent.rules.at(0).delivered) << sent.rules.at(0).shortfall;
  const Exchange again = wire.send(batch(keyed("b", "k2")));
  EXPECT_TRUE(again.items.at(0).replayed) << "the vendor knows better";
  EXPECT_THAT(statuses(again), ElementsAre(201));
}

TEST(FailedItems, GoTogetherWithOtherFaults) {
  PaperWire wire(scenario(", fault: {kind: items_failed, items: 2}}\n  - {on: POST " +
                          std::string(kPath) + ", fault: response_lost"));
  const Exchange lost = wire.send(batch(kThree));
  EXPECT_THAT(statuses(lost), ElementsAre(0, 0, 0)) << "nobody was told anything";
  EXPECT_EQ(wire.journal.effects.size(), 2U);
  EXPECT_THAT(attempts(wire.send(batch(kThree))), ElementsAre(2, 2, 2));
}

TEST(FailedItems, AreNoneWhereTheRequestIsNoBatch) {
  PaperWire wire(
      "mishap: 1\nscenario: x\napi: booking\nfaults:\n"
      "  - {on: {method: POST, path: '/v1/*'}, fault: {kind: items_failed, items: 1}}\n");
  const Exchange single = wire.send(post("/v1/bookings", referenced("a", "R1")));
  EXPECT_EQ(single.answer.status, 201);
  EXPECT_EQ(single.rules.at(0).shortfall, "the request was no batch");
}

TEST(LostBatch, LeavesEachItemToBeLookedUp) {
  PaperWire wire(scenario(", when: {attempt: 1}, fault: response_lost"));
  const Exchange lost = wire.send(batch(referenced("a", "R1") + "," + referenced("b", "R2")));
  EXPECT_EQ(wire.journal.effects.size(), 2U);
  const Exchange found = wire.send(get("/v1/bookings?reference=R2"));
  EXPECT_EQ(found.role, Role::Lookup);
  EXPECT_THAT(found.looked_up, ElementsAre(operations(lost).at(1)));
  EXPECT_TRUE(found.found);
}

TEST(LostBatch, SentAgainIsAnotherAttemptOfEachItem) {
  PaperWire wire(scenario(", when: {op: 1, attempt: 1}, fault: response_lost"));
  const Exchange lost = wire.send(batch(kThree));
  EXPECT_EQ(lost.rules.at(0).op, 1U);
  const Exchange again = wire.send(batch(kThree));
  EXPECT_EQ(again.identity.attempt, 2U);
  EXPECT_THAT(attempts(again), ElementsAre(2, 2, 2));
  EXPECT_EQ(operations(again), operations(lost));
  EXPECT_THAT(wire.send(batch(thing("z"))).rules, IsEmpty()) << "that is operation 4";
}

TEST(Batch, CarriedOutTwiceIsSoForEachItem) {
  PaperWire wire(scenario(", fault: carried_out_twice"));
  const Exchange sent = wire.send(batch(thing("a") + "," + thing("b")));
  EXPECT_THAT(sent.items.at(0).effects, ElementsAre(1, 2));
  EXPECT_THAT(sent.items.at(1).effects, ElementsAre(3, 4));
  EXPECT_TRUE(sent.answer.healthy);
}

TEST(Batch, ThatWasNotReadIsNoOperation) {
  PaperWire wire(scenario(", fault: {kind: reset, at: request_head}"));
  const Exchange unread = wire.send(batch(kThree, "whole"));
  EXPECT_EQ(unread.identity.operation, 0U);
  EXPECT_THAT(unread.items, IsEmpty());
}

}  // namespace
}  // namespace mishap::server
