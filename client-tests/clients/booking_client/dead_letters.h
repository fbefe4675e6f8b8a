// What was given up after the last attempt, kept where it is found again: one JSON object a line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "client-tests/clients/booking_client/booking_api.h"

namespace booking {

struct DeadLetter {
  Intent intent;
  int attempts = 0;
  std::string error;
};

class DeadLetters {
 public:
  explicit DeadLetters(std::optional<std::filesystem::path> file);  // nothing: none are kept

  // One for each reference, the newest.
  void keep(const DeadLetter& letter) const;
  void settle(const std::string& reference) const;  // it was done at last

 private:
  std::string all_but(const std::string& reference) const;
  void write(const std::string& text) const;

  std::optional<std::filesystem::path> file_;
};

}  // namespace booking
