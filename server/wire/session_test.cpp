#include <algorithm>
#include <future>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/wire/wire_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using End = RawClient::End;
using testing::HasSubstr;
using testing::StartsWith;

class SessionTest : public WireTest {};

TEST_F(SessionTest, AnswersPipelinedRequestsInOrder) {
  engine_->at_apply = [](const RequestHead& head) {
    return steps(FakeEngine::answer(200, head.target), {Finish{}});
  };
  begin();
  RawClient client(port());
  client.send(get("/1") + post("/2", "body") + get("/3", "Connection: close\r\n"));
  client.receive_to_end();
  const std::string head = "HTTP/1.1 200 Status\r\nContent-Length: 2\r\n\r\n";
  EXPECT_EQ(client.take(), head + "/1" + head + "/2" + head + "/3");
  EXPECT_EQ(client.end(), End::Fin);
  const auto seen = engine_->exchanges_once_ended(3);
  EXPECT_EQ(seen.at(1).body, "body");
}

TEST_F(SessionTest, ARequestThatComesWhileAnAnswerIsOwedBeganThen) {
  engine_->at_apply = [](const RequestHead& head) {
    const Steps answer = steps(FakeEngine::answer(200, "ok"), {Finish{}});
    return head.target == "/owed" ? steps({Wait{500ms}}, answer) : answer;
  };
  begin();
  RawClient client(port());
  client.send(get("/owed"));
  ASSERT_TRUE(engine_->wait_until(
      [](const auto& seen) { return !seen.empty() && seen.front().applied == 1; }));
  client.send(get("/next"));
  EXPECT_EQ(client.receive_bytes(2 * kOk.size()), kOk + kOk);
  const auto seen = engine_->exchanges_once_ended(2);
  EXPECT_GE(seen.at(1).first_byte, seen.at(0).applied_at);
  EXPECT_LT(seen.at(1).first_byte, *seen.at(0).receipt.last_write);
}

TEST_F(SessionTest, AnswersAllThatCameBeforeAHalfClose) {
  begin();
  RawClient client(port());
  client.send(get("/1") + get("/2") + get("/3"));
  client.send_fin();
  EXPECT_EQ(client.receive_to_end(), kOk + kOk + kOk);
  EXPECT_EQ(client.end(), End::Fin);
  for (const SeenExchange& seen : engine_->exchanges_once_ended(3)) {
    EXPECT_EQ(seen.receipt.delivery, Delivery::Complete);
    EXPECT_NE(seen.receipt.departure, Departure::Rst);
  }
}

TEST_F(SessionTest, ReadsARequestThatComesByteByByte) {
  begin();
  RawClient client(port());
  for (const char byte : post("/slow", "abc", "X-A: 1\r\n")) client.send({&byte, 1});
  EXPECT_EQ(client.receive_bytes(kOk.size()), kOk);
  const SeenExchange seen = engine_->exchanges_once_ended(1).at(0);
  EXPECT_EQ(seen.head.target, "/slow");
  EXPECT_EQ(seen.body, "abc");
  EXPECT_EQ(seen.body_bytes, 3U);
}

TEST_F(SessionTest, ReadsChunkedUploads) {
  begin();
  RawClient client(port());
  client.send(
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4;name=value\r\nWiki\r\n6\r\npedia \r\n0\r\nTrailer: t\r\n\r\n" +
      get("/next"));
  EXPECT_EQ(client.receive_bytes(2 * kOk.size()), kOk + kOk);
  const auto seen = engine_->exchanges_once_ended(2);
  EXPECT_EQ(seen.at(0).body, "Wikipedia ");
  EXPECT_TRUE(seen.at(0).head.has_body);
  EXPECT_EQ(seen.at(1).head.target, "/next");
  EXPECT_FALSE(seen.at(1).head.has_body);
}

TEST_F(SessionTest, InvitesABodyThatWaitsForTheInvitation) {
  begin();
  RawClient client(port());
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-Continue\r\n\r\n");
  EXPECT_EQ(client.receive_bytes(interim.size()), interim);
  client.send("body");
  EXPECT_EQ(client.receive_bytes(interim.size() + kOk.size()), interim + kOk);
  const SeenExchange seen = engine_->exchanges_once_ended(1).at(0);
  EXPECT_EQ(seen.body, "body");
  EXPECT_EQ(seen.receipt.bytes_written, kOk.size()) << "an interim answer does not count";
  EXPECT_EQ(seen.receipt.ending, Ending::KeptAlive);
}

