#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

namespace {

// A read that goes round so often.
void loop_of(RecordingBuilder& r, int hops, Duration at = 0ms) {
  auto call = r.read("/v1/loop");
  for (int i = 0; i <= hops; ++i) {
    call.attempt(at + i * 10ms)
        .content("loop")
        .fired("loop")
        .failed_with(302, at + i * 10ms + 1ms)
        .header("Location", "/v1/loop");
  }
}

// A create that is answered `status`, and what was sent on.
void sent_on(RecordingBuilder& r, StatusCode status, const std::string& method,
             const std::string& body, const std::string& key, bool twice) {
  auto create = r.create("r-1").key("k1");
  auto first = create.attempt(0ms).content("booking").fired("moved");
  if (twice) first.effect();
  first.failed_with(status, 1ms).header("Location", "http://127.0.0.1:4000/v1/elsewhere?x=1");
  auto next = r.operation(method, "/v1/elsewhere");
  auto second = next.attempt(10ms).content(body).key(key);
  if (twice) second.effect();
  second.answered(201, 11ms);
}

Finding following(StatusCode status, const std::string& method, const std::string& body,
                  const std::string& key, bool twice = false) {
  RecordingBuilder r("moved");
  sent_on(r, status, method, body, key, twice);
  return ask(kRedirectsBounded, r);
}

}  // namespace

TEST(RedirectsBounded, BoundsTheHops) {
  for (const auto& [hops, ruling] : std::vector<std::pair<int, Ruling>>{
           {1, Ruling::Pass}, {20, Ruling::Pass}, {21, Ruling::Fail}}) {
    RecordingBuilder r("loop");
    loop_of(r, hops);
    EXPECT_EQ(ask(kRedirectsBounded, r).ruling, ruling) << hops;
  }
  RecordingBuilder many("loop");
  loop_of(many, 12);
  EXPECT_TRUE(
      mentions(ask(kRedirectsBounded, many), "warning: #1 -> #2 -> #3 -> #4 -> ...: 12 hops"));
}

TEST(RedirectsBounded, WhoDoesNotFollowGivesNoOccasion) {
  RecordingBuilder r("moved");
  auto call = r.read();
  call.attempt(0ms).fired("moved").failed_with(302, 1ms).header("Location", "/v1/elsewhere");
  EXPECT_RULING(NotApplicable, ask(kRedirectsBounded, r));
}

TEST(RedirectsBounded, ThreeHundredSevenMeansTheSameRequest) {
  EXPECT_RULING(Pass, following(307, "POST", "booking", "k1"));
  EXPECT_RULING(Fail, following(307, "GET", "", "k1"));
  EXPECT_RULING(Fail, following(308, "POST", "another", "k1"));
  EXPECT_RULING(Fail, following(307, "POST", "booking", "k2"));
  EXPECT_TRUE(mentions(following(307, "GET", "", ""), "method, body or key changed"));
}

TEST(RedirectsBounded, AfterAThreeHundredThreeAGetIsRight) {
  EXPECT_RULING(Pass, following(303, "GET", "", ""));
  EXPECT_RULING(Fail, following(303, "POST", "booking", "k1", true));
  EXPECT_TRUE(mentions(following(302, "POST", "booking", "k1", true), "2 effects of one create"));
}

TEST(RedirectsBounded, ALoopIsNotBegunAgain) {
  RecordingBuilder r("loop");
  auto call = r.read("/v1/list");
  auto hops = r.read("/v1/loop");
  for (int turn = 0; turn < 2; ++turn) {
    const Duration at = turn * 1s;
    call.attempt(at).content("list").failed_with(302, at + 1ms).header("Location", "/v1/loop");
    for (int i = 1; i <= 3; ++i) {
      hops.attempt(at + i * 10ms)
          .content("loop")
          .failed_with(302, at + i * 10ms + 1ms)
          .header("Location", "/v1/loop");
    }
  }
  EXPECT_RULING(Fail, ask(kRedirectsBounded, r));
  EXPECT_TRUE(mentions(ask(kRedirectsBounded, r), "the loop of #1 was begun again"));
}

}  // namespace mishap::client_tests
