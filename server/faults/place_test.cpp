#include "server/faults/place.h"

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\nA: 1\r\nBc: 22\r\n\r\n";
constexpr std::string_view kChunks = "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\nU: 2\r\n\r\n";

// What lies before the place.
std::string before(std::string_view text, std::optional<std::uint64_t> offset) {
  return offset ? std::string(text.substr(0, *offset)) : "nowhere";
}

std::string in_head(std::string_view place) {
  return before(kHead, offset_in_head(kHead, parse_position(place).value()));
}

std::string in_body(std::string_view place, std::string_view body = kChunks) {
  return before(body, offset_in_body(body, body.size(), parse_position(place).value()));
}

TEST(Place, InAHeadIsFoundByItsLines) {
  EXPECT_EQ(in_head("0B"), "");
  EXPECT_EQ(in_head("9B"), "HTTP/1.1 ");
  EXPECT_EQ(in_head("50%"), "HTTP/1.1 200 OK\r");
  EXPECT_EQ(in_head("status line"), "HTTP/1.1 200 OK\r\n");
  EXPECT_EQ(in_head("status line + 2B"), "HTTP/1.1 200 OK\r\nA:");
  EXPECT_EQ(in_head("header 1"), "HTTP/1.1 200 OK\r\nA: 1\r\n");
  EXPECT_EQ(in_head("header 2"), "HTTP/1.1 200 OK\r\nA: 1\r\nBc: 22\r\n");
  EXPECT_EQ(in_head("header 2 + 1B"), "HTTP/1.1 200 OK\r\nA: 1\r\nBc: 22\r\n\r");
  EXPECT_EQ(in_head("100%"), kHead);
}

TEST(Place, InAChunkCodedBodyIsFoundByItsChunks) {
  EXPECT_EQ(in_body("chunk size 1"), "3\r\n");
  EXPECT_EQ(in_body("chunk 1"), "3\r\nabc");
  EXPECT_EQ(in_body("chunk size 2"), "3\r\nabc\r\n2;x=y\r\n");
  EXPECT_EQ(in_body("chunk size 2 + 1B"), "3\r\nabc\r\n2;x=y\r\nd");
  EXPECT_EQ(in_body("last chunk"), "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n");
  EXPECT_EQ(in_body("trailer 2"), std::string(kChunks.substr(0, kChunks.size() - 2)));
}

TEST(Place, ThatIsNotThereIsNowhere) {
  EXPECT_EQ(in_head("header 3"), "nowhere");
  EXPECT_EQ(in_head("header 2 + 9B"), "nowhere");
  EXPECT_EQ(in_head("900B"), "nowhere");
  EXPECT_EQ(in_head("chunk 1"), "nowhere");
  EXPECT_EQ(in_body("chunk 3"), "nowhere");
  EXPECT_EQ(in_body("trailer 3"), "nowhere");
  EXPECT_EQ(in_body("header 1"), "nowhere");
  EXPECT_EQ(in_body("chunk 1", "{\"id\": 1}"), "nowhere");
  EXPECT_EQ(in_body("chunk 1", ""), "nowhere");
  EXPECT_EQ(in_body("chunk 1", "ffffffffffffffff\r\nabc"), "nowhere");
  EXPECT_EQ(in_body("chunk size 2", "1\r\na"), "nowhere");
}

TEST(Place, OfALongBodyIsAShareOfAllOfIt) {
  EXPECT_EQ(offset_in_body("ab", 1000, parse_position("50%").value()), 500U);
  EXPECT_EQ(offset_in_body("ab", 1000, parse_position("700B").value()), 700U);
}

}  // namespace
}  // namespace mishap::server
