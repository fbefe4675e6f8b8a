#pragma once

#include "client-tests/statistics/sample.h"

// How much of a wave of attempts comes in one moment (checks.md section 3.4).
namespace mishap::client_tests::statistics {

struct Wave {
  Decision herd = Decision::Undecided;  // Yes: most of it comes at once
  double window = 0;                    // what counts as one moment
  double share = 0;                     // most arrivals in any such window / all
  double peak_to_mean = 0;              // peak rate / rate between q5 and q95
  double variance_to_mean = 0;          // of the counts in windows that follow one another
};

// `arrivals` are instants; `typical_wait` is the median wait before them, by which the moment is
// measured: max(50 ms, 5 %). No arrival: Undecided.
Wave measure_wave(const Sample& arrivals, double typical_wait);

}  // namespace mishap::client_tests::statistics
