#include "scenarios/parser/text_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "mishap/utf8.h"

namespace mishap::scenarios {
namespace {

bool is_control(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte == '\r') return at + 1 >= text.size() || text[at + 1] != '\n';
  return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
}

bool check_bytes(const Source& source, Problems& problems) {
  const std::string_view text = source->text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(at));
    if (length == 0) {
      problems.error(span_at(source, at),
                     fmt::format("byte 0x{:02x} is not UTF-8; save the file as UTF-8",
                                 static_cast<unsigned char>(text[at])));
      return false;
    }
    if (is_control(text, at)) {
      problems.error(span_at(source, at),
                     fmt::format("control byte 0x{:02x} cannot stand in a scenario",
                                 static_cast<unsigned char>(text[at])));
      return false;
    }
    at += length;
  }
  return true;
}

std::size_t leading(std::string_view line, std::string_view blanks) {
  return std::min(line.find_first_not_of(blanks), line.size());
}

// "key: |", "- >-": the lines below it that stand deeper are text, tabs included.
bool opens_block_text(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  while (!line.empty() && std::string_view("+-0123456789").find(line.back()) != line.npos) {
    line.remove_suffix(1);
  }
  if (line.empty() || (line.back() != '|' && line.back() != '>')) return false;
  return line.size() == 1 || line[line.size() - 2] == ' ';
}

bool check_indentation(const Source& source, Problems& problems) {
  const std::string_view text = source->text;
  std::optional<std::size_t> block_text_of;  // indentation of the line that opened it
  bool good = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t spaces = leading(line, " ");
    const bool blank = leading(line, " \t\r") == line.size();
    if (!blank && block_text_of && spaces <= *block_text_of) block_text_of.reset();
    if (!blank && !block_text_of) {
      if (line[spaces] == '\t') {
        problems.error(span_at(source, begin + spaces),
                       "a tab in the indentation: YAML indents with spaces only");
        good = false;
      }
      if (opens_block_text(line)) block_text_of = spaces;
    }
    begin = end + 1;
  }
  return good;
}

bool is_empty(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t blanks = leading(line, " \t\r");
    if (blanks != line.size() && line[blanks] != '#') return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace

SourceSpan span_at(const Source& source, std::size_t offset, std::size_t length) {
  const std::string_view before = std::string_view(source->text).substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return {source, static_cast<int>(line) + 1, static_cast<int>(before.size() - line_begin) + 1,
          static_cast<int>(std::max<std::size_t>(1, length))};
}

bool check_text(const Source& source, Problems& problems) {
  if (source->text.size() > kMostFileBytes) {
    problems.error({source, 0, 0, 1},
                   fmt::format("{} bytes; a scenario file has at most 1 MiB", source->text.size()));
    return false;
  }
  if (!check_bytes(source, problems)) return false;
  if (is_empty(source->text)) {
    problems.error({source, 0, 0, 1}, "the file is empty");
    return false;
  }
  return check_indentation(source, problems);
}

}  // namespace mishap::scenarios
