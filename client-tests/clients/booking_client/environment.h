// What the client was told by its environment.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace booking {

struct Environment {
  std::string origin;     // scheme://host:port
  std::string base_path;  // put before every path; empty or /like/this
  std::string scenario;   // empty outside a test run
  std::string copy;
  std::string token;
  std::optional<std::filesystem::path> outcomes;
  std::optional<std::filesystem::path> state;
  std::string contact;  // a person's address, for the booking's data; empty: none
};

// Reads MISHAP_URL, MISHAP_SCENARIO, MISHAP_COPY, MISHAP_TOKEN, MISHAP_OUTCOMES, MISHAP_STATE and
// MISHAP_SENSITIVE_MAIL.
// Nothing when MISHAP_URL is missing or is no http(s) URL.
std::optional<Environment> read_environment();

// Splits "http://127.0.0.1:8080/base/" into origin and base path ("/base").
bool split_url(const std::string& url, std::string& origin, std::string& base_path);

}  // namespace booking
