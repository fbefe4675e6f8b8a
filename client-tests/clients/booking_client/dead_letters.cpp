#include "client-tests/clients/booking_client/dead_letters.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "client-tests/clients/booking_client/log.h"

namespace booking {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const DeadLetter& letter) {
  const Json json = {{"operation", letter.intent.reference},
                     {"error", letter.error},
                     {"attempts", letter.attempts},
                     {"payload", Json::parse(letter.intent.body, nullptr, false)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

DeadLetters::DeadLetters(std::optional<std::filesystem::path> file) : file_(std::move(file)) {}

std::string DeadLetters::all_but(const std::string& reference) const {
  std::string kept;
  std::ifstream file(*file_);
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line, nullptr, false);
    const bool is_its = json.is_object() && json.value("operation", "") == reference;
    if (!is_its) kept += line + '\n';
  }
  return kept;
}

// A crash leaves the old file or the new one.
void DeadLetters::write(const std::string& text) const {
  std::filesystem::path fresh = *file_;
  fresh += ".new";
  std::ofstream file(fresh, std::ios::trunc);
  file << text << std::flush;
  if (!file || std::rename(fresh.c_str(), file_->c_str()) != 0) {
    log_note("the dead letters could not be written");
  }
}

void DeadLetters::keep(const DeadLetter& letter) const {
  if (file_) write(all_but(letter.intent.reference) + line_of(letter));
}

void DeadLetters::settle(const std::string& reference) const {
  std::error_code ignored;
  if (file_ && std::filesystem::exists(*file_, ignored)) write(all_but(reference));
}

}  // namespace booking
