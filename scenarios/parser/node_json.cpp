#include <fmt/format.h>

#include "mishap/node.h"

// Written by hand because numbers have to keep their digits: `amount: 10.00` is 10.00 on the wire,
// which no JSON library's number keeps.
namespace mishap {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// RFC 8259 section 6; "012" and "1." are texts.
bool is_json_number(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - begin;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const std::size_t first = at;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (byte < 0x20) {
          out += fmt::format("\\u{:04x}", byte);
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::string scalar(const Node& node) {
  if (node.quoted) return quoted(node.text);
  // The YAML 1.2 core schema's spellings.
  for (const std::string_view word : {"true", "True", "TRUE"}) {
    if (node.text == word) return "true";
  }
  for (const std::string_view word : {"false", "False", "FALSE"}) {
    if (node.text == word) return "false";
  }
  return is_json_number(node.text) ? node.text : quoted(node.text);
}

void append(std::string& out, const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null:
      out += "null";
      return;
    case Node::Kind::Scalar:
      out += scalar(node);
      return;
    case Node::Kind::List: {
      out += '[';
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        if (i != 0) out += ',';
        append(out, node.items[i]);
      }
      out += ']';
      return;
    }
    case Node::Kind::Map: {
      out += '{';
      for (std::size_t i = 0; i < node.members.size(); ++i) {
        if (i != 0) out += ',';
        out += quoted(node.members[i].first.text) + ':';
        append(out, node.members[i].second);
      }
      out += '}';
      return;
    }
  }
}

}  // namespace

std::string to_json(const Node& node) {
  std::string out;
  append(out, node);
  return out;
}

}  // namespace mishap
