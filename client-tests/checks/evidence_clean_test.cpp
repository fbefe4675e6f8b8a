#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {

TEST(EvidenceClean, PassesWhereTheMockKeptTime) {
  RecordingBuilder r("x");
  r.read().attempt(0ms).answered(200, 1ms).lag(2ms);
  EXPECT_RULING(Pass, ask(kEvidenceClean, r));
}

TEST(EvidenceClean, OnePauseOfAHundredMillisecondsShows) {
  RecordingBuilder r("x");
  for (int i = 0; i < 30; ++i) r.read().attempt(i * 10ms).answered(200, i * 10ms + 1ms);
  r.read().attempt(400ms).answered(200, 401ms).lag(100ms);
  const Finding finding = ask(kEvidenceClean, r);
  EXPECT_RULING(Inconclusive, finding);
  EXPECT_EQ(finding.witnesses.at(0).exchanges, std::vector<std::uint64_t>{31});
  EXPECT_TRUE(mentions(finding, "lag p99 0.10 s > 0.020 s"));
}

TEST(EvidenceClean, OneInTwoHundredIsAllowed) {
  RecordingBuilder r("x");
  for (int i = 0; i < 199; ++i) r.read().attempt(i * 10ms).answered(200, i * 10ms + 1ms);
  r.read().attempt(3s).answered(200, 3001ms).lag(100ms);
  EXPECT_RULING(Pass, ask(kEvidenceClean, r));
}

TEST(EvidenceClean, IsInconclusiveWhereRecordsWereLost) {
  RecordingBuilder r("x");
  r.read().attempt(0ms).answered(200, 1ms);
  r.recording().journal.lost = 3;
  EXPECT_RULING(Inconclusive, ask(kEvidenceClean, r));
}

}  // namespace mishap::client_tests
