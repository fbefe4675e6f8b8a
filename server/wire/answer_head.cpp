#include "server/wire/answer_head.h"

#include <charconv>

#include "server/wire/head_rules.h"

namespace mishap::server {

namespace {

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view next_line(std::string_view& bytes) {
  const auto end = bytes.find("\r\n");
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 2);
  return line;
}

void read_field(std::string_view line, AnswerHead& head) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ')) value.remove_prefix(1);
  if (equal_names(name, "Content-Length")) head.content_length = number<std::uint64_t>(value);
  if (equal_names(name, "Transfer-Encoding")) head.chunked = has_token(value, "chunked");
  if (!equal_names(name, "Connection")) return;
  head.close = head.close || has_token(value, "close");
  head.keep_alive = head.keep_alive || has_token(value, "keep-alive");
}

}  // namespace

AnswerHead read_answer_head(std::string_view bytes) {
  AnswerHead head;
  const std::string_view status_line = next_line(bytes);
  if (status_line.starts_with("HTTP/1.") && status_line.size() >= 12) {
    head.status = number<StatusCode>(status_line.substr(9, 3)).value_or(0);
  }
  while (!bytes.empty()) {
    const std::string_view line = next_line(bytes);
    if (line.empty()) {
      head.whole = true;
      break;
    }
    read_field(line, head);
  }
  return head;
}

}  // namespace mishap::server
