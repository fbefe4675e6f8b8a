// A real server over a real upstream: what goes to it and what comes back, byte for byte, and what
// is known where nothing comes.
#include <gmock/gmock.h>

#include "server/outbound/upstream_fixture.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

TEST_F(UpstreamTest, PassesOnBothWaysInOrderAndByteForByte) {
  const std::string body(R"({"id": "ch_1",  "note": "gr\u00fcn"})");
  start(RawUpstream::answers(
      "HTTP/1.1 201 Made\r\nset-cookie: a=1\r\nContent-length: " + std::to_string(body.size()) +
      "\r\nX-Hop: 1\r\nConnection: close, X-Hop\r\nContent-Type: "
      "application/json\r\nSet-Cookie: b=2\r\nKeep-Alive: timeout=5\r\n\r\n" +
      body));
  begin();
  const std::string answer = ask(
      "POST /v1/charges?x=%2F&y= HTTP/1.1\r\nx-ONE: 1\r\nHost: mock.test\r\nConnection: X-Own\r\n"
      "Authorization: Bearer s3cret\r\nX-Own: gone\r\ncontent-length: 7\r\nTE: trailers\r\n"
      "x-ONE: 2\r\nAccept-Encoding: gzip, br\r\n\r\n{\"a\":1}");
  EXPECT_EQ(answer, "HTTP/1.1 201 Made\r\nset-cookie: a=1\r\nContent-length: " +
                        std::to_string(body.size()) +
                        "\r\nContent-Type: application/json\r\nSet-Cookie: b=2\r\n\r\n" + body);
  EXPECT_EQ(upstream_->requests_once(1).at(0),
            "POST /v1/charges?x=%2F&y= HTTP/1.1\r\nx-ONE: 1\r\nHost: " + upstream_->authority() +
                "\r\nAuthorization: Bearer s3cret\r\ncontent-length: 7\r\nx-ONE: 2\r\n"
                "Accept-Encoding: gzip, br\r\nConnection: close\r\n\r\n{\"a\":1}");
}

TEST_F(UpstreamTest, ACreatedThingIsAnEffectAndCredentialsAreNotKept) {
  const std::string body = R"({"id":"ch_1"})";
  start(
      RawUpstream::answers("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
                           "Set-Cookie: session=hushhush\r\nContent-Length: 13\r\n\r\n" +
                           body));
  begin();
  ask(post("/v1/charges", R"({"amount":5})", "Authorization: Bearer s3cret\r\n"));
  const Journal journal = this->journal();
  ASSERT_EQ(journal.effects.size(), 1U);
  EXPECT_EQ(journal.effects[0].kind, EffectKind::Created);
  EXPECT_EQ(journal.effects[0].resource, "/v1/charges");
  EXPECT_EQ(journal.effects[0].id, "ch_1");
  const Exchange& exchange = journal.exchanges.at(0);
  EXPECT_EQ(exchange.upstream.status, 201);
  EXPECT_FALSE(exchange.upstream.in_doubt);
  EXPECT_TRUE(exchange.answer.healthy);
  EXPECT_LE(*exchange.upstream.sent, *exchange.upstream.answered);
  EXPECT_EQ(exchange.applied, exchange.upstream.answered);
  const std::string stored = to_json_lines(journal);
  EXPECT_THAT(stored, Not(HasSubstr("s3cret")));
  EXPECT_THAT(stored, Not(HasSubstr("hushhush")));
  const auto read = parse_json_lines(stored);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->exchanges[0].upstream.status, 201);
}

