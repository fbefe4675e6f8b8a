#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "mishap/recording.h"

namespace mishap::client_tests {

// Reads lines of outcomes as they are written, many times faster than the reader that can say what
// is wrong with one.
class QuickOutcomes {
 public:
  QuickOutcomes();
  ~QuickOutcomes();

  // Nothing: it is not as it was written, or somebody has added to it; the other reader decides.
  // `is_padded`: what stands behind the line may be looked at as well.
  std::optional<OutcomeLine> read(std::string_view line, bool is_padded);

  static constexpr std::size_t kPadding = 64;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace mishap::client_tests
