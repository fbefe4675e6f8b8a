#include "client-tests/clients/booking_client/outcome_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "client-tests/clients/booking_client/log.h"

namespace booking {
namespace {

std::string to_json_line(const OutcomeLine& line) {
  nlohmann::ordered_json json = {{"operation", line.operation}, {"outcome", name_of(line.outcome)}};
  if (!line.id.empty()) json["id"] = line.id;
  json["attempts"] = line.attempts;
  json["duration_ms"] = line.duration.count();
  if (!line.category.empty()) json["category"] = line.category;
  if (!line.error.empty()) json["error"] = line.error;
  if (!line.kept.empty()) json["kept"] = line.kept;
  if (!line.as_of.empty()) {
    json["cached"] = true;
    json["as_of"] = line.as_of;
  }
  using Json = nlohmann::ordered_json;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Succeeded:
      return "succeeded";
    case Outcome::Failed:
      return "failed";
    case Outcome::Pending:
      return "pending";
  }
  return "";
}

OutcomeLog::OutcomeLog(std::optional<std::filesystem::path> file) : file_(std::move(file)) {}

void OutcomeLog::append(const OutcomeLine& line) const {
  if (!file_) return;
  const std::string text = to_json_line(line);
  const int file = open(file_->c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const bool written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) close(file);
  if (!written) log_note("outcome of " + line.operation + " could not be written");
}

}  // namespace booking
