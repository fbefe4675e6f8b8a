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
std::string_view to_string(ProcessRole role) {
  return word_of(role);
}

bool succeeded(const DriveFacts& drive) {
  if (drive.status != 0) return drive.status < 400;
  return drive.error.empty() && drive.stop == Stop::Exited && drive.exit_code == 0;
}

std::string how_it_ended(const DriveFacts& drive) {
  if (drive.status != 0) return "was answered " + std::to_string(drive.status);
  if (!drive.error.empty()) return "got no answer (" + drive.error + ")";
  switch (drive.stop) {
    case Stop::Exited:
      return "ended with exit code " + std::to_string(drive.exit_code);
    case Stop::Signalled:
      return "was ended by signal " + std::to_string(drive.signal);
    default:
      return "had not ended when mishap ended it";
  }
}

}  // namespace mishap::client_tests
