#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// A read that is redirected to another api; what its request carries there.
Finding sent_elsewhere(const std::string& api, const std::vector<server::KeptField>& headers,
                       const std::string& target = "/v1/elsewhere") {
  RecordingBuilder r("redirected-elsewhere");
  auto first = r.read().attempt(0ms).fired("moved").failed_with(307, 1ms);
  first.header("Location", "http://127.0.0.1:4001/v1/elsewhere");
  first.raw().api = "vendor";
  auto second = r.read("/v1/elsewhere").attempt(10ms).answered(200, 11ms);
  second.raw().api = api;
  second.raw().request.headers = headers;
  second.raw().request.target = target;
  return ask(kNoCredentialLeakOnRedirect, r);
}

}  // namespace

TEST(NoCredentialLeakOnRedirect, FailsWhatCarriesASecretElsewhere) {
  const Finding finding = sent_elsewhere("elsewhere", {{"Authorization", "Bearer sha256:1", true}});
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(
      mentions(finding, "#1 of vendor was redirected to elsewhere: #2 carries Authorization"));
  EXPECT_RULING(Fail, sent_elsewhere("elsewhere", {{"cookie", "a=b", false}}));
  EXPECT_RULING(Fail, sent_elsewhere("elsewhere", {{"Idempotency-Key", "k", false}}));
  EXPECT_RULING(Fail, sent_elsewhere("elsewhere", {}, "/v1/elsewhere?token=sha256:1-length-9"));
}

TEST(NoCredentialLeakOnRedirect, PassesARequestWithout) {
  EXPECT_RULING(Pass, sent_elsewhere("elsewhere", {{"Accept", "*/*", false}}));
}

TEST(NoCredentialLeakOnRedirect, TheSameOriginMayHaveThem) {
  EXPECT_RULING(NotApplicable, sent_elsewhere("vendor", {{"Authorization", "x", true}}));
}

TEST(NoCredentialLeakOnRedirect, WhoDoesNotFollowGivesNoOccasion) {
  RecordingBuilder r("redirected-elsewhere");
  r.read().attempt(0ms).fired("moved").failed_with(307, 1ms).header("Location", "/v1/elsewhere");
  EXPECT_RULING(NotApplicable, ask(kNoCredentialLeakOnRedirect, r));
}

}  // namespace mishap::client_tests
