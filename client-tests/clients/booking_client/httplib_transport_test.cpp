// What the transport does on a real socket against a server that misbehaves byte by byte.
#include "client-tests/clients/booking_client/httplib_transport.h"

#include <gtest/gtest.h>

#include <chrono>

#include "client-tests/clients/booking_client/raw_server.h"

namespace booking {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

const Request kRequest{"GET", "/", {}, ""};
const std::string kGood = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
constexpr milliseconds kPatient = 8s;

TEST(Transport, UsesAHealthyConnectionAgain) {
  RawServer server([](RawConnection& connection) {
    while (connection.read_request()) connection.send(kGood);
  });
  const auto transport = make_httplib_transport(server.origin());
  for (int i = 0; i < 3; ++i) {
    const Answer answer = transport->exchange(kRequest, kPatient);
    EXPECT_EQ(answer.ending, Ending::Answered);
    EXPECT_EQ(answer.body, "{}");
  }
  EXPECT_EQ(server.connections(), 1);
  transport->drop_connection();
}

TEST(Transport, CutsADribblingAnswerAtItsLimitAndLetsGoAtOnce) {
  std::atomic<bool> left = false;
  RawServer server([&](RawConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (!left && connection.send("x")) left = connection.client_leaves(20);
    left = true;
  });
  const auto transport = make_httplib_transport(server.origin());
  const auto start = steady_clock::now();
  EXPECT_EQ(transport->exchange(kRequest, 300ms).ending, Ending::TimedOut);
  EXPECT_GE(steady_clock::now() - start, 300ms);
  server.stop();  // returns only because the client has left, though the transport lives on
  EXPECT_TRUE(left);
}

TEST(Transport, DoesNotTakeAnAnswerThatItCutItselfForAWholeOne) {
  // No length: the body ends with the connection, and it is the watchdog that ends it.
  RawServer server([](RawConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\n\r\n{}");
    connection.client_leaves();
  });
  const auto transport = make_httplib_transport(server.origin());
  EXPECT_EQ(transport->exchange(kRequest, 200ms).ending, Ending::TimedOut);
}

TEST(Transport, NeverSendsARequestTwiceByItself) {
  std::atomic<int> requests = 0;
  RawServer server([&](RawConnection& connection) {
    while (connection.read_request()) {
      if (++requests == 2) return;  // on the kept-alive connection: read in full, no byte back
      connection.send(kGood);
    }
  });
  const auto transport = make_httplib_transport(server.origin());
  EXPECT_EQ(transport->exchange(kRequest, kPatient).ending, Ending::Answered);
  EXPECT_EQ(transport->exchange(kRequest, kPatient).ending, Ending::Lost);
  EXPECT_EQ(requests, 2);
  EXPECT_EQ(transport->exchange(kRequest, kPatient).ending, Ending::Answered);
  EXPECT_EQ(requests, 3);
  transport->drop_connection();
}

TEST(Transport, LeavesAConnectionOnWhichMoreCameThanWasAsked) {
  RawServer server([](RawConnection& connection) {
    if (!connection.read_request()) return;
    // More than the library reads ahead, so that some of it stays in the socket.
    connection.send(kGood + std::string(20'000, ' ') +
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray");
    connection.client_leaves();
  });
  const auto transport = make_httplib_transport(server.origin());
  EXPECT_EQ(transport->exchange(kRequest, kPatient).body, "{}");
  EXPECT_EQ(transport->exchange(kRequest, kPatient).body, "{}");
  EXPECT_EQ(server.connections(), 2);
  transport->drop_connection();
}

TEST(Transport, SaysNotConnectedWhereNothingListens) {
  std::string origin;
  {
    RawServer server([](RawConnection&) {});
    origin = server.origin();
  }
  const auto transport = make_httplib_transport(origin);
  EXPECT_EQ(transport->exchange(kRequest, kPatient).ending, Ending::NotConnected);
}

struct OddAnswer {
  const char* name;
  std::string bytes;  // then the connection ends
  Ending ending;
};

class OddAnswers : public testing::TestWithParam<OddAnswer> {};

TEST_P(OddAnswers, EndAsTheyShould) {
  RawServer server([](RawConnection& connection) {
    if (connection.read_request()) connection.send(GetParam().bytes);
  });
  const auto transport = make_httplib_transport(server.origin());
  EXPECT_EQ(transport->exchange(kRequest, kPatient).ending, GetParam().ending);
}

std::string with(const std::string& headers, const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + headers + "\r\n" + body;
}

INSTANTIATE_TEST_SUITE_P(
    Transport, OddAnswers,
    testing::Values(
        OddAnswer{"Nothing", "", Ending::Lost},
        OddAnswer{"HalfAHead", "HTTP/1.1 200 OK\r\nContent-Le", Ending::Lost},
        OddAnswer{"NoHttp", "hello\r\n\r\n", Ending::Lost},
        OddAnswer{"BodyCut", with("Content-Length: 10\r\n", "{}"), Ending::CutShort},
        OddAnswer{"NoLastChunk", with("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n"),
                  Ending::CutShort},
        OddAnswer{"WholeChunks", with("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"),
                  Ending::Answered},
        OddAnswer{"EndsWithTheConnection", with("", "{}"), Ending::Answered},
        OddAnswer{"LengthIsNoNumber", with("Content-Length: x\r\n", "{}"), Ending::Malformed},
        OddAnswer{"LengthIsNegative", with("Content-Length: -2\r\n", "{}"), Ending::Malformed},
        OddAnswer{"TwoLengths", with("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"),
                  Ending::Malformed},
        OddAnswer{"EqualLengths", with("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"),
                  Ending::Answered},
        OddAnswer{"LengthAndChunks",
                  with("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "{}"),
                  Ending::Malformed},
        OddAnswer{"UnknownCoding", with("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
                  Ending::Malformed},
        OddAnswer{"EncodingNotAskedFor",
                  with("Content-Encoding: gzip\r\nContent-Length: 2\r\n", "{}"), Ending::Malformed},
        OddAnswer{"TooLarge", with("Content-Length: 2000000\r\n", std::string(2'000'000, ' ')),
                  Ending::Malformed},
        OddAnswer{"EarlyHints", "HTTP/1.1 103 Early Hints\r\n\r\n" + kGood, Ending::Malformed}),
    [](const testing::TestParamInfo<OddAnswer>& odd) { return std::string(odd.param.name); });

}  // namespace
}  // namespace booking
