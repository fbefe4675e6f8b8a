#include "server/control/call_reader.h"

#include <gmock/gmock.h>

namespace mishap::server::control {
namespace {

using testing::HasSubstr;

const std::string kHead = "POST /v1/runs?copy=2 HTTP/1.1\r\nHost: 127.0.0.1\r\n";

int status_of(const std::string& bytes) {
  CallReader reader;
  const auto wrong = reader.take(bytes);
  if (wrong) return wrong->status;
  return reader.is_done() ? 200 : 0;
}

TEST(CallReader, ReadsACallHoweverItsBytesAreCut) {
  const auto bytes = kHead + "Content-Length: 5\r\n\r\nhello";
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    CallReader reader;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      ASSERT_FALSE(reader.take(bytes.substr(at, size))) << size;
    }
    ASSERT_TRUE(reader.is_done()) << size;
    const auto call = reader.call();
    EXPECT_EQ(call.method, "POST");
    EXPECT_EQ(call.path, "/v1/runs");
    EXPECT_EQ(call.query, "copy=2");
    EXPECT_EQ(call.header("host"), "127.0.0.1");
    EXPECT_EQ(call.body, "hello");
  }
}

TEST(CallReader, ACallWithoutLengthHasNoBody) {
  EXPECT_EQ(status_of(kHead + "\r\n"), 200);
}

TEST(CallReader, RefusesWhatIsTooLongBeforeItHasCome) {
  EXPECT_EQ(status_of(kHead + "Content-Length: 1048577\r\n\r\n"), 413);
  EXPECT_EQ(status_of(kHead + "Content-Length: 1048576\r\n\r\n"), 0);
  EXPECT_EQ(status_of(kHead + "X: " + std::string(20'000, 'x')), 431);
  EXPECT_EQ(status_of("GET /" + std::string(2000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 414);
}

TEST(CallReader, CountsAHeadByItsBytesHoweverTheyAreCut) {
  const std::string begin = kHead + "X: ";
  for (const std::size_t length : {kMostHead, kMostHead + 1}) {
    const auto bytes = begin + std::string(length - begin.size() - 4, 'x') + "\r\n\r\n";
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{1000}, bytes.size() - 2, bytes.size()}) {
      CallReader reader;
      bool refused = false;
      for (std::size_t at = 0; at < bytes.size() && !refused; at += size) {
        refused = reader.take(bytes.substr(at, size)).has_value();
      }
      EXPECT_EQ(refused, length > kMostHead) << length << " in pieces of " << size;
    }
  }
}

TEST(CallReader, RefusesBodiesWhoseLengthIsNotSaid) {
  EXPECT_EQ(status_of(kHead + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), 411);
  EXPECT_EQ(status_of(kHead + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"), 415);
}

TEST(CallReader, RefusesWhatIsNoRequest) {
  for (const auto* bytes :
       {"\x16\x03\x01\x02", "SSH-2.0-x\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    EXPECT_EQ(status_of(bytes), 400) << bytes;
  }
}

TEST(CallReader, AsksOnceForABodyThatWaitsForIt) {
  CallReader reader;
  ASSERT_FALSE(reader.take(kHead + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_TRUE(reader.wants_go_ahead());
  EXPECT_FALSE(reader.wants_go_ahead());
  ASSERT_FALSE(reader.take("ok"));
  EXPECT_TRUE(reader.is_done());
}

}  // namespace
}  // namespace mishap::server::control
