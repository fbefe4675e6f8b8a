#include "mishap/recording.h"

#include "client-tests/run/words.h"

namespace mishap::client_tests {
namespace {

template <typename Enum>
std::string_view word_of(Enum value) {
  for (const auto& [known, word] : words_for(value)) {
    if (known == value) return word;
  }
  return "?";
}

}  // namespace

std::string_view to_string(OutcomeKind kind) {
  return word_of(kind);
}
std::string_view to_string(Stop stop) {
  return word_of(stop);
}

}  // namespace mishap::client_tests
