#pragma once

#include <cstddef>
#include <vector>

#include "mishap/recording.h"

namespace mishap::client_tests {

// What was seen of one client over time, in a bounded place: where it is full every second look is
// dropped, and from then on only every second, fourth ... is kept. They stay equally far apart.
class SampleSeries {
 public:
  // In order of time. What the tree has used of the processor never becomes less, though a process
  // that ends between two reads may be missing from one of them.
  void add(ProcessSample sample);

  std::vector<ProcessSample> take() { return std::move(samples_); }

 private:
  std::vector<ProcessSample> samples_;
  Duration most_cpu_{};
  std::size_t looks_ = 0;
  std::size_t stride_ = 1;
};

}  // namespace mishap::client_tests
