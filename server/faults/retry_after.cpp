#include "server/faults/retry_after.h"

namespace mishap::server {
namespace {

constexpr std::string_view kWord = "date";

bool names_a_date(std::string_view text) {
  return text.size() > kWord.size() && text.starts_with(kWord) &&
         (text[kWord.size()] == '+' || text[kWord.size()] == '-');
}

}  // namespace

tl::expected<std::optional<Duration>, std::string> date_offset(std::string_view text) {
  if (!names_a_date(text)) return std::optional<Duration>();
  const auto length = parse_duration(text.substr(kWord.size() + 1));
  if (!length) return tl::unexpected(length.error());
  return std::optional<Duration>(text[kWord.size()] == '-' ? -*length : *length);
}

std::string retry_after_value(std::string_view text, std::chrono::system_clock::time_point wall,
                              DateForm form) {
  const auto offset = date_offset(text);
  if (!offset || !*offset) return std::string(text);
  using std::chrono::seconds;
  const auto whole = std::chrono::ceil<seconds>(wall);
  return http_date(whole + std::chrono::ceil<seconds>(**offset), form);
}

}  // namespace mishap::server