TEST_F(SessionTest, TakesABodyThatDoesNotWait) {
  begin();
  RawClient client(port());
  client.send(post("/", "body", "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.receive_until("ok"), "HTTP/1.1 100 Continue\r\n\r\n" + kOk);
  EXPECT_EQ(engine_->exchanges_once_ended(1).at(0).body, "body");
}

TEST_F(SessionTest, AFinalAnswerInPlaceOfTheInvitationEndsTheConnection) {
  engine_->at_head = [](const RequestHead&) {
    return steps(FakeEngine::answer(417, "no"), {Drain{}, Finish{}});
  };
  begin();
  RawClient client(port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  const Duration asked = now();
  EXPECT_THAT(client.receive_to_end(), StartsWith("HTTP/1.1 417 "));
  EXPECT_EQ(client.end(), End::Fin);
  // It does not wait for a body that nobody invited.
  EXPECT_LT(now() - asked, patience_.drain);
}

TEST_F(SessionTest, KeepsDuplicateHeadersInOrder) {
  begin();
  RawClient client(port());
  client.send(get("/", "A: 1\r\nB: 2\r\na: 3\r\nB: \xc3\xa9\r\nA: 5\r\n"));
  client.receive_until("ok");
  const auto headers = engine_->exchanges_once_ended(1).at(0).head.headers;
  const std::vector<NameValue> expected = {{"Host", "x"}, {"A", "1"},        {"B", "2"},
                                           {"a", "3"},    {"B", "\xc3\xa9"}, {"A", "5"}};
  EXPECT_EQ(headers, expected);
}

TEST_F(SessionTest, TargetsPassAsTheyWereSent) {
  const std::vector<std::string> targets = {
      "/a%2Fb/%2f/%00/c//d/../e?q=a+b&q=%20", "http://127.0.0.1:1/v1/x?y", "*", "example.com:443",
      "/\xd0\xbf\xd1\x83\xd1\x82\xd1\x8c",    "/" + std::string(8000, 'x')};
  begin();
  RawClient client(port());
  std::size_t count = 0;
  for (const std::string& target : targets) {
    client.send("LOCK " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.receive_bytes(kOk.size()), kOk);
    client.take();
    EXPECT_EQ(engine_->exchanges_once_ended(++count).back().head.target, target);
  }
}

TEST_F(SessionTest, ClosesAfterHttp10UnlessBothWantToKeepIt) {
  engine_->at_apply = [](const RequestHead& head) {
    const std::string more = head.target == "/kept" ? "Connection: keep-alive\r\n" : "";
    return Steps{Send{Part::Head, "HTTP/1.1 200 OK\r\n" + more + "Content-Length: 0\r\n\r\n"},
                 Finish{}};
  };
  begin();
  RawClient client(port());
  client.send("GET /kept HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  client.receive_until("\r\n\r\n");
  EXPECT_EQ(client.end(), End::Open);
  client.send("GET / HTTP/1.0\r\n\r\n");
  client.receive_to_end();
  EXPECT_EQ(client.end(), End::Fin);
  const auto seen = engine_->exchanges_once_ended(2);
  EXPECT_EQ(seen.at(0).head.minor_version, 0);
  EXPECT_EQ(seen.at(0).receipt.ending, Ending::KeptAlive);
  EXPECT_EQ(seen.at(1).receipt.ending, Ending::Finished);
}

TEST_F(SessionTest, AConnectionWithoutAByteIsNoExchange) {
  begin();
  RawClient(port()).close();
  RawClient client(port());
  client.send("\r\n\r\n");
  client.close();
  const auto seen = engine_->connections_once_ended(2);
  EXPECT_EQ(seen.at(0).end.departure, Departure::Fin);
  EXPECT_EQ(engine_->requests(), 0U);
}

TEST_F(SessionTest, DepartureFromAnIdleConnectionIsOfTheConnection) {
  begin();
  RawClient client(port());
  client.send(get("/"));
  client.receive_until("ok");
  const SeenExchange exchange = engine_->exchanges_once_ended(1).at(0);
  client.close();
  const SeenConnection seen = engine_->connections_once_ended(1).at(0);
  EXPECT_EQ(exchange.receipt.departure, Departure::None);
  EXPECT_EQ(seen.end.departure, Departure::Fin);
  EXPECT_GE(*seen.end.departed, *exchange.receipt.ended);
  EXPECT_GE(seen.end.closed, *seen.end.departed);
}

struct RefusedCase {
  const char* name;
  std::string bytes;
  StatusCode status;
};

TEST_F(SessionTest, RefusesWhatIsNoRequestWithAReasonAndItsBytes) {
  const std::string big(100, 'x');
  const std::vector<RefusedCase> cases = {
      {"TE and CL",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
       "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       400},
      {"CL and TE",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
       "Content-Length: 3\r\n\r\n0\r\n\r\n",
       400},
      {"two lengths",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
       "Content-Length: 4\r\n\r\nabcd",
       400},
      {"length of letters", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n", 400},
      {"obs-fold", "GET / HTTP/1.1\r\nHost: x\r\nA: 1\r\n 2\r\n\r\n", 400},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
      {"space in a name", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400},
      {"control byte", "GET / HTTP/1.1\r\nHost: x\r\nA: \x01\r\n\r\n", 400},
      {"bare LF", "GET / HTTP/1.1\nHost: x\n\n", 400},
      {"bare LF in the fields", "GET / HTTP/1.1\r\nHost: x\n\n", 400},
      {"HTTP/0.9", "GET /\r\n", 400},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"HTTP/3.1", "GET / HTTP/3.1\r\nHost: x\r\n\r\n", 505},
      {"lower-case version", "GET / http/1.1\r\nHost: x\r\n\r\n", 400},
      {"TLS", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400},
      {"gzip coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
       501},
      {"chunked is not last",
       "POST / HTTP/1.1\r\nHost: x\r\n"
       "Transfer-Encoding: chunked, gzip\r\n\r\n",
       400},
      {"long target", "GET /" + std::string(9000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n", 414},
      {"endless target", "GET /" + std::string(9000, 'x'), 414},
      {"long head", get("/", "A: " + std::string(70'000, 'x') + "\r\n"), 431},
      {"endless head", "GET / HTTP/1.1\r\nA: " + std::string(70'000, 'x'), 431},
      {"2000 headers",
       [] {
         std::string text = "GET / HTTP/1.1\r\nHost: x\r\n";
         for (int i = 0; i < 2000; ++i)
           text += "X-Header-" + std::to_string(i) + ": 0123456789012345678901234567\r\n";
         return text + "\r\n";
       }(),
       431},
      {"head cut by a FIN", "GET / HTT", 400},
      {"endless method", std::string(1000, 'M'), 400},
  };
  begin();
  std::size_t count = 0;
  for (const RefusedCase& one : cases) {
    SCOPED_TRACE(one.name);
    RawClient client(port());
    client.send(one.bytes);
    if (std::string_view(one.name) == "head cut by a FIN") client.send_fin();
    EXPECT_THAT(client.receive_to_end(), StartsWith("HTTP/1.1 " + std::to_string(one.status)));
    EXPECT_EQ(client.end(), End::Fin);
    const SeenExchange seen = engine_->exchanges_once_ended(++count).back();
    ASSERT_TRUE(seen.rejection.has_value());
    EXPECT_EQ(seen.rejection->status, one.status) << seen.rejection->reason;
    EXPECT_EQ(seen.rejection->raw,
              one.bytes.substr(0, std::min<std::size_t>(seen.rejection->raw.size(), 4096)));
    EXPECT_FALSE(seen.rejection->raw.empty());
    EXPECT_LE(seen.rejection->raw.size(), 4096U);
    EXPECT_FALSE(seen.rejection->reason.empty());
    EXPECT_EQ(seen.receipt.ending, Ending::Finished);
  }
}

TEST_F(SessionTest, RefusesBodiesThatAreTooLongOrMalformed) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::vector<RefusedCase> cases = {
      {"by its length", post("/", std::string(1001, 'b')), 413},
      {"by its length, not sent",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000000\r\n"
       "Expect: 100-continue\r\n\r\n",
       413},
      {"by its chunks",
       chunked + "200\r\n" + std::string(512, 'b') + "\r\n200\r\n" + std::string(512, 'b') +
           "\r\n0\r\n\r\n",
       413},
      {"by the size of a chunk that has not come", chunked + "7fffffff\r\nhello", 413},
      {"bad chunk size", chunked + "xyz\r\nabc\r\n0\r\n\r\n", 400},
      {"bad chunk end", chunked + "3\r\nabcXX0\r\n\r\n", 400},
      {"huge chunk size", chunked + "fffffffffffffffff\r\n", 400},
      {"endless chunk extension", chunked + "3;" + std::string(90'000, 'e'), 431},
      {"endless trailer", chunked + "0\r\n" + std::string(90'000, 't'), 431},
      {"length in the trailer", chunked + "0\r\nContent-Length: 3\r\n\r\n", 400},
  };
  begin({.body = 1000});
  std::size_t count = 0;
  for (const RefusedCase& one : cases) {
    SCOPED_TRACE(one.name);
    RawClient client(port());
    client.send(one.bytes);
    EXPECT_THAT(client.receive_to_end(), StartsWith("HTTP/1.1 " + std::to_string(one.status)));
    EXPECT_EQ(client.end(), End::Fin);
    const SeenExchange seen = engine_->exchanges_once_ended(++count).back();
    ASSERT_TRUE(seen.rejection.has_value());
    EXPECT_EQ(seen.rejection->status, one.status) << seen.rejection->reason;
    EXPECT_THAT(seen.rejection->raw, StartsWith("POST / HTTP/1.1\r\n"));
    EXPECT_FALSE(seen.body.has_value());
  }
}

TEST_F(SessionTest, TakesABodyOfExactlyTheLimit) {
  begin({.body = 1000});
  RawClient client(port());
  client.send(post("/", std::string(1000, 'b')) +
              "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n" +
              std::string(1000, 'c') + "\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive_bytes(2 * kOk.size()), kOk + kOk);
  EXPECT_EQ(engine_->exchanges_once_ended(2).at(1).body_bytes, 1000U);
}

TEST_F(SessionTest, ARefusalReachesAClientThatUploadsMegabytes) {
  begin();
  RawClient client(port());
  const std::string request = post("/", std::string(20'000'000, 'b'));
  EXPECT_EQ(client.send(request), request.size());
  EXPECT_THAT(client.receive_to_end(), StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(client.end(), End::Fin);
}

TEST_F(SessionTest, SilenceInTheMiddleOfARequestEndsIn408) {
  const std::vector<std::string> halves = {
      "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab"};
  patience_.mid_request = 150ms;
  begin();
  std::size_t count = 0;
  for (const std::string& half : halves) {
    RawClient client(port());
    client.send(half);
    EXPECT_THAT(client.receive_to_end(), StartsWith("HTTP/1.1 408 "));
    const SeenExchange seen = engine_->exchanges_once_ended(++count).back();
    EXPECT_EQ(seen.rejection->status, 408);
    EXPECT_GE(*seen.receipt.first_write - seen.first_byte, 150ms);
  }
}

TEST_F(SessionTest, AnIdleConnectionOutlivesThatPatience) {
  patience_.mid_request = 50ms;
  begin();
  RawClient client(port());
  client.send(get("/"));
  EXPECT_EQ(client.receive_bytes(kOk.size()), kOk);
  EXPECT_EQ(client.receive_for(200ms), kOk);
  EXPECT_EQ(client.end(), End::Open);
  client.send(get("/"));
  EXPECT_EQ(client.receive_bytes(2 * kOk.size()), kOk + kOk);
}

TEST_F(SessionTest, IgnoresTheOfferToUpgrade) {
  begin();
  RawClient client(port());
  client.send(get("/",
                  "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                  "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n"));
  EXPECT_EQ(client.receive_bytes(kOk.size()), kOk);
  EXPECT_EQ(engine_->exchanges_once_ended(1).at(0).receipt.ending, Ending::KeptAlive);
}

TEST_F(SessionTest, ABusyPipelineDoesNotStarveTheOthers) {
  constexpr std::size_t kMany = 300;  // few enough to be read at one go
  begin();
  // While the I/O thread is held, both have all their requests lying ready.
  std::promise<void> release;
  io_->post([held = release.get_future().share()] { held.wait(); });
  RawClient busy(port());
  std::string many;
  for (std::size_t i = 0; i < kMany; ++i) many += get("/busy");
  busy.send(many);
  RawClient other(port());
  other.send(get("/other"));
  release.set_value();
  const auto seen = engine_->exchanges_once_ended(kMany + 1);
  const auto found = std::find_if(seen.begin(), seen.end(), [](const SeenExchange& exchange) {
    return exchange.head.target == "/other";
  });
  EXPECT_LT(static_cast<std::size_t>(found - seen.begin()), kMany / 2);
}

}  // namespace
}  // namespace mishap::server
