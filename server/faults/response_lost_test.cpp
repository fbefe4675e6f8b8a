#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const FaultDescriptor& fault() {
  return response_lost_fault();
}

std::string at(Moment moment, const Written& members) {
  return planned(fault(), Point::AfterEffect, moment, members, ordinary(moment));
}

std::string proven(const Exchange& exchange, const Written& members = {}) {
  return proof(fault(), Point::AfterEffect, exchange, members);
}

TEST(ResponseLost, KeepsTheEffectAndDropsEveryByte) {
  EXPECT_EQ(at(Moment::Request, {}), "apply");
  EXPECT_EQ(at(Moment::Apply, {}), "reset_connection");
  EXPECT_EQ(at(Moment::Apply, {{"by", "close"}}), "close_connection");
  EXPECT_EQ(at(Moment::Apply, {{"by", "stall"}}), "stall");
}

TEST(ResponseLost, ByComingLateHoldsTheAnswerBack) {
  const std::string answer =
      std::string("send head ") + kOrdinaryHead + R"( | send body "{"id":"bk_1"}" | finish)";
  EXPECT_EQ(at(Moment::Request, {{"by", "late"}}), "apply");
  EXPECT_EQ(at(Moment::Apply, {{"by", "late"}}), "wait 5s | " + answer);
  EXPECT_EQ(at(Moment::Apply, {{"by", "late"}, {"after", "2s"}}), "wait 2s | " + answer);
}

TEST(ResponseLost, CommitsLaterAlsoWhenTheClientHasGone) {
  const auto with = [](const std::string& by) {
    return Written{{"by", by}, {"commit_after", "3s"}};
  };
  EXPECT_EQ(at(Moment::Request, with("reset")), "reset_connection | wait 3s | apply");
  EXPECT_EQ(at(Moment::Apply, with("reset")), "(nothing)");
  EXPECT_EQ(at(Moment::Request, with("close")), "close_connection | wait 3s | apply");
  EXPECT_EQ(at(Moment::Apply, with("close")), "(nothing)");
  EXPECT_EQ(at(Moment::Request, with("stall")), "wait 3s | apply");
  EXPECT_EQ(at(Moment::Apply, with("stall")), "stall");
  EXPECT_EQ(at(Moment::Request, with("late")), "wait 3s | apply");
}

TEST(ResponseLost, LeavesARequestAloneThatWillNotTakeEffect) {
  EXPECT_EQ(
      planned(fault(), Point::AfterEffect, Moment::Request, {{"commit_after", "3s"}}, {Stall{}}),
      "stall");
}

TEST(ResponseLost, NeedsTheEffectZeroBytesAndItsEnding) {
  EXPECT_EQ(proven(unanswered(Ending::Reset)), "delivered");
  EXPECT_EQ(proven(unanswered(Ending::Closed), {{"by", "close"}}), "delivered");
  EXPECT_EQ(proven(unanswered(Ending::Stalled), {{"by", "stall"}}), "delivered");
  EXPECT_EQ(proven(unanswered(Ending::Closed)), "no RST was sent");
  EXPECT_EQ(proven(unanswered(Ending::Reset), {{"by", "close"}}), "no FIN was sent");
  EXPECT_EQ(proven(changed(unanswered(Ending::Reset), [](Exchange& e) { e.applied.reset(); })),
            "the effect never came");
  EXPECT_EQ(
      proven(changed(unanswered(Ending::Reset), [](Exchange& e) { e.receipt.bytes_written = 1; })),
      "bytes of an answer went out");
  EXPECT_EQ(proven(answered()), "bytes of an answer went out");
}

TEST(ResponseLost, ByComingLateNeedsAClientThatDidNotWait) {
  const Written late = {{"by", "late"}, {"after", "2s"}};
  const auto left_at = [](Exchange exchange, Duration instant) {
    return changed(std::move(exchange), [instant](Exchange& e) { e.receipt.departed = instant; });
  };
  EXPECT_EQ(proven(answered(), late), "the client waited for it");
  EXPECT_EQ(proven(left_at(unanswered(Ending::ClientLeft), seconds(1)), late), "delivered");
  EXPECT_EQ(proven(left_at(answered(), milliseconds(11)), late), "delivered");
  EXPECT_EQ(proven(left_at(answered(), milliseconds(13)), late), "the client waited for it");
}

TEST(ResponseLost, WithALateCommitNeedsItAfterTheEnd) {
  const Written later = {{"commit_after", "3s"}};
  const auto committed = [](Duration applied, Duration ended) {
    return changed(unanswered(Ending::Reset), [&](Exchange& e) {
      e.applied = applied;
      e.receipt.ended = ended;
    });
  };
  EXPECT_EQ(proven(committed(milliseconds(3010), milliseconds(11)), later), "delivered");
  EXPECT_EQ(proven(committed(milliseconds(1010), milliseconds(11)), later),
            "the effect came after 1s, not after 3s");
  EXPECT_EQ(proven(committed(milliseconds(3010), milliseconds(4000)), later),
            "the effect came before the connection ended");
  EXPECT_EQ(proven(changed(committed({}, {}), [](Exchange& e) { e.applied.reset(); }), later),
            "the effect never came");
}

TEST(ResponseLost, TakesAfterOnlyWhenItIsLate) {
  EXPECT_EQ(complaints(fault(), Point::AfterEffect, {{"after", "2s"}}),
            "fault \"response_lost\": \"after\" says something only with by: late; a late effect "
            "is \"commit_after\"");
  EXPECT_EQ(complaints(fault(), Point::AfterEffect, {{"after", "2s"}, {"by", "late"}}), "");
  EXPECT_NE(complaints(fault(), Point::AfterEffect, {{"by", "rst"}}), "");
  EXPECT_NE(complaints(fault(), Point::AfterEffect, {{"commit_after", "3"}}), "");
}

}  // namespace
}  // namespace mishap::server