TEST_F(UpstreamTest, AnswersWithoutABodyKeepTheirOwnFraming) {
  start([](UpstreamPeer& peer, const std::string& request) {
    if (request.starts_with("HEAD /told")) {
      peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nETag: x\r\n\r\n");
    } else if (request.starts_with("HEAD")) {
      peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: x\r\n\r\n");
    } else if (request.starts_with("DELETE")) {
      peer.write("HTTP/1.1 204 No Content\r\nX: 1\r\n\r\n");
    } else {
      peer.write("HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n");
    }
  });
  begin();
  const std::string host = " HTTP/1.1\r\nHost: mock.test\r\n\r\n";
  EXPECT_EQ(ask("HEAD /told" + host), "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nETag: x\r\n\r\n");
  EXPECT_EQ(ask("HEAD /untold" + host), "HTTP/1.1 200 OK\r\nETag: x\r\n\r\n");
  RawClient client(port());
  client.send("DELETE /v1/charges/ch_1" + host);
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 204 No Content\r\nX: 1\r\n\r\n");
  client.take();
  client.send("GET /same" + host);  // the connection goes on
  EXPECT_EQ(client.receive_until("\r\n\r\n"),
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n");
  client.close();
  const Journal journal = this->journal();
  ASSERT_EQ(journal.effects.size(), 1U);
  EXPECT_EQ(journal.effects[0].kind, EffectKind::Deleted);
  EXPECT_EQ(journal.effects[0].resource, "/v1/charges");
  EXPECT_EQ(journal.effects[0].id, "ch_1");
}

TEST_F(UpstreamTest, ChunksBecomeALengthInTheirPlace) {
  start(RawUpstream::answers(
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nA: 1\r\nTransfer-Encoding: "
      "chunked\r\nB: 2\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: t\r\n\r\n"));
  begin();
  const std::string answer =
      ask("POST /x HTTP/1.1\r\nHost: mock.test\r\nTransfer-Encoding: chunked\r\nC: 3\r\n\r\n"
          "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
  EXPECT_EQ(answer, "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 5\r\nB: 2\r\n\r\nhello");
  EXPECT_THAT(upstream_->requests_once(1).at(0),
              HasSubstr("Content-Length: 3\r\nC: 3\r\nConnection: close\r\n\r\nabc"));
}

TEST_F(UpstreamTest, EightMebibytesGoThereAndBack) {
  std::string large(8 * 1024 * 1024, 'x');
  for (std::size_t i = 0; i < large.size(); i += 4096) large[i] = static_cast<char>('a' + i % 23);
  start([](UpstreamPeer& peer, const std::string& request) {
    const std::string body = request.substr(request.find("\r\n\r\n") + 4);
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
               body);
  });
  begin();
  const std::string answer = ask(post("/echo", large));
  EXPECT_TRUE(answer.ends_with("\r\n\r\n" + large)) << answer.size();
}

TEST_F(UpstreamTest, ABodyUntilTheEndOfTheConnectionGetsALength) {
  start(RawUpstream::answers("HTTP/1.0 200 OK\r\n\r\nuntil the end"));
  begin();
  EXPECT_EQ(ask(get("/old")), "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nuntil the end");
}

TEST_F(UpstreamTest, EachCallHasAConnectionOfItsOwn) {
  start(RawUpstream::answers(kOk));
  begin();
  RawClient client(port());
  for (int i = 0; i < 3; ++i) {
    client.send(get("/" + std::to_string(i)));
    EXPECT_EQ(whole_answer(client), kOk);
    client.take();
  }
  EXPECT_EQ(upstream_->connections(), 3U);
}

TEST_F(UpstreamTest, WhateverATargetNamesOnlyTheOriginIsCalled) {
  start(RawUpstream::answers(kOk));
  begin();
  EXPECT_EQ(ask("GET http://169.254.169.254/meta?x=1 HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n"),
            kOk);
  EXPECT_THAT(upstream_->requests_once(1).at(0),
              StartsWith("GET /meta?x=1 HTTP/1.1\r\nHost: " + upstream_->authority() + "\r\n"));
  EXPECT_THAT(ask("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"),
              StartsWith("HTTP/1.1 404"));
  EXPECT_EQ(upstream_->connections(), 1U);
}

TEST_F(UpstreamTest, RedirectsArePassedOnAndLeadBackToTheMock) {
  start([this](UpstreamPeer& peer, const std::string& request) {
    const bool own = request.starts_with("GET /v2/own");
    const std::string where = own ? url() + "/v2/new?a=1" : "https://elsewhere.example/x";
    peer.write("HTTP/1.1 307 Temporary Redirect\r\nLocation: " + where +
               "\r\nContent-Length: 0\r\n\r\n");
  });
  begin("", "", "\"" + url() + "/v2/\"");
  EXPECT_THAT(ask(get("/own")), HasSubstr("\r\nLocation: http://mock.test/new?a=1\r\n"));
  EXPECT_THAT(ask(get("/other")), HasSubstr("\r\nLocation: https://elsewhere.example/x\r\n"));
  EXPECT_EQ(upstream_->requests().size(), 2U);
}

// What is known of a call that brought no answer.
struct Failure {
  std::string answer;
  Exchange exchange;
};

class UpstreamFailure : public UpstreamTest {
 protected:
  Failure fail(const std::string& request) {
    const std::string answer = ask(request);
    const Journal journal = this->journal();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 502 Bad Gateway\r\n"));
    EXPECT_THAT(answer, HasSubstr("Content-Type: application/problem+json"));
    EXPECT_THAT(answer, HasSubstr("no answer from the upstream"));
    EXPECT_THAT(journal.effects, IsEmpty());
    const Exchange& exchange = journal.exchanges.at(0);
    EXPECT_FALSE(exchange.answer.healthy);
    EXPECT_FALSE(exchange.applied);
    EXPECT_THAT(exchange.note, HasSubstr(exchange.upstream.failure));
    return {answer, exchange};
  }
};

TEST_F(UpstreamFailure, OneThatRefusesWasNeverAsked) {
  Port nobody = 0;
  {
    start(RawUpstream::answers(kOk));
    nobody = upstream_->port();
    upstream_.reset();
  }
  begin("", "", "\"http://127.0.0.1:" + std::to_string(nobody) + "\"");
  const Failure failure = fail(post("/v1/charges", "{}"));
  EXPECT_THAT(failure.exchange.upstream.failure, HasSubstr("Connection refused"));
  EXPECT_FALSE(failure.exchange.upstream.sent);
  EXPECT_FALSE(failure.exchange.upstream.in_doubt);
}

TEST_F(UpstreamFailure, OneThatIsSlowLeavesACreateInDoubt) {
  start([](UpstreamPeer& peer, const std::string&) { peer.wait_for_end(); });
  begin("", "", "{url: \"" + url() + "\", timeout: 150ms}");
  const Failure failure = fail(post("/v1/charges", "{}"));
  EXPECT_THAT(failure.exchange.upstream.failure, HasSubstr("no whole answer within 150ms"));
  EXPECT_TRUE(failure.exchange.upstream.sent);
  EXPECT_TRUE(failure.exchange.upstream.in_doubt);
}

TEST_F(UpstreamFailure, AReadIsNeverInDoubt) {
  start([](UpstreamPeer& peer, const std::string&) { peer.reset(); });
  begin();
  EXPECT_FALSE(fail(get("/v1/charges")).exchange.upstream.in_doubt);
}

TEST_F(UpstreamFailure, OneThatHangsUpInTheMiddleHasNotAnswered) {
  start(RawUpstream::answers("HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{\"id\""));
  begin();
  const Failure failure = fail(post("/v1/charges", "{}"));
  EXPECT_THAT(failure.exchange.upstream.failure, HasSubstr("before its answer was whole"));
  EXPECT_TRUE(failure.exchange.upstream.in_doubt);
}

TEST_F(UpstreamFailure, AnAnswerHasALimit) {
  start(RawUpstream::answers("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n"));
  begin("", ", limits: {answer: 1KiB}");
  EXPECT_THAT(fail(get("/large")).exchange.upstream.failure, HasSubstr("more than 1024 bytes"));
}

TEST_F(UpstreamFailure, WhatIsNoHttpIsSaidSo) {
  start(RawUpstream::answers("220 mail.example ESMTP\r\n\r\n"));
  begin();
  EXPECT_THAT(fail(get("/")).exchange.upstream.failure, HasSubstr("no HTTP/1.1 answer"));
}

TEST_F(UpstreamTest, A5xxOfTheUpstreamsIsAnAnswerThatLeavesDoubt) {
  start(RawUpstream::answers("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"));
  begin();
  EXPECT_THAT(ask(post("/v1/charges", "{}")), StartsWith("HTTP/1.1 503"));
  const Exchange exchange = journal().exchanges.at(0);
  EXPECT_TRUE(exchange.upstream.in_doubt);
  EXPECT_TRUE(exchange.answer.healthy);
  EXPECT_EQ(exchange.upstream.failure, "");
}

TEST_F(UpstreamTest, TheEndOfTheRunEndsACallAndBlamesNobody) {
  start([](UpstreamPeer& peer, const std::string&) { peer.wait_for_end(); });
  begin();
  RawClient client(port());
  client.send(post("/v1/charges", "{}"));
  upstream_->requests_once(1);
  const Duration before = clock_.now();
  const Journal journal = run_->end();
  EXPECT_LT(clock_.now() - before, 3s);
  EXPECT_EQ(journal.exchanges.at(0).upstream.failure, "");
  EXPECT_TRUE(journal.exchanges.at(0).upstream.in_doubt);
}

TEST_F(UpstreamTest, TheMockIsNoUpstreamOfItself) {
  start(RawUpstream::answers(kOk));
  begin();
  auto loaded = scenarios::load_scenario_text(
      "t.yaml",
      "mishap: 1\nscenario: t\napi: {upstream: \"http://localhost:" +
          std::to_string(port() == 65535 ? 1024 : port() + 1) + "\"}\n",
      ".", {});
  ASSERT_TRUE(loaded.scenario);
  RunOptions options;
  options.port = loaded.scenario->apis[0].upstream->port;
  const auto run = server_->begin(*loaded.scenario, options);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, testing::AnyOf(HasSubstr("is this mock itself"),
                                                  HasSubstr("in use")));  // somebody was faster
}

