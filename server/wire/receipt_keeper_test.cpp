#include "server/wire/receipt_keeper.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using namespace std::chrono_literals;

struct DeliveryCase {
  const char* name;
  bool head_only;
  std::string head;
  std::string body;
  std::size_t written;
  Delivery delivery;
};

TEST(ReceiptKeeper, JudgesDeliveryByTheFramingThatTheClientSees) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::string five = ok + "content-length: 5\r\n\r\n";
  const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
  const std::size_t all = 1'000'000;
  const std::vector<DeliveryCase> cases = {
      {"nothing", false, five, "12345", 0, Delivery::Nothing},
      {"one byte", false, five, "12345", 1, Delivery::PartOfHead},
      {"head but its last byte", false, five, "12345", five.size() - 1, Delivery::PartOfHead},
      {"head alone", false, five, "12345", five.size(), Delivery::PartOfBody},
      {"all but one", false, five, "12345", five.size() + 4, Delivery::PartOfBody},
      {"all", false, five, "12345", all, Delivery::Complete},
      {"cut as planned", false, five, "123", all, Delivery::PartOfBody},
      {"more than said", false, five, "1234567", all, Delivery::Complete},
      {"no body said", false, ok + "Content-Length: 0\r\n\r\n", "", all, Delivery::Complete},
      {"HEAD", true, five, "", all, Delivery::Complete},
      {"204", false, "HTTP/1.1 204 No Content\r\n\r\n", "", all, Delivery::Complete},
      {"304", false, "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "", all,
       Delivery::Complete},
      {"chunks", false, chunked, "1\r\na\r\n0\r\n\r\n", all, Delivery::Complete},
      {"chunks without their end", false, chunked, "1\r\na\r\n", all, Delivery::PartOfBody},
      {"chunks and a trailer", false, chunked, "1\r\na\r\n0\r\nT: 1\r\n\r\n", all,
       Delivery::Complete},
      {"chunks and a part of a trailer", false, chunked, "1\r\na\r\n0\r\nT: 1\r\n\r\n",
       chunked.size() + 12, Delivery::PartOfBody},
      {"until the end", false, ok + "\r\n", "12345", all, Delivery::Complete},
      {"no blank line", false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "", all,
       Delivery::PartOfHead},
      {"no HTTP at all", false, "hello\r\n", "", all, Delivery::PartOfHead},
  };
  for (const DeliveryCase& one : cases) {
    SCOPED_TRACE(one.name);
    ReceiptKeeper keeper(one.head_only);
    keeper.plan(Part::Head, one.head);
    keeper.plan(Part::Body, one.body);
    const std::string bytes = (one.head + one.body).substr(0, one.written);
    for (const char byte : bytes) keeper.wrote({&byte, 1}, 1ms);
    EXPECT_EQ(keeper.receipt().delivery, one.delivery);
    EXPECT_EQ(keeper.is_complete(), one.delivery == Delivery::Complete);
    EXPECT_EQ(keeper.receipt().bytes_written, bytes.size());
  }
}

TEST(ReceiptKeeper, TheFirstEndingCounts) {
  ReceiptKeeper keeper(false);
  keeper.end(Ending::ClientLeft, 3ms);
  keeper.end(Ending::Reset, 4ms);
  EXPECT_EQ(keeper.receipt().ending, Ending::ClientLeft);
  EXPECT_EQ(keeper.receipt().ended, 3ms);
}

TEST(ReceiptKeeper, InterimAnswersAreNotPartOfThePlan) {
  ReceiptKeeper keeper(false);
  keeper.plan(Part::Interim, "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(keeper.receipt().bytes_planned, 0U);
  EXPECT_EQ(keeper.receipt().delivery, Delivery::Nothing);
}

TEST(ReceiptKeeper, KnowsWhatWasWrittenByItsFingerprint) {
  ReceiptKeeper keeper(false);
  EXPECT_EQ(keeper.receipt().bytes_hash, "");
  keeper.plan(Part::Head, "abcdef");
  keeper.wrote("ab", 1ms);
  keeper.wrote("c", 2ms);
  // xxhsum -H2 of "abc" is 06b05ab6733a618578af5f94892f3950.
  EXPECT_EQ(keeper.receipt().bytes_hash, "FGmOzZrWwaQlzLJ");
  EXPECT_EQ(keeper.receipt().first_write, 1ms);
  EXPECT_EQ(keeper.receipt().last_write, 2ms);
}

TEST(ReceiptKeeper, NotesEachWriteAndKeepsTheFirstAndTheLast) {
  ReceiptKeeper keeper(false);
  keeper.plan(Part::Head, "HTTP/1.1 200 OK\r\n\r\n");
  keeper.plan_many(Part::Body, "ab", 50);
  keeper.wrote("HTTP/1.1 200 OK\r\n\r\n", 1ms);
  for (int i = 0; i < 50; ++i) keeper.wrote("ab", 2ms + i * 1ms);
  const Receipt receipt = keeper.receipt();
  EXPECT_EQ(receipt.bytes_planned, 119U);
  EXPECT_EQ(receipt.bytes_written, 119U);
  ASSERT_EQ(receipt.writes.size(), 32U);
  EXPECT_EQ(receipt.more_writes, 19U);
  EXPECT_EQ(receipt.writes[0].bytes, 19U);
  EXPECT_EQ(receipt.writes[1].offset, 19U);
  EXPECT_EQ(receipt.writes[15].at, Duration(16ms));
  EXPECT_EQ(receipt.writes[16].at, Duration(36ms)) << "those between are counted only";
  EXPECT_EQ(receipt.writes[31].offset, 117U);
}

TEST(ReceiptKeeper, AnEndlessPlanIsNeverFulfilled) {
  ReceiptKeeper keeper(false);
  keeper.plan(Part::Head, "HTTP/1.1 200 OK\r\n\r\n");
  keeper.plan_many(Part::Body, "ab", kEndless);
  keeper.wrote("HTTP/1.1 200 OK\r\n\r\nab", 1ms);
  EXPECT_EQ(keeper.receipt().bytes_planned, kEndless);
  EXPECT_EQ(keeper.receipt().delivery, Delivery::PartOfBody);
}

}  // namespace
}  // namespace mishap::server
