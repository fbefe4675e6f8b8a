#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "client-tests/checks/check_testing.h"
#include "client-tests/statistics/simulated_clients_testing.h"

// Recordings of many copies of a client whose waits are a formula.
namespace mishap::client_tests {

inline Duration as_duration(double value) {
  return Duration(static_cast<Duration::rep>(std::llround(value * 1e9)));
}

struct ManyCopies {
  std::size_t copies = 30;
  std::size_t retries = 4;
  Duration failed_apart = 1ms;  // from one copy to the next, the first failure
  std::uint64_t seed = 1;
  double noise = 0.004;  // seconds, the most that a call comes late after an answer
};

// Each copy makes one call that fails at once, and again after each of its waits; then it makes
// two calls that succeed, from which the noise of the machine can be told.
inline void fail_together(RecordingBuilder& r, const statistics::Waits& waits,
                          const ManyCopies& how) {
  statistics::Chance chance(how.seed);
  r.recording().scenario.copies = static_cast<int>(how.copies);
  for (std::size_t copy = 0; copy < how.copies; ++copy) {
    auto call = r.create("r-" + std::to_string(copy)).key("k" + std::to_string(copy));
    call.lane(static_cast<int>(copy));
    Duration at = 100ms;
    Duration failed = 200ms + static_cast<Duration::rep>(copy) * how.failed_apart / 30;
    double last = 0;
    call.attempt(at).fired("outage").failed_with(503, failed);
    for (std::size_t k = 0; k < how.retries; ++k) {
      last = waits(chance, k, last);
      at = failed + as_duration(last + chance.uniform(0, how.noise));
      failed = at + 1ms;
      call.attempt(at).fired("outage").failed_with(503, failed);
    }
    for (int n = 0; n < 3; ++n) {
      auto next = r.create("n-" + std::to_string(copy) + "-" + std::to_string(n));
      next.lane(static_cast<int>(copy));
      at = failed + 1ms + as_duration(chance.uniform(0, how.noise));
      failed = at + 1ms;
      next.attempt(at).effect().answered(201, failed);
    }
  }
}

}  // namespace mishap::client_tests
