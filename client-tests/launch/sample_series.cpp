#include "client-tests/launch/sample_series.h"

#include <algorithm>

namespace mishap::client_tests {

void SampleSeries::add(ProcessSample sample) {
  most_cpu_ = sample.cpu = std::max(sample.cpu, most_cpu_);
  if (looks_++ % stride_ != 0) return;
  if (samples_.size() == ProcessFacts::kMostSamples) {
    for (std::size_t i = 0; 2 * i < samples_.size(); ++i) samples_[i] = samples_[2 * i];
    samples_.resize((samples_.size() + 1) / 2);
    stride_ *= 2;
    // The one that comes now has an even place among those that were kept, and so stays.
  }
  samples_.push_back(sample);
}

}  // namespace mishap::client_tests
