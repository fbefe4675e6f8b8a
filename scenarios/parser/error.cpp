#include "mishap/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mishap/printable.h"

namespace mishap {
namespace {

// A line of a megabyte must not fill the terminal: a window around the place is shown.
constexpr std::size_t kWindow = 140;
constexpr std::size_t kBeforePlace = 70;

std::string_view line_of(std::string_view text, int line) {
  std::size_t begin = 0;
  for (int n = 1; n < line; ++n) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  std::string_view found = text.substr(begin, text.find('\n', begin) - begin);
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string shown_line(std::string_view line) {
  std::string out(line);
  for (char& c : out) {
    if (c == '\t') c = ' ';
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  return out;
}

// Bytes that are no UTF-8 become "?", one for one, so that columns stay right.
std::string printable_utf8(std::string text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    bool good = lead < 0x80 || (lead >= 0xC2 && lead < 0xF5 && i + length <= text.size());
    for (std::size_t k = 1; good && k < length; ++k) good = continues_character(text[i + k]);
    if (!good) {
      text[i] = '?';
      length = 1;
    }
    i += length;
  }
  return text;
}

// What a terminal would obey beyond plain control bytes: C1 controls, marks and overrides of the
// direction of text. "?" for each byte, so that columns stay right.
std::string without_terminal_orders(std::string text) {
  static constexpr std::array<std::string_view, 4> kOrders = {"\xE2\x80\x8E", "\xE2\x80\x8F",
                                                              "\xEF\xBB\xBF", "\xD8\x9C"};
  const auto is_order = [](std::string_view at) -> std::size_t {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at[i]); };
    if (at.size() >= 2 && byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return 2;
    for (const auto order : kOrders) {
      if (at.starts_with(order)) return order.size();
    }
    const bool three = at.size() >= 3 && byte(0) == 0xE2;
    if (three && byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) return 3;
    if (three && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 3;
    return 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto length = is_order(std::string_view(text).substr(i));
    for (std::size_t k = 0; k < length; ++k) text[i + k] = '?';
    i += std::max<std::size_t>(1, length);
  }
  return text;
}

std::string excerpt(const SourceSpan& span) {
  std::string_view line = line_of(span.source->text, span.line);
  std::size_t at = std::min(line.size(), static_cast<std::size_t>(std::max(0, span.column - 1)));
  std::string before_window;
  if (line.size() > kWindow && at > kBeforePlace) {
    std::size_t cut = at - kBeforePlace;
    while (cut < at && continues_character(line[cut])) ++cut;
    line.remove_prefix(cut);
    at -= cut;
    before_window = "...";
  }
  std::string_view window = line.substr(0, kWindow);
  // A character has at most three bytes behind its first; more of them are none, and the place must
  // stay within the window.
  for (int i = 0; i < 3 && window.size() < line.size(); ++i) {
    if (continues_character(line[window.size()])) window.remove_suffix(1);
  }
  const std::string text = without_terminal_orders(printable_utf8(shown_line(window)));
  const std::string_view marked =
      std::string_view(text).substr(at, static_cast<std::size_t>(std::max(1, span.length)));
  const std::size_t blanks = before_window.size() + characters(text.substr(0, at));
  std::string carets(std::max<std::size_t>(1, characters(marked)), '~');
  carets[0] = '^';
  return fmt::format("{:>5} | {}{}{}\n      | {}{}\n", span.line, before_window, text,
                     window.size() < line.size() ? "..." : "", std::string(blanks, ' '), carets);
}

// Messages quote words of files, and a file's name may be a stranger's too.
std::string render_at(const SourceSpan& span, std::string_view grade, std::string_view message) {
  const std::string said = printable(message);
  if (!span.source) return fmt::format("{}{}\n", grade, said);
  const std::string name = printable(span.source->name);
  if (span.line <= 0) return fmt::format("{}: {}{}\n", name, grade, said);
  return fmt::format("{}:{}:{}: {}{}\n{}", name, span.line, span.column, grade, said,
                     excerpt(span));
}

}  // namespace

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

std::string render(const Diagnostic& diagnostic) {
  const bool warning = diagnostic.severity == Severity::Warning;
  return render_at(diagnostic.span, warning ? "warning: " : "", diagnostic.message);
}

std::string render(const Error& error) {
  std::string text = render_at(error.span, "", error.message);
  if (!error.hint.empty()) text += fmt::format("  {}\n", printable(error.hint));
  return text;
}

}  // namespace mishap
