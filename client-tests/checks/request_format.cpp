#include "client-tests/checks/request_format.h"

#include <algorithm>

namespace mishap::client_tests {

namespace {

std::string lower(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return made;
}

std::string media_type(const server::RequestFacts& request) {
  std::string type = lower(header_of(request, "content-type"));
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.pop_back();
  return type;
}

}  // namespace

std::string header_of(const server::RequestFacts& request, std::string_view name) {
  for (const auto& header : request.headers) {
    if (lower(header.name) == name) return header.value;
  }
  return {};
}

bool is_multipart(const server::RequestFacts& request) {
  return media_type(request).starts_with("multipart/");
}

bool is_comparable(const server::RequestFacts& request) {
  const std::string encoding = lower(header_of(request, "content-encoding"));
  if (!encoding.empty() && encoding != "identity") return false;
  const std::string type = media_type(request);
  return type.empty() || type == "application/json" || type.ends_with("+json") ||
         type == "application/x-www-form-urlencoded" || type == "text/plain" ||
         type.starts_with("multipart/");
}

}  // namespace mishap::client_tests
