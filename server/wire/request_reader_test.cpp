#include "server/wire/request_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using Progress = RequestReader::Progress;

void feed(RequestReader& reader, std::string_view bytes, Duration now = 0ns) {
  while (!bytes.empty()) {
    const auto room = reader.room();
    const std::size_t count = std::min(room.size(), bytes.size());
    std::copy_n(bytes.data(), count, room.data());
    reader.commit(count, now);
    bytes.remove_prefix(count);
  }
}

constexpr std::uint64_t kAll = ~std::uint64_t{0};

TEST(RequestReader, CutsOfARequestChangeNothing) {
  const std::string one =
      "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n10;ext=\"q\\\"\"\r\n0123456789abcdef\r\n0\r\nT: 1\r\n\r\n";
  const std::string empty =
      "PUT /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  const std::string both = one + "\r\n" + empty;
  for (std::size_t size = 1; size <= both.size(); ++size) {
    RequestReader reader(scenarios::Limits{});
    std::vector<std::string> bodies;
    bool in_body = false;
    for (std::size_t at = 0; at < both.size(); at += size) {
      feed(reader, std::string_view(both).substr(at, size));
      for (;;) {
        const Progress progress = in_body ? reader.parse_body(kAll) : reader.parse_head();
        ASSERT_NE(progress, Progress::Rejected) << size << ": " << reader.rejection().reason;
        if (progress == Progress::NeedMore) break;
        if (in_body) {
          bodies.push_back(reader.take_body());
          reader.next();
        }
        in_body = !in_body;
      }
    }
    EXPECT_EQ(bodies, (std::vector<std::string>{"abc0123456789abcdef", ""})) << size;
  }
}

TEST(RequestReader, StampsTheFirstByteNotTheLast) {
  RequestReader reader(scenarios::Limits{});
  feed(reader, "\r\n", 1ms);
  EXPECT_FALSE(reader.started());
  EXPECT_EQ(reader.parse_head(), Progress::NeedMore);
  feed(reader, "GET / HTTP/1.1\r\n", 2ms);
  EXPECT_EQ(reader.parse_head(), Progress::NeedMore);
  feed(reader, "Host: x\r\n\r\n", 3ms);
  EXPECT_EQ(reader.parse_head(), Progress::Done);
  EXPECT_EQ(reader.first_byte(), 2ms);
  EXPECT_EQ(reader.last_byte(), 3ms);
}

TEST(RequestReader, StopsAtTheLimitOfAStepAndGoesOn) {
  RequestReader reader(scenarios::Limits{});
  feed(reader, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n0123456789");
  ASSERT_EQ(reader.parse_head(), Progress::Done);
  EXPECT_EQ(reader.parse_body(4), Progress::Done);
  EXPECT_FALSE(reader.is_body_over());
  EXPECT_EQ(reader.body_bytes(), 4U);
  EXPECT_EQ(reader.parse_body(kAll), Progress::Done);
  EXPECT_TRUE(reader.is_body_over());
  EXPECT_EQ(reader.take_body(), "0123456789");
}

TEST(RequestReader, SkippedBytesAreNotKept) {
  RequestReader reader(scenarios::Limits{});
  feed(reader, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET");
  ASSERT_EQ(reader.parse_head(), Progress::Done);
  EXPECT_EQ(reader.skip_body(), Progress::Done);
  EXPECT_TRUE(reader.is_body_over());
  EXPECT_EQ(reader.body_bytes(), 0U);
  reader.next();
  EXPECT_TRUE(reader.started());
}

TEST(RequestReader, ATrailerOverTheLimitIsRefusedHoweverItsBytesAreCut) {
  scenarios::Limits limits;
  limits.head = 100;
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& body : {"0\r\nT: " + std::string(100, 't') + "\r\n\r\n",
                                  "1;" + std::string(100, 'e') + "\r\na\r\n0\r\n\r\n"}) {
    for (const std::size_t size : {body.size(), std::size_t{7}, std::size_t{1}}) {
      RequestReader reader(limits);
      feed(reader, head);
      ASSERT_EQ(reader.parse_head(), Progress::Done);
      Progress progress = Progress::NeedMore;
      for (std::size_t at = 0; at < body.size() && progress == Progress::NeedMore; at += size) {
        feed(reader, std::string_view(body).substr(at, size));
        progress = reader.parse_body(kAll);
      }
      ASSERT_EQ(progress, Progress::Rejected) << size;
      EXPECT_EQ(reader.rejection().status, 431);
    }
  }
}

TEST(RequestReader, AnyBytesAreEitherTakenRefusedOrWaitedFor) {
  // A poor man's fuzzer that always does the same: valid requests with one byte changed.
  const std::vector<std::string> seeds = {
      "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close, a\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2;a=b\r\nab\r\n0\r\nT: 1\r\n\r\n"};
  const std::string bytes("\0\r\n\t :;,=\"\\0fFgG/\x7f\x80\xff", 20);
  for (const std::string& seed : seeds) {
    for (std::size_t at = 0; at < seed.size(); ++at) {
      for (const char byte : bytes) {
        std::string text = seed;
        text[at] = byte;
        RequestReader whole(scenarios::Limits{});
        feed(whole, text);
        RequestReader bitwise(scenarios::Limits{});
        for (const char one : text) {
          feed(bitwise, {&one, 1});
          if (bitwise.parse_head() == Progress::Done) break;
        }
        const Progress progress = whole.parse_head();
        if (progress == Progress::Done) whole.parse_body(kAll);
        if (progress == Progress::Rejected) {
          EXPECT_FALSE(whole.rejection().reason.empty());
        }
        EXPECT_EQ(whole.is_rejected() && progress == Progress::Rejected, bitwise.is_rejected())
            << testing::PrintToString(text);
      }
    }
  }
}

// Bytes may lie in the socket while an answer is held back: when they came was noticed of the first
// of them alone.
TEST(RequestReader, TheRequestBehindWasThereWhenItWasRead) {
  RequestReader reader(scenarios::Limits{});
  const std::string two = "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n";
  const auto room = reader.room();
  std::copy_n(two.data(), two.size(), room.data());
  reader.commit(two.size(), 2s, 1s);
  ASSERT_EQ(reader.parse_head(), Progress::Done);
  EXPECT_EQ(reader.first_byte(), Duration(1s));
  reader.skip_body();
  reader.next();
  ASSERT_EQ(reader.parse_head(), Progress::Done);
  EXPECT_EQ(reader.first_byte(), Duration(2s));
}

}  // namespace
}  // namespace mishap::server
