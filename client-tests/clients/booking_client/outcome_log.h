// What became of each create, told to whoever asked: one JSON object a line in MISHAP_OUTCOMES.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "client-tests/clients/booking_client/settings.h"

namespace booking {

// Pending means: nobody here knows yet. It is neither a success nor a failure.
enum class Outcome { Succeeded, Failed, Pending };

const char* name_of(Outcome outcome);

struct OutcomeLine {
  std::string operation;
  Outcome outcome = Outcome::Pending;
  std::string id;  // with Succeeded
  int attempts = 0;
  milliseconds duration{0};  // of the whole operation
  std::string category;      // of the last failed attempt, if any
  std::string error;
  std::string kept{};  // where its input is, a file of MISHAP_STATE; empty: nowhere
  std::string as_of;   // of a read that is answered with what was known then; empty: it is not
};

class OutcomeLog {
 public:
  explicit OutcomeLog(std::optional<std::filesystem::path> file);  // nothing: tell nobody

  // One write() per line, so that copies that share the file do not mix their lines.
  void append(const OutcomeLine& line) const;

 private:
  std::optional<std::filesystem::path> file_;
};

}  // namespace booking
