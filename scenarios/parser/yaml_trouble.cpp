#include "scenarios/parser/yaml_trouble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace mishap::scenarios {
namespace {

std::string_view line_of(std::string_view text, int line) {
  std::size_t begin = 0;
  for (int n = 1; n < line; ++n) begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string_view word_at(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end < line.size() &&
         (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) {
    ++end;
  }
  return line.substr(at, end - at);
}

YamlTrouble about(std::size_t at, std::size_t length, std::string message) {
  return {std::move(message), static_cast<int>(at) + 1, static_cast<int>(length)};
}

// "{id}", "${x}", "[*]": other tools' ways to write a placeholder are YAML's own signs.
std::optional<YamlTrouble> placeholder(std::string_view line) {
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] == '{' && (line[at - 1] == '/' || line[at - 1] == '$')) {
      const std::string_view name = word_at(line, at + 1);
      const bool closed = at + 1 + name.size() < line.size() && line[at + 1 + name.size()] == '}';
      if (name.empty() || !closed) continue;
      if (line[at - 1] == '/') {
        return about(
            at, name.size() + 2,
            fmt::format("YAML takes \"{{{}}}\" for a map: write \":{}\" for a segment of a path",
                        name, name));
      }
      return about(at - 1, name.size() + 3,
                   fmt::format("YAML takes \"{{{}}}\" for a map: write \"${}\" for a parameter",
                               name, name));
    }
    if (line.substr(at).starts_with("[*]")) {
      return about(
          at, 3, "YAML takes \"[*]\" for a list with an alias: write \"*\" for the rest of a path");
    }
  }
  return std::nullopt;
}

struct Meaning {
  std::string_view library;  // begins the library's message
  std::string_view ours;
};

constexpr std::array kMeanings{
    Meaning{"end of map flow not found",
            "a \"{\" is not closed, or a comma is missing before this"},
    Meaning{"end of sequence flow not found",
            "a \"[\" is not closed, or a comma is missing before this"},
    Meaning{"end of map not found", "this line does not fit the indentation of the lines above it"},
    Meaning{"end of sequence not found",
            "this line does not fit the list above it: is a dash missing?"},
    Meaning{"illegal map value",
            "a colon that YAML does not expect here: put the text in quotes, or "
            "look at the indentation"},
    Meaning{"illegal map key", "a key that YAML does not expect here: look at the indentation"},
    Meaning{"illegal block entry",
            "a dash that YAML does not expect here: look at the indentation"},
    Meaning{"illegal EOF in scalar", "a quote is opened here or above and never closed"},
    Meaning{"illegal tab", "a tab in the indentation: YAML indents with spaces only"},
    Meaning{"illegal flow end", "a closing bracket without an opening one"},
    Meaning{"unknown token", "YAML keeps this character for itself: put the text in quotes"},
    Meaning{"the referenced anchor is not defined", "no anchor (&name) of this name stands above"},
    Meaning{"alias not found", "YAML takes \"*\" for an alias: write \"*\" in quotes"},
    Meaning{"anchor not found", "YAML takes \"&\" for an anchor: put the text in quotes"},
    Meaning{"unknown escape character",
            "YAML does not know this escape: use single quotes, or \\\\"},
    Meaning{"bad file", "nested too deep"},
};

}  // namespace

YamlTrouble explain_yaml_trouble(const SourceText& source, const SourceSpan& span,
                                 const std::string& library_message) {
  const std::string_view line = line_of(source.text, span.line);
  if (auto trouble = placeholder(line)) return *trouble;
  const auto at = static_cast<std::size_t>(std::max(0, span.column - 1));
  for (const Meaning& meaning : kMeanings) {
    if (library_message.starts_with(meaning.library)) {
      return about(at, 1, std::string(meaning.ours));
    }
  }
  return about(at, 1, fmt::format("this is not YAML: {}", library_message));
}

std::string second_document_message(const SourceText& source, int line) {
  const bool marked = line_of(source.text, line).starts_with("---") ||
                      (line > 1 && line_of(source.text, line - 1).starts_with("..."));
  if (marked) return "a second document begins here: one file holds one scenario";
  // YAML ends a document where a line is less indented than its first one, without a word.
  return "the file's first block has ended before this: does the indentation fit the first line?";
}

}  // namespace mishap::scenarios
