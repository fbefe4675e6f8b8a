#include "scenarios/parser/quick_fault.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/parser/rule_reader.h"
#include "scenarios/parser/source_file.h"
#include "scenarios/parser/tables.h"
#include "scenarios/parser/text_check.h"
#include "scenarios/parser/yaml_reader.h"

namespace mishap::scenarios {
namespace {

struct Token {
  std::string text;  // quotes taken off
  std::size_t at = 0;
  std::size_t length = 0;
  std::size_t equals = std::string::npos;  // in `text`
  bool quoted = false;                     // the value is
};

Token token_at(std::string_view line, std::size_t begin) {
  Token token;
  token.at = begin;
  std::size_t at = begin;
  char quote = 0;
  int brackets = 0;  // of a list or map as the value: blanks inside do not end the token
  for (; at < line.size(); ++at) {
    const char c = line[at];
    const bool has_value = token.equals != std::string::npos;
    const bool value_begins = has_value && token.text.size() == token.equals + 1;
    const bool is_quote = c == '"' || c == '\'';
    if (quote != 0 && c == quote) {
      quote = 0;
      if (brackets != 0) token.text += c;
    } else if (quote == 0 && is_quote && (value_begins || brackets != 0)) {
      quote = c;
      token.quoted = brackets == 0;
      if (brackets != 0) token.text += c;
    } else if (quote == 0 && brackets == 0 && c == ' ') {
      break;
    } else {
      const bool opens = quote == 0 && (c == '{' || c == '[');
      if (opens && (value_begins || brackets != 0)) ++brackets;
      if (quote == 0 && brackets != 0 && (c == '}' || c == ']')) --brackets;
      if (c == '=' && !has_value) token.equals = token.text.size();
      token.text += c;
    }
  }
  token.length = at - begin;
  return token;
}

std::vector<Token> tokens_of(std::string_view line) {
  std::vector<Token> tokens;
  for (std::size_t at = line.find_first_not_of(' '); at < line.size();
       at = line.find_first_not_of(' ', at)) {
    tokens.push_back(token_at(line, at));
    at += tokens.back().length;
  }
  return tokens;
}

class QuickFault {
 public:
  QuickFault(Source source, Problems& problems) : source_(std::move(source)), problems_(problems) {}

  std::optional<FaultRule> read() {
    const auto tokens = tokens_of(source_->text);
    const auto first_setting = std::find_if(tokens.begin(), tokens.end(), is_setting);
    const auto words = static_cast<std::size_t>(first_setting - tokens.begin());
    // The fault is the last word before the settings; what stands before it says which requests.
    if (words < 2) {
      problems_.error(span_at(source_, 0, source_->text.size()),
                      "a fault is written as: METHOD PATH FAULT name=value ..., or: any FAULT ...");
      return std::nullopt;
    }
    const Token& last_of_matcher = tokens[words - 2];
    const std::size_t end = last_of_matcher.at + last_of_matcher.length;
    const std::size_t begin = tokens[0].at;
    Node rule = map_at(begin);
    put(rule, "on", scalar(source_->text.substr(begin, end - begin), begin, false));
    Node fault = map_at(tokens[words - 1].at);
    put(fault, "kind", scalar(tokens[words - 1].text, tokens[words - 1].at, false));
    Node when = map_at(begin);
    for (std::size_t i = words; i < tokens.size(); ++i) {
      if (!setting(tokens[i], rule, when, fault)) return std::nullopt;
    }
    if (!when.members.empty()) put(rule, "when", std::move(when));
    put(rule, "fault", std::move(fault));
    return read_rule(rule, problems_);
  }

 private:
  static bool is_setting(const Token& token) { return token.equals != std::string::npos; }

  bool setting(const Token& token, Node& rule, Node& when, Node& fault) {
    if (!is_setting(token) || token.equals == 0) {
      problems_.error(span_at(source_, token.at, token.length),
                      fmt::format("\"{}\" is not name=value", token.text.substr(0, 60)));
      return false;
    }
    const std::string name = token.text.substr(0, token.equals);
    auto value = value_of(token);
    if (!value) return false;
    Node& target = is_when(name) ? when : name == "at" || name == "name" ? rule : fault;
    if (target.find(name) != nullptr || name == "kind") {
      problems_.error(span_at(source_, token.at, token.length),
                      fmt::format("\"{}\" was given before", name));
      return false;
    }
    put(target, name, std::move(*value), token.at);
    return true;
  }

  static bool is_when(const std::string& name) {
    const auto names = key_names(when_keys());
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // Lists and maps are YAML; everything else is taken as it stands.
  std::optional<Node> value_of(const Token& token) {
    std::string text = token.text.substr(token.equals + 1);
    const std::size_t at = token.at + token.equals + 1;
    const bool is_tree = text.starts_with('{') || text.starts_with('[');
    if (!is_tree) return scalar(std::move(text), at, token.quoted);
    return read_yaml(make_source("--fault " + token.text.substr(0, token.equals), std::move(text)),
                     problems_);
  }

  Node scalar(std::string text, std::size_t at, bool quoted) {
    Node node;
    node.kind = Node::Kind::Scalar;
    node.span = span_at(source_, at, text.size());
    node.text = std::move(text);
    node.quoted = quoted;
    return node;
  }

  Node map_at(std::size_t at) {
    Node node;
    node.kind = Node::Kind::Map;
    node.span = span_at(source_, at);
    return node;
  }

  void put(Node& map, std::string key, Node value, std::optional<std::size_t> at = {}) {
    Node name = scalar(std::move(key), at.value_or(0), false);
    if (!at) name.span = value.span;
    map.members.emplace_back(std::move(name), std::move(value));
  }

  Source source_;
  Problems& problems_;
};

}  // namespace

std::optional<FaultRule> read_quick_fault(const std::string& text, Problems& problems) {
  const Source source = make_source("--fault", text);
  if (!check_text(source, problems)) return std::nullopt;
  return QuickFault(source, problems).read();
}

}  // namespace mishap::scenarios
