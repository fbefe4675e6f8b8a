#include "client-tests/clients/booking_client/environment.h"

#include <cstdlib>
#include <string_view>

namespace booking {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::optional<std::filesystem::path> path_variable(const char* name) {
  std::string value = variable(name);
  if (value.empty()) return std::nullopt;
  return std::filesystem::path(value);
}

}  // namespace

bool split_url(const std::string& url, std::string& origin, std::string& base_path) {
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string::npos) return false;
  const std::string_view scheme = std::string_view(url).substr(0, scheme_end);
  if (scheme != "http" && scheme != "https") return false;
  const std::size_t host = scheme_end + 3;
  const std::size_t path = url.find('/', host);
  origin = url.substr(0, path);
  if (origin.size() == host) return false;
  base_path = path == std::string::npos ? "" : url.substr(path);
  while (!base_path.empty() && base_path.back() == '/') base_path.pop_back();
  return true;
}

std::optional<Environment> read_environment() {
  Environment environment;
  if (!split_url(variable("MISHAP_URL"), environment.origin, environment.base_path)) {
    return std::nullopt;
  }
  environment.scenario = variable("MISHAP_SCENARIO");
  environment.copy = variable("MISHAP_COPY");
  environment.token = variable("MISHAP_TOKEN");
  environment.outcomes = path_variable("MISHAP_OUTCOMES");
  environment.state = path_variable("MISHAP_STATE");
  environment.contact = variable("MISHAP_SENSITIVE_MAIL");
  return environment;
}

}  // namespace booking