TEST_F(UpstreamTest, TlsWithAnAuthorityOfItsOwn) {
  const TlsIdentity identity("127.0.0.1");
  start(RawUpstream::answers(kOk), &identity);
  begin("", "",
        "{url: \"https://" + upstream_->authority() + "\", ca: " + file("ca.pem", identity.pem()) +
            "}");
  EXPECT_EQ(ask(get("/safe")), kOk);
  EXPECT_THAT(upstream_->requests_once(1).at(0), StartsWith("GET /safe HTTP/1.1\r\n"));
}

TEST_F(UpstreamTest, TlsByName) {
  const TlsIdentity identity("localhost");
  start(RawUpstream::answers(kOk), &identity);
  begin("", "",
        "{url: \"https://localhost:" + std::to_string(upstream_->port()) +
            "\", ca: " + file("ca.pem", identity.pem()) + "}");
  EXPECT_EQ(ask(get("/safe")), kOk);
}

TEST_F(UpstreamFailure, TlsWithoutACertificateThatIsTrusted) {
  const TlsIdentity identity("127.0.0.1");
  const TlsIdentity other("127.0.0.1");
  start(RawUpstream::answers(kOk), &identity);
  begin(
      "", "",
      "{url: \"https://" + upstream_->authority() + "\", ca: " + file("ca.pem", other.pem()) + "}");
  const Failure failure = fail(post("/v1/charges", "{}", "Authorization: Bearer s3cret\r\n"));
  EXPECT_THAT(failure.exchange.upstream.failure, HasSubstr("its certificate is not trusted"));
  EXPECT_FALSE(failure.exchange.upstream.in_doubt);
  EXPECT_THAT(upstream_->requests(), IsEmpty());
}

TEST_F(UpstreamFailure, TlsWithTheCertificateOfAnother) {
  const TlsIdentity identity("sandbox.example.com");
  start(RawUpstream::answers(kOk), &identity);
  begin("", "",
        "{url: \"https://" + upstream_->authority() + "\", ca: " + file("ca.pem", identity.pem()) +
            "}");
  EXPECT_THAT(fail(get("/")).exchange.upstream.failure, HasSubstr("IP address mismatch"));
  EXPECT_THAT(upstream_->requests(), IsEmpty());
}

TEST_F(UpstreamFailure, TlsWhereNoneIsSpoken) {
  start(RawUpstream::answers("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
  begin("", "", "{url: \"https://" + upstream_->authority() + "\", timeout: 2s}");
  EXPECT_THAT(fail(get("/")).exchange.upstream.failure, HasSubstr("TLS failed"));
}

}  // namespace
}  // namespace mishap::server
