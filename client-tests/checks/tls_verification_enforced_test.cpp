#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {
namespace {

// The healthy run: as many creates, each on a connection whose certificate was accepted.
class TlsVerificationEnforced : public ::testing::Test {
 protected:
  TlsVerificationEnforced() : control_("x") { control_.control(); }

  void accepts(int operations) {
    for (int i = 0; i < operations; ++i) {
      auto& connection = control_.handshake(0ms, "good");
      connection.tls->finished = 2ms;
      const auto number = connection.number;
      control_.create().attempt(3ms).on(number).answered(201, 4ms);
    }
  }

  Finding finding(const RecordingBuilder& run, const Node& values = {}) {
    return ask(kTlsVerificationEnforced, run, &control_, nullptr, values);
  }

  RecordingBuilder control_;
};

TEST_F(TlsVerificationEnforced, FailsWhereARequestFollowsABadCertificate) {
  accepts(1);
  RecordingBuilder r("x");
  const auto connection = r.handshake(0ms, "expired").number;
  r.create("a").attempt(5ms).on(connection).answered(201, 6ms);
  const Finding found = finding(r);
  EXPECT_RULING(Fail, found);
  EXPECT_TRUE(mentions(found, "certificate expired: POST /v1/bookings was sent all the same"));
  EXPECT_EQ(found.witnesses.at(0).exchanges, std::vector<std::uint64_t>{1});
}

TEST_F(TlsVerificationEnforced, PassesWhereNothingIsSent) {
  accepts(1);
  RecordingBuilder r("x");
  r.handshake(0ms, "wrong_name");
  r.handshake(5ms, "wrong_name");
  const Finding found = finding(r);
  EXPECT_RULING(Pass, found);
  EXPECT_TRUE(mentions(found, "no request after 2 bad certificates"));
}

TEST_F(TlsVerificationEnforced, FailsWhereTheSameCertificateIsTriedOverAndOver) {
  accepts(2);
  RecordingBuilder r("x");
  for (int i = 0; i < 4; ++i) r.handshake(0ms, "self_signed");
  EXPECT_RULING(Pass, finding(r));
  r.handshake(0ms, "self_signed");
  const Finding found = finding(r);
  EXPECT_RULING(Fail, found);
  EXPECT_TRUE(mentions(found, "5 handshakes > 4 for 2 operations"));
  EXPECT_TRUE(mentions(found, "tried over and over"));
  EXPECT_RULING(Pass, finding(r, parameters({{"handshakes", "3"}})));
}

TEST_F(TlsVerificationEnforced, CountsEachCopyForItself) {
  accepts(1);
  RecordingBuilder r("x");
  r.handshake(0ms, "expired", 0);
  r.handshake(0ms, "expired", 0);
  r.handshake(0ms, "expired", 1);
  EXPECT_RULING(Pass, finding(r));
}

TEST_F(TlsVerificationEnforced, FailsWherePlainHttpFollowsTls) {
  accepts(1);
  RecordingBuilder r("x");
  r.handshake(0ms, "good").tls->flight_sent = 9;
  auto& plain = r.handshake(5ms, "good");
  plain.tls->hello.reset();
  plain.tls->plain_http = true;
  const Finding found = finding(r);
  EXPECT_RULING(Fail, found);
  EXPECT_TRUE(mentions(found, "connection 2 spoke plain HTTP after connection 1 spoke TLS"));
}

TEST_F(TlsVerificationEnforced, FailsWherePlainHttpFollowsTlsThroughTheProxy) {
  accepts(1);
  RecordingBuilder r("x");
  r.handshake(0ms, "expired");
  auto& plain = r.handshake(5ms, "good");
  plain.tls.reset();
  plain.asked_for = "api.vendor.com:80";
  const auto number = plain.number;
  r.create("a").attempt(6ms).on(number).answered(201, 7ms);
  EXPECT_RULING(Fail, finding(r));
  // One that does so on the good day as well means to.
  auto& usual = control_.handshake(5ms, "good");
  usual.tls.reset();
  usual.asked_for = "api.vendor.com:80";
  usual.exchanges = 1;
  EXPECT_RULING(Pass, finding(r));
}

TEST_F(TlsVerificationEnforced, AWrongUrlIsNoFallingBack) {
  accepts(1);
  RecordingBuilder r("x");
  auto& plain = r.handshake(5ms, "good");
  plain.tls->hello.reset();
  plain.tls->plain_http = true;
  EXPECT_RULING(NotApplicable, finding(r));
}

TEST_F(TlsVerificationEnforced, IsNotToldWhereTheGoodCertificateWasNeverAccepted) {
  RecordingBuilder r("x");
  r.handshake(0ms, "expired");
  EXPECT_RULING(Inconclusive, finding(r));
  EXPECT_RULING(Inconclusive, ask(kTlsVerificationEnforced, r));
  control_.handshake(0ms, "good");  // shown, and turned down
  EXPECT_RULING(Inconclusive, finding(r));
}

TEST_F(TlsVerificationEnforced, ACertificateThatDidNotGoOutWasNotShown) {
  accepts(1);
  RecordingBuilder r("x");
  r.handshake(0ms, "expired").tls->flight_sent = 100;
  r.handshake(0ms, "expired").tls->hello.reset();
  EXPECT_RULING(NotApplicable, finding(r));
}

TEST_F(TlsVerificationEnforced, HasNothingToSayOfAGoodCertificate) {
  accepts(1);
  EXPECT_RULING(NotApplicable, finding(control_));
}

}  // namespace
}  // namespace mishap::client_tests
