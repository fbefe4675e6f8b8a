#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client-tests/launch/secret_forms.h"
#include "mishap/parameters.h"
#include "mishap/recording.h"

namespace mishap::client_tests {

// Takes a stream of any length in bounded memory: the first and last 32 KiB are kept, all of it is
// counted and searched for the run's token and for sensitive texts, whatever their form. These and
// secrets are masked in what is kept, also where one lies across the end of the head or the
// beginning of the tail.
class OutputCapture {
 public:
  static constexpr std::size_t kKept = 32 * 1024;

  // `sensitive`: texts by name.
  OutputCapture(const std::string& canary, const std::vector<std::string>& secrets,
                const std::vector<NameValue>& sensitive = {});

  void take(std::string_view chunk);

  // What there is so far. `lines` counts a last line without its newline as well.
  Captured result(int copy, std::string stream) const;

 private:
  struct Sensitive {
    std::string name;
    SecretWatch watch;
  };

  void keep(std::string_view chunk);
  SecretWatch canary_;
  std::vector<Sensitive> sensitive_;
  SecretMask mask_;
  std::size_t margin_;  // kept beyond head and tail, so that a cut secret is recognised
  std::string head_;    // the first kKept + margin_ bytes
  std::string tail_;    // the last kKept + margin_ bytes and up to as many again
  std::uint64_t bytes_ = 0;
  std::uint64_t newlines_ = 0;
  char last_ = '\n';
};

}  // namespace mishap::client_tests
