#include "client-tests/checks/spans.h"

#include "client-tests/checks/check_testing.h"

namespace mishap::client_tests {
namespace spans {

using Spans = std::vector<TimeSpan>;

TEST(Spans, AreMerged) {
  EXPECT_EQ(merged({{5s, 7s}, {1s, 2s}, {2s, 3s}, {6s, 9s}, {4s, 4s}, {8s, 6s}}),
            (Spans{{1s, 3s}, {5s, 9s}}));
  EXPECT_EQ(merged({{1s, 9s}, {2s, 3s}}), (Spans{{1s, 9s}}));
  EXPECT_EQ(merged({}), Spans{});
}

TEST(Spans, AreTakenAway) {
  const Spans from{{1s, 4s}, {6s, 10s}};
  EXPECT_EQ(without(from, {}), from);
  EXPECT_EQ(without(from, {{0s, 20s}}), Spans{});
  EXPECT_EQ(without(from, {{2s, 3s}, {7s, 8s}}), (Spans{{1s, 2s}, {3s, 4s}, {6s, 7s}, {8s, 10s}}));
  EXPECT_EQ(without(from, {{3s, 7s}}), (Spans{{1s, 3s}, {7s, 10s}}));
  EXPECT_EQ(without(from, {{0s, 2s}, {9s, 11s}}), (Spans{{2s, 4s}, {6s, 9s}}));
}

}  // namespace spans
}  // namespace mishap::client_tests
