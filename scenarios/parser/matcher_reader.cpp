#include "scenarios/parser/matcher_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mishap/nearest_word.h"
#include "scenarios/parser/map_view.h"

namespace mishap::scenarios {
namespace {

// RFC 9110 section 9.3 and PATCH (RFC 5789).
constexpr std::array<std::string_view, 9> kMethods{"GET",    "HEAD",    "POST",  "PUT",    "PATCH",
                                                   "DELETE", "OPTIONS", "TRACE", "CONNECT"};

bool is_method(std::string_view text) {
  return text == "*" || std::find(kMethods.begin(), kMethods.end(), text) != kMethods.end();
}

bool looks_like_path(std::string_view text) {
  return text.starts_with('/');
}

struct Word {
  std::string text;
  SourceSpan span;
};

std::vector<Word> words_of(const Node& node) {
  std::vector<Word> words;
  const std::string_view text = node.text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    SourceSpan span = node.span;
    // Of a folded text, or one with escapes, only the start is known for sure.
    const bool quotes_only = node.quoted && span.length == static_cast<int>(text.size()) + 2;
    if (!node.quoted || quotes_only) {
      span.column += static_cast<int>(begin) + (quotes_only ? 1 : 0);
      span.length = static_cast<int>(end - begin);
    }
    words.push_back({std::string(text.substr(begin, end - begin)), span});
    at = end;
  }
  return words;
}

void read_method(const Word& word, Matcher& matcher, Problems& problems) {
  if (is_method(word.text)) {
    matcher.method = word.text;
    return;
  }
  std::string upper = word.text;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (is_method(upper)) {
    problems.error(word.span, fmt::format("a method is upper case: {}", upper));
    return;
  }
  const std::vector<std::string> known(kMethods.begin(), kMethods.end());
  problems.error(word.span, unknown_word("method", word.text, known));
}

void read_path(const Word& word, Matcher& matcher, Problems& problems) {
  if (word.text == "*" || check_path(word.text, word.span, problems)) matcher.path = word.text;
}

void read_short_form(const Node& node, Matcher& matcher, Problems& problems) {
  const auto words = words_of(node);
  const auto is_any = [&](std::size_t at) { return words[at].text == "any"; };
  if (words.size() == 1 && is_any(0)) return;
  if (words.size() == 1 && looks_like_path(words[0].text)) {
    read_path(words[0], matcher, problems);
  } else if (words.size() == 2 && is_any(1)) {
    matcher.api = words[0].text;
  } else if (words.size() == 2) {
    read_method(words[0], matcher, problems);
    read_path(words[1], matcher, problems);
  } else if (words.size() == 3) {
    matcher.api = words[0].text;
    read_method(words[1], matcher, problems);
    read_path(words[2], matcher, problems);
  } else {
    problems.error(node.span,
                   "a matcher is a method and a path (POST /v1/bookings), \"any\", or a map");
  }
}

void append_texts(std::string& out, std::string_view what, const std::vector<NameValue>& all) {
  for (const NameValue& one : all) out += fmt::format(" {} {}={}", what, one.name, one.value);
}

// How a matcher that was written as a map reads in the short form.
std::string text_of(const Matcher& matcher) {
  std::string out = matcher.api.empty() ? "" : matcher.api + " ";
  const bool any = matcher.method == "*" && matcher.path == "*";
  out += any ? "any" : fmt::format("{} {}", matcher.method, matcher.path);
  if (matcher.call_class == CallClass::Safe) out += " safe";
  if (matcher.call_class == CallClass::Unsafe) out += " unsafe";
  append_texts(out, "header", matcher.headers);
  append_texts(out, "query", matcher.query);
  append_texts(out, "body", matcher.body);
  return out;
}

Word word_of(const Node& node) {
  return {node.text, node.span};
}

void read_map_form(const Node& node, Matcher& matcher, Problems& problems) {
  const MapView map(node, matcher_keys(), problems);
  map.name("api", matcher.api);
  if (const Node* method = map.find("method"); method != nullptr) {
    if (scalar_text(*method, "method", problems) != nullptr) {
      read_method(word_of(*method), matcher, problems);
    }
  }
  if (const Node* path = map.find("path"); path != nullptr) {
    if (scalar_text(*path, "path", problems) != nullptr) {
      read_path(word_of(*path), matcher, problems);
    }
  }
  std::string call_class;
  map.word("class", call_class);
  if (call_class == "safe") matcher.call_class = CallClass::Safe;
  if (call_class == "unsafe") matcher.call_class = CallClass::Unsafe;
  map.fields("header", matcher.headers);
  map.fields("query", matcher.query);
  map.fields("body", matcher.body);
  matcher.text = text_of(matcher);
}

std::optional<std::string> wrong_segment(std::string_view segment, bool last) {
  if (segment.starts_with('{') && segment.ends_with('}') && segment.size() > 2) {
    return fmt::format("a segment that may be anything is written \":{}\", not \"{}\"",
                       segment.substr(1, segment.size() - 2), segment);
  }
  if (segment.starts_with('$') || segment.find("${") != segment.npos) {
    return std::string("a $name stands for a whole value, not for a part of a path");
  }
  if (segment == ":") return std::string("a segment that may be anything needs a name: \":id\"");
  if (segment == "*" && last) return std::nullopt;
  if (segment.find('*') != segment.npos) {
    return std::string("\"*\" stands for the rest of a path, as its last segment: /v1/*");
  }
  if (segment.find('?') != segment.npos) {
    return std::string("a path has no query: use a map with path and query");
  }
  return std::nullopt;
}

}  // namespace

bool check_path(const std::string& path, const SourceSpan& span, Problems& problems) {
  if (!looks_like_path(path)) {
    problems.error(span, fmt::format("a path begins with \"/\": /{}", path.substr(0, 60)));
    return false;
  }
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = std::string_view(path).substr(begin, end - begin);
    if (auto wrong = wrong_segment(segment, end == path.size())) {
      SourceSpan place = span;
      if (span.length == static_cast<int>(path.size())) {
        place.column += static_cast<int>(begin);
        place.length = std::max(1, static_cast<int>(segment.size()));
      }
      problems.error(place, std::move(*wrong));
      return false;
    }
    begin = end + 1;
  }
  return true;
}

Matcher any_request(const SourceSpan& span) {
  Matcher matcher;
  matcher.text = "any";
  matcher.span = span;
  return matcher;
}

Matcher read_matcher(const Node& node, Problems& problems) {
  Matcher matcher = any_request(node.span);
  if (node.is_map()) {
    read_map_form(node, matcher, problems);
  } else if (const auto* text = scalar_text(node, "on", problems)) {
    matcher.text = *text;
    read_short_form(node, matcher, problems);
  }
  return matcher;
}

}  // namespace mishap::scenarios
