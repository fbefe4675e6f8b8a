#pragma once

#include <vector>

#include "client-tests/checks/waits.h"
#include "client-tests/statistics/herd.h"

// What comes back of many that failed in one moment.
namespace mishap::client_tests {

struct RetryWave {
  std::size_t retry = 0;    // from 1
  double typical_wait = 0;  // median, seconds
  std::size_t size = 0;
  statistics::Wave wave;
};

// The first failures were all seen within 20 ms: otherwise what comes later is spread by the start.
bool failed_in_one_moment(const std::vector<Waits>& waits);

// Per retry, while half of them still come. Waves after waits shorter than four windows are left
// out: they have no room to be spread in.
std::vector<RetryWave> retry_waves(const std::vector<Waits>& waits);

// "retry 2: 28 of 30 within 0.050 s, 93 % >= 80 %"
std::string told(const RetryWave& wave);

// From so many on a share of a wave says something.
inline constexpr std::size_t kHerd = 30;

}  // namespace mishap::client_tests
