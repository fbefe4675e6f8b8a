#include "cli/exit_code.h"

#include <gtest/gtest.h>

#include "cli/commands.h"

namespace mishap::cli {
namespace {

using client_tests::SuiteVerdict;
using client_tests::Verdict;

SuiteVerdict inconclusive_with(Verdict other) {
  SuiteVerdict suite;
  suite.verdict = Verdict::Inconclusive;
  suite.cases.emplace_back().verdict = Verdict::Inconclusive;
  suite.cases.emplace_back().verdict = other;
  return suite;
}

TEST(ExitCode, OfAnInconclusiveRunIsAsAskedFor) {
  const auto suite = inconclusive_with(Verdict::Pass);
  EXPECT_EQ(exit_code_of(suite, OnInconclusive::Error), kExitInconclusive);
  EXPECT_EQ(exit_code_of(suite, OnInconclusive::Fail), kExitFail);
  EXPECT_EQ(exit_code_of(suite, OnInconclusive::Warn), kExitPass);
  EXPECT_EQ(policy_line(suite, OnInconclusive::Error), "");
  EXPECT_NE(policy_line(suite, OnInconclusive::Fail), "");
  EXPECT_NE(policy_line(suite, OnInconclusive::Warn), "");
}

TEST(ExitCode, WarnDoesNotLetARunPassInWhichNothingWasJudged) {
  const auto open = inconclusive_with(Verdict::Inconclusive);
  EXPECT_EQ(exit_code_of(open, OnInconclusive::Warn), kExitInconclusive);
  auto stopped = inconclusive_with(Verdict::Pass);
  stopped.stopped = {"no request came"};
  EXPECT_EQ(exit_code_of(stopped, OnInconclusive::Warn), kExitInconclusive);
}

TEST(ExitCode, PolicyTouchesNothingElse) {
  SuiteVerdict suite;
  for (const auto& [verdict, code] : std::vector<std::pair<Verdict, int>>{
           {Verdict::Pass, kExitPass}, {Verdict::Known, kExitPass}, {Verdict::Fail, kExitFail}}) {
    suite.verdict = verdict;
    EXPECT_EQ(exit_code_of(suite, OnInconclusive::Fail), code);
    EXPECT_EQ(exit_code_of(suite, OnInconclusive::Warn), code);
    EXPECT_EQ(policy_line(suite, OnInconclusive::Warn), "");
  }
}

}  // namespace
}  // namespace mishap::cli
