#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"
#include "server/faults/rule_fixture.h"

namespace mishap::server {
namespace {

const FaultDescriptor& fault() {
  return items_failed_fault();
}

TEST(ItemsFailed, SaysOfWhichItemsWhatTheyAreTold) {
  EXPECT_EQ(planned(fault(), Point::BeforeEffect, {{"items", "2"}}), "apply items 2 told 503");
  EXPECT_EQ(planned(fault(), Point::BeforeEffect, Moment::Request,
                    {{"items", "1..2"}, {"status", "422"}, {"retry_after", "3"}},
                    {Wait{std::chrono::seconds(1)}, Apply{}}),
            "wait 1s | apply items 1..2 told 422 retry after 3");
}

TEST(ItemsFailed, AfterTheEffectTheyAreCarriedOutAllTheSame) {
  EXPECT_EQ(planned(fault(), Point::AfterEffect, Moment::Request, {{"items", "every 2"}},
                    ordinary(Moment::Request)),
            "apply items every 2 told 503 all the same");
  EXPECT_EQ(
      planned(fault(), Point::AfterEffect, Moment::Apply, {{"items", "2.."}}, {CloseConnection{}}),
      "close_connection");
}

TEST(ItemsFailed, LeavesAloneWhatWillNotTakeEffect) {
  EXPECT_EQ(planned(fault(), Point::BeforeEffect, Moment::Request, {{"items", "2"}}, {Finish{}}),
            "finish");
}

BatchItem item(StatusCode status, bool healthy, std::vector<std::uint64_t> effects) {
  BatchItem item;
  item.status = status;
  item.healthy = healthy;
  item.effects = std::move(effects);
  return item;
}

std::string proof_with(Point point, std::vector<BatchItem> items, const Written& members) {
  return proof(fault(), point,
               changed(answered(), [&](Exchange& e) { e.items = std::move(items); }), members);
}

TEST(ItemsFailed, IsProvenByWhatAnItemWasTold) {
  const BatchItem done = item(201, true, {1});
  const BatchItem told = item(503, false, {});
  const auto before = [](std::vector<BatchItem> items) {
    return proof_with(Point::BeforeEffect, std::move(items), {{"items", "2"}});
  };
  EXPECT_EQ(before({done, told, done}), "delivered");
  EXPECT_EQ(before({done, done, told}), "none of 3 items was told a 503");
  EXPECT_EQ(before({done}), "none of 1 items was told a 503");
  EXPECT_EQ(before({done, item(503, true, {}), done}), "none of 3 items was told a 503");
  EXPECT_EQ(before({done, item(503, false, {2}), done}), "item 2 took effect");
  EXPECT_EQ(before({}), "the request was no batch");
}

TEST(ItemsFailed, AfterTheEffectIsProvenByTheEffectToo) {
  const auto after = [](BatchItem second) {
    return proof_with(Point::AfterEffect, {item(201, true, {1}), std::move(second)},
                      {{"items", "2"}, {"status", "500"}});
  };
  EXPECT_EQ(after(item(500, false, {2})), "delivered");
  EXPECT_EQ(after(item(500, false, {})), "item 2 took no effect");
}

TEST(ItemsFailed, IsNotProvenByAnAnswerThatWasLost) {
  Exchange lost = unanswered(Ending::Reset);
  lost.items = {item(503, false, {})};
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, lost, {{"items", "1"}}),
            "the answer did not go out whole");
  lost.applied.reset();
  EXPECT_EQ(proof(fault(), Point::BeforeEffect, lost, {{"items", "1"}}),
            "the batch was never carried out");
}

TEST(ItemsFailed, SaysWhatIsWrongWithIt) {
  const auto wrong = [](const Written& members) {
    return complaints(fault(), Point::BeforeEffect, members);
  };
  EXPECT_EQ(wrong({{"items", "2"}}), "");
  EXPECT_EQ(wrong({{"items", "second"}}),
            "fault \"items_failed\": items: \"second\" is not a count: n, n..m, n.. or every n");
  EXPECT_EQ(wrong({{"items", "0"}}), "fault \"items_failed\": items: this counts from 1");
  EXPECT_EQ(wrong({{"items", "2"}, {"retry_after", "1\n2"}}),
            "fault \"items_failed\": \"retry_after\" holds a line break");
}

TEST(ItemsFailed, NeedABatchThatTheRuleCanMeet) {
  const auto checked_with = [](const std::string& path, bool batch) {
    auto made = scenario({on(rule("items_failed", {{"items", "2"}}), "POST", path)});
    if (batch) {
      made.apis[0].resources[0].batch = scenarios::Batch{.path = "/v1/bookings/batch", .span = {}};
    }
    return checked(made);
  };
  const std::string none = "there is no batch for \"items_failed\" to spoil: ";
  EXPECT_EQ(checked_with("/v1/bookings/batch", true), "");
  EXPECT_EQ(checked_with("/v1/*", true), "");
  EXPECT_EQ(checked_with("/v1/bookings", true), none + "it can be on \"POST /v1/bookings/batch\"");
  EXPECT_EQ(checked_with("/v1/bookings", false),
            none + "add \"batch: true\" to a resource of the api");
}

TEST(ItemsFailed, LeavesInDoubtWhatMayBeDone) {
  const auto ambiguous = [](Point point, const std::string& status) {
    return fault().ambiguous(params_of(fault(), {{"items", "1"}, {"status", status}}), point);
  };
  EXPECT_TRUE(ambiguous(Point::BeforeEffect, "503"));
  EXPECT_FALSE(ambiguous(Point::BeforeEffect, "422"));
  EXPECT_TRUE(ambiguous(Point::AfterEffect, "422"));
}

}  // namespace
}  // namespace mishap::server
