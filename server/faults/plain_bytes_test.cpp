#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"
#include "server/faults/handshake_fixture.h"

namespace mishap::server {
namespace {

std::string answer(const Written& written, Steps steps = {Handshake{}}) {
  return planned(plain_bytes_fault(), Point::Handshake, Moment::Accept, written, std::move(steps));
}

TEST(PlainBytes, StandInPlaceOfTheFlight) {
  EXPECT_EQ(answer({{"text", "220 "}}), "handshake instead 32323020 | close_connection");
  EXPECT_THAT(answer({}), testing::StartsWith("handshake instead 485454502f312e3120343030"));
}

TEST(PlainBytes, NeedAHandshake) {
  EXPECT_EQ(answer({}, {}), "(nothing)");
}

TEST(PlainBytes, AreNotNothing) {
  EXPECT_EQ(complaints(plain_bytes_fault(), Point::Handshake, {{"text", "x"}}), "");
  EXPECT_THAT(complaints(plain_bytes_fault(), Point::Handshake, {{"text", ""}}),
              testing::HasSubstr("\"text\" is empty"));
}

TEST(PlainBytes, AreProvenByTheirNumber) {
  const auto prove = [](const Connection& connection) {
    return proof(plain_bytes_fault(), Point::Handshake, Exchange{}, {}, &connection);
  };
  EXPECT_EQ(prove(shaken("good", 66, 66)), "delivered");
  EXPECT_EQ(prove(shaken("good", 66, 65)), "65 of 66 bytes of the server's first flight went out");
}

}  // namespace
}  // namespace mishap::server
