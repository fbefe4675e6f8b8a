// One line per attempt on standard error, or in a file: which operation, what came of it, what
// happens next. Never a token, a body, or any text that the server sent but its request id.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "client-tests/clients/booking_client/settings.h"

namespace booking {

struct AttemptLine {
  std::string operation;
  std::string call;  // create, read, lookup
  int attempt = 1;
  int status = 0;  // 0: none came
  std::string category;
  std::string what;
  milliseconds took{0};
  std::string next;
  std::string request_id{};  // the vendor's; empty: none came
};

// Before the first line. No file: standard error.
void set_up_log(const std::optional<std::filesystem::path>& file, bool as_json);

void log_attempt(const AttemptLine& line);
void log_note(const std::string& note);

}  // namespace booking
