#pragma once

#include "client-tests/statistics/sample.h"

// Whether instances that failed together wait differently long (checks.md section 3.1).
namespace mishap::client_tests::statistics {

struct Jitter {
  Decision decision = Decision::Undecided;  // Yes: there is some
  bool blind = false;                       // the noise is too large for waits as short as these
  double spread = 0;                        // q90 - q10 of the waits
  double median = 0;                        // of the waits
  double enough = 0;                        // a spread from here on is jitter
  double flat = 0;                          // up to here there is none
};

// `waits` of the instances at one index of retry; `noise` is what the same measure shows of a
// client whose waits are all equal (q90 - q10).
Jitter find_jitter(const Sample& waits, double noise);

}  // namespace mishap::client_tests::statistics
