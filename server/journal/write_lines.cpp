// The writing half of JSON Lines (json_lines.cpp tells the format). Text is appended as it goes: a
// journal that leaves memory while requests come is written in their time, and to build a document
// for each record first takes ten times as long.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <iterator>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "mishap/journal.h"
#include "mishap/utf8.h"
#include "server/journal/json_lines.h"
#include "server/journal/names.h"
#include "server/journal/record_fields.h"

namespace mishap::server {
namespace {

template <typename T>
concept Record = requires(T& record) {
  visit_fields([](const char*, auto&) {}, record);
};

template <typename T>
concept Word = std::is_enum_v<T>;

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
  }
}

// RFC 8259 section 7. `text` is UTF-8.
void append_text(std::string& out, std::string_view text) {
  const auto is_special = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  };
  out += '"';
  while (!text.empty()) {
    const auto special = std::find_if(text.begin(), text.end(), is_special);
    const auto plain = static_cast<std::size_t>(special - text.begin());
    out += text.substr(0, plain);
    if (special == text.end()) break;
    append_escaped(out, *special);
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

void append_hex(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned char>(c));
  }
}

// The members of one map, behind its brace.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  template <typename T>
  void operator()(const char* name, const T& value) {
    put(name, value);
  }

  void put(const char* name, const std::string& text) {
    if (text.empty()) return;
    key(name);
    if (is_utf8(text)) {
      append_text(out_, text);
    } else {
      out_ += R"({"hex":")";
      append_hex(out_, text);
      out_ += R"("})";
    }
  }
  void put(const char* name, bool value) {
    key(name);
    out_ += value ? "true" : "false";
  }
  void put(const char* name, std::integral auto value) {
    key(name);
    append(value);
  }
  void put(const char* name, double value) {
    key(name);
    if (!std::isfinite(value)) {
      out_ += "null";
      return;
    }
    const std::size_t before = out_.size();
    append(value);
    // Also a whole one is to be read as what it is.
    if (out_.find_first_of(".e", before) == std::string::npos) out_ += ".0";
  }
  void put(const char* name, Duration value) { put(name, value.count()); }
  void put(const char* name, Word auto value) {
    key(name);
    append_text(out_, to_string(value));
  }
  template <typename T>
  void put(const char* name, const std::optional<T>& value) {
    if (value) put(name, *value);
  }
  template <typename T>
  void put(const char* name, const std::vector<T>& values) {
    if (values.empty()) return;
    key(name);
    char before = '[';
    for (const T& value : values) {
      out_ += std::exchange(before, ',');
      append(value);
    }
    out_ += ']';
  }
  template <Record R>
  void put(const char* name, const R& record) {
    key(name);
    append(record);
  }

 private:
  void key(const char* name) {
    if (!std::exchange(is_first_, false)) out_ += ',';
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }

  template <typename Number>
    requires std::is_arithmetic_v<Number>
  void append(Number value) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    out_.append(digits, end);
  }
  template <Record R>
  void append(const R& record) {
    out_ += '{';
    Writer inner(out_);
    // The list of fields serves reading as well and so wants what can be changed; nothing is.
    visit_fields(inner, const_cast<R&>(record));
    out_ += '}';
  }

  std::string& out_;
  bool is_first_ = true;
};

template <Record R>
void append_record(std::string& text, const std::string& kind, const R& record) {
  text += '{';
  Writer writer(text);
  writer.put("kind", kind);
  visit_fields(writer, const_cast<R&>(record));
  text += "}\n";
}

}  // namespace

void append_line(std::string& text, const Connection& record) {
  append_record(text, "connection", record);
}
void append_line(std::string& text, const ListenerSpell& record) {
  append_record(text, "listener", record);
}
void append_line(std::string& text, const TurnedAway& record) {
  append_record(text, "turned_away", record);
}
void append_line(std::string& text, const Exchange& record) {
  append_record(text, "exchange", record);
}
void append_line(std::string& text, const Effect& record) {
  append_record(text, "effect", record);
}

std::string to_json_lines(const Journal& journal) {
  std::string text = fmt::format("{{\"kind\":\"journal\",\"lost\":{}}}\n", journal.lost);
  for (const Connection& record : journal.connections) append_line(text, record);
  for (const ListenerSpell& record : journal.spells) append_line(text, record);
  for (const TurnedAway& record : journal.turned_away) append_line(text, record);
  for (const Exchange& record : journal.exchanges) append_line(text, record);
  for (const Effect& record : journal.effects) append_line(text, record);
  return text;
}

}  // namespace mishap::server
