#include "server/wire/head_rules.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace mishap::server {

namespace {

constexpr std::size_t kLongestMethod = 128;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// RFC 9110 section 5.6.2.
bool is_token_char(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         kMarks.find(c) != std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

bool equal_names(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool has_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (equal_names(trim(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

std::optional<Refusal> refuse_start(std::string_view bytes, const scenarios::Limits& limits) {
  const auto end_of_method = std::find_if_not(bytes.begin(), bytes.end(), is_token_char);
  const auto method = static_cast<std::size_t>(end_of_method - bytes.begin());
  if (!bytes.empty() && bytes[0] == '\x16') {
    return Refusal{400, "this is a TLS handshake, and plain HTTP is spoken here"};
  }
  if (method > kLongestMethod) return Refusal{400, "the method is too long"};
  if (method == bytes.size()) return std::nullopt;
  if (method == 0 || *end_of_method != ' ') {
    return Refusal{400, "a request begins with a method and a space"};
  }
  const std::string_view target = bytes.substr(method + 1);
  if (std::min(target.find_first_of(" \r\n"), target.size()) > limits.target) {
    return Refusal{414, "the request target is longer than the limit"};
  }
  return std::nullopt;
}

Refusal explain_request_line(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  const auto space = line.rfind(' ');
  const std::string_view version =
      space == std::string_view::npos ? std::string_view{} : line.substr(space + 1);
  const auto digit = [&](std::size_t at) {
    return std::isdigit(static_cast<unsigned char>(version[at])) != 0;
  };
  const bool is_version = version.size() == 8 && version.substr(0, 5) == "HTTP/" && digit(5) &&
                          version[6] == '.' && digit(7);
  if (!is_version) {
    return {400, "the request line is not `method target HTTP/1.1` with CRLF at its end"};
  }
  if (version == "HTTP/1.0" || version == "HTTP/1.1") {
    return {400, "the request line is malformed"};
  }
  return {505, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
}

std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t from) {
  for (auto at = bytes.find('\n', from); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    const std::string_view rest = bytes.substr(at + 1);
    if (rest.starts_with("\r\n")) return at + 3;
    if (rest.starts_with('\n')) return at + 2;
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_head(std::string_view raw) {
  for (auto at = raw.find('\n'); at + 1 < raw.size(); at = raw.find('\n', at + 1)) {
    // RFC 9112 section 5.2: a server must refuse obs-fold or unfold it, and clients that send it
    // are broken or attacking.
    if (raw[at + 1] == ' ' || raw[at + 1] == '\t') {
      return Refusal{400, "a header line is folded (obs-fold)"};
    }
  }
  return std::nullopt;
}

namespace {

// RFC 9112 section 6.1: chunked must be the last coding, and codings beside it are not known here.
std::optional<Refusal> refuse_coding(int minor_version, std::string_view codings) {
  if (minor_version == 0) return Refusal{400, "Transfer-Encoding in an HTTP/1.0 request"};
  const auto comma = codings.rfind(',');
  const std::string_view last =
      trim(comma == std::string_view::npos ? codings : codings.substr(comma + 1));
  if (!equal_names(last, "chunked")) {
    return Refusal{400, "the last transfer coding of a request must be chunked"};
  }
  if (!equal_names(trim(codings), "chunked")) {
    return Refusal{501, "no transfer coding but chunked is understood"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refuse_fields(int minor_version, const std::vector<NameValue>& headers) {
  int hosts = 0;
  for (const NameValue& header : headers) {
    if (equal_names(header.name, "Host")) ++hosts;
    if (!equal_names(header.name, "Transfer-Encoding")) continue;
    if (auto refusal = refuse_coding(minor_version, header.value)) return refusal;
  }
  // RFC 9112 section 3.2.
  if (hosts > 1) return Refusal{400, "more than one Host field"};
  if (hosts == 0 && minor_version >= 1) return Refusal{400, "the Host field is missing"};
  return std::nullopt;
}

}  // namespace mishap::server
