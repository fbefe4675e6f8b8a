#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/recording.h"

namespace mishap::client_tests {

// Takes a stream of any length in bounded memory: the first and last 32 KiB are kept, all of it is
// counted and searched for the run's token. Secrets are masked in what is kept, also where one lies
// across the end of the head or the beginning of the tail.
class OutputCapture {
 public:
  static constexpr std::size_t kKept = 32 * 1024;

  OutputCapture(std::string canary, std::vector<std::string> secrets);

  void take(std::string_view chunk);

  // What there is so far. `lines` counts a last line without its newline as well.
  Captured result(int copy, std::string stream) const;

 private:
  void count_canary(std::string_view chunk);
  void keep(std::string_view chunk);

  std::string canary_;
  std::vector<std::string> secrets_;
  std::size_t margin_;  // kept beyond head and tail, so that a cut secret is recognised
  std::string head_;    // the first kKept + margin_ bytes
  std::string tail_;    // the last kKept + margin_ bytes and up to as many again
  std::string carry_;   // end of the last chunk, shorter than the token
  std::uint64_t bytes_ = 0;
  std::uint64_t newlines_ = 0;
  std::uint64_t canary_hits_ = 0;
  char last_ = '\n';
};

}  // namespace mishap::client_tests
