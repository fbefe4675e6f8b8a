#include "client-tests/clients/booking_client/log.h"

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace booking {
namespace {

using Json = nlohmann::ordered_json;

std::ofstream& log_file() {
  static std::ofstream file;
  return file;
}

bool logs_json = false;

void write(const std::string& line) {
  std::ostream& out = log_file().is_open() ? log_file() : std::cerr;
  out << line + '\n' << std::flush;
}

std::string text_of(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_line(const AttemptLine& line) {
  Json object = {{"operation", line.operation},      {"call", line.call},
                 {"attempt", line.attempt},          {"status", line.status},
                 {"duration_ms", line.took.count()}, {"category", line.category}};
  if (!line.what.empty()) object["error"] = line.what;
  if (!line.request_id.empty()) object["request_id"] = line.request_id;
  object["next"] = line.next;
  return text_of(object);
}

std::string plain_line(const AttemptLine& line) {
  std::ostringstream out;
  out << "op=" << line.operation << " call=" << line.call << " attempt=" << line.attempt
      << " status=" << line.status << " took_ms=" << line.took.count()
      << " category=" << line.category;
  if (!line.what.empty()) out << " error=\"" << line.what << '"';
  if (!line.request_id.empty()) out << " request_id=" << line.request_id;
  out << " next=\"" << line.next << '"';
  return out.str();
}

}  // namespace

void set_up_log(const std::optional<std::filesystem::path>& file, bool as_json) {
  if (file) log_file().open(*file, std::ios::app);
  logs_json = as_json;
}

void log_attempt(const AttemptLine& line) {
  write(logs_json ? json_line(line) : plain_line(line));
}

void log_note(const std::string& note) {
  write(logs_json ? text_of(Json{{"note", note}}) : note);
}

}  // namespace booking
