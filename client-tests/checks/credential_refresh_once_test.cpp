#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

Finding judged(const RecordingBuilder& r) {
  return ask(kCredentialRefreshOnce, r, parameters({{"refresh", "POST /v1/token"}}));
}

void refused(OperationBuilder& call, Duration at) {
  call.attempt(at).fired("expired", "status").failed_with(401, at + 1ms);
}

void renews(RecordingBuilder& r, Duration at, StatusCode status = 200) {
  r.operation("POST", "/v1/token").attempt(at).answered(status, at + 5ms);
}

}  // namespace

TEST(CredentialRefreshOnce, OneRenewalAndOneRepetition) {
  RecordingBuilder r("expired");
  auto first = r.create("r-1");
  refused(first, 0ms);
  renews(r, 10ms);
  first.attempt(20ms).effect().answered(201, 22ms);
  auto second = r.create("r-2");
  refused(second, 100ms);
  renews(r, 110ms);
  refused(second, 120ms);
  const Finding finding = judged(r);
  EXPECT_RULING(Pass, finding);
  EXPECT_TRUE(mentions(finding, "r-2: 1 renewal for one expired token <= 1, 0 attempts behind"));
}

TEST(CredentialRefreshOnce, ALoopFails) {
  RecordingBuilder r("expired");
  auto call = r.create("r-1");
  for (int k = 0; k < 3; ++k) {
    refused(call, k * 100ms);
    renews(r, k * 100ms + 10ms);
  }
  call.attempt(300ms).effect().answered(201, 302ms);
  const Finding finding = judged(r);
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(
      mentions(finding, "3 renewals for one expired token > 1, 2 attempts behind a second"));
}

TEST(CredentialRefreshOnce, SeveralThatWaitShareOne) {
  for (const int renewals : {1, 2}) {
    RecordingBuilder r("expired");
    auto first = r.create("r-1");
    auto second = r.create("r-2");
    refused(first, 0ms);
    refused(second, 1ms);
    renews(r, 10ms);
    if (renewals == 2) renews(r, 12ms);
    first.attempt(20ms).effect().answered(201, 22ms);
    second.attempt(21ms).effect().answered(201, 23ms);
    EXPECT_EQ(judged(r).ruling, renewals == 1 ? Ruling::Pass : Ruling::Fail);
  }
}

TEST(CredentialRefreshOnce, ARenewalThatFailedMayBeRepeated) {
  RecordingBuilder r("expired");
  auto first = r.create("r-1");
  auto second = r.create("r-2");
  refused(first, 0ms);
  refused(second, 1ms);
  renews(r, 10ms, 503);
  renews(r, 100ms);
  first.attempt(120ms).effect().answered(201, 122ms);
  second.attempt(121ms).effect().answered(201, 123ms);
  EXPECT_RULING(Pass, judged(r));
}

// A command for each booking, each of which logs in before it does anything.
TEST(CredentialRefreshOnce, ALoginOfTheNextProcessIsNoRenewal) {
  RecordingBuilder usual("healthy");
  usual.control();
  renews(usual, 0ms);
  RecordingBuilder r("expired");
  auto first = r.create("r-1");
  renews(r, 0ms);
  refused(first, 10ms);
  renews(r, 20ms);
  first.attempt(30ms).effect().answered(201, 32ms);
  renews(r, 100ms);
  auto second = r.create("r-2");
  refused(second, 110ms);
  renews(r, 120ms);
  second.attempt(130ms).effect().answered(201, 132ms);
  EXPECT_RULING(Pass, judged(r));
}

// Which of two renewals a second process has made for itself cannot be seen, but a third is its
// own.
TEST(CredentialRefreshOnce, LoginsBesideItAreNotItsRenewals) {
  for (const int renewals : {1, 2, 3, 4}) {
    RecordingBuilder usual("healthy");
    usual.control();
    renews(usual, 0ms);
    RecordingBuilder r("expired");
    auto call = r.create("r-1");
    refused(call, 0ms);
    for (int i = 0; i < renewals; ++i) renews(r, 10ms + i * 10ms);
    call.attempt(100ms).effect().answered(201, 102ms);
    const Finding finding = ask(kCredentialRefreshOnce, r, &usual, nullptr,
                                parameters({{"refresh", "POST /v1/token"}}));
    EXPECT_EQ(finding.ruling, renewals == 1   ? Ruling::Pass
                              : renewals == 2 ? Ruling::Inconclusive
                                              : Ruling::Fail);
  }
}

TEST(CredentialRefreshOnce, WantsARenewalAndItsName) {
  RecordingBuilder r("expired");
  auto call = r.create("r-1");
  refused(call, 0ms);
  EXPECT_RULING(NotApplicable, judged(r));
  renews(r, 10ms);
  call.attempt(20ms).effect().answered(201, 22ms);
  EXPECT_RULING(Pass, judged(r));
  EXPECT_RULING(NotApplicable, ask(kCredentialRefreshOnce, r));
}

}  // namespace mishap::client_tests
