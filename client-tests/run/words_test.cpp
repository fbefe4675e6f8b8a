#include "client-tests/run/words.h"

#include <gtest/gtest.h>

namespace mishap::client_tests {
namespace {

TEST(Words, AreThoseOfTheOutcomeFile) {
  EXPECT_EQ(to_string(OutcomeKind::Succeeded), "succeeded");
  EXPECT_EQ(to_string(OutcomeKind::Failed), "failed");
  EXPECT_EQ(to_string(OutcomeKind::Pending), "pending");
  EXPECT_EQ(to_string(Stop::NotStarted), "not_started");
}

}  // namespace
}  // namespace mishap::client_tests
