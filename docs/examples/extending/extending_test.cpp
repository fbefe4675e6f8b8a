#include "client-tests/checks/check_testing.h"
#include "docs/examples/extending/calm.h"
#include "docs/examples/extending/tally_format.h"
#include "docs/examples/extending/teapot.h"
#include "server/faults/fault_fixture.h"

// The examples of docs/extending.md, tested as its reader is told to.
namespace mishap {
namespace {

using namespace client_tests;

TEST(Teapot, AnswersInsteadOfApplying) {
  const auto steps = server::planned(server::teapot_fault(), server::Point::BeforeEffect);
  EXPECT_EQ(steps.find("apply"), std::string::npos) << steps;
  EXPECT_NE(steps.find("418"), std::string::npos) << steps;
}

TEST(Teapot, IsProvenByTheAnswerThatWentOut) {
  const auto refused =
      server::changed(server::answered(), [](server::Exchange& e) { e.answer.status = 418; });
  const auto point = server::Point::BeforeEffect;
  EXPECT_EQ(server::proof(server::teapot_fault(), point, refused), "delivered");
  EXPECT_EQ(server::proof(server::teapot_fault(), point, server::answered()), "it was not refused");
}

// A create whose attempts came at these instants, and what the check says of it.
Finding asked_of(std::initializer_list<Duration> instants, const Node& values = {}) {
  RecordingBuilder r("x");
  auto operation = r.create("a").key("k");
  for (const auto at : instants) operation.attempt(at).failed_with(503, at + 1ms);
  return ask(kCalm, r, values);
}

TEST(Calm, FailsOnABurst) {
  const Finding finding = asked_of({0ms, 100ms, 200ms, 300ms});
  EXPECT_RULING(Fail, finding);
  EXPECT_TRUE(mentions(finding, "4 attempts within"));
}

TEST(Calm, CountsAsItIsTold) {
  const auto four = parameters({{"attempts", "4"}});
  EXPECT_RULING(Pass, asked_of({0ms, 100ms, 200ms, 300ms}, four));
}

TEST(Calm, PassesWhereAttemptsAreSpreadOut) {
  EXPECT_RULING(Pass, asked_of({0ms, 500ms, 1500ms, 2600ms}));
}

TEST(Calm, NeedsAnOccasion) {
  EXPECT_RULING(NotApplicable, asked_of({0ms}));
}

TEST(TallyFormat, CountsCasesByVerdict) {
  SuiteVerdict verdict;
  verdict.cases.resize(3);
  for (auto& one : verdict.cases) one.verdict = Verdict::Pass;
  verdict.cases.back().verdict = Verdict::Fail;
  EXPECT_EQ(reports::render_tally(verdict, {}, {}), "fail 1\npass 2\n");
}

}  // namespace
}  // namespace mishap
