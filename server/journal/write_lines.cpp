// The writing half of JSON Lines (json_lines.cpp tells the format). Text is appended as it goes: a
// journal that leaves memory while requests come is written in their time, and to build a document
// for each record first takes ten times as long.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <iterator>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "mishap/journal.h"
#include "mishap/json_string.h"
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

void append_hex(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned char>(c));
  }
}

// The members of one map, behind its brace.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  template <std::size_t N, typename T>
  void operator()(const char (&name)[N], const T& value) {
    if (is_left_out(value)) return;
    key(name);
    put(value);
  }

 private:
  static bool is_left_out(const std::string& text) { return text.empty(); }
  template <typename T>
  static bool is_left_out(const std::vector<T>& values) {
    return values.empty();
  }
  template <typename T>
  static bool is_left_out(const std::optional<T>& value) {
    return !value;
  }
  template <typename T>
  static bool is_left_out(const T&) {
    return false;
  }

  template <std::size_t N>
  void key(const char (&name)[N]) {
    std::array<char, N + 4> text;
    char* end = text.data();
    if (!std::exchange(is_first_, false)) *end++ = ',';
    *end++ = '"';
    end = std::copy_n(name, N - 1, end);
    *end++ = '"';
    *end++ = ':';
    out_.append(text.data(), end);
  }

  void put(const std::string& text) {
    if (is_utf8(text)) return append_json_string(out_, text);
    out_ += R"({"hex":")";
    append_hex(out_, text);
    out_ += R"("})";
  }
  void put(bool value) { out_ += value ? "true" : "false"; }
  void put(std::integral auto value) { put_digits(value); }
  void put(double value) {
    if (!std::isfinite(value)) {
      out_ += "null";
      return;
    }
    const std::size_t before = out_.size();
    put_digits(value);
    // Also a whole one is to be read as what it is.
    if (out_.find_first_of(".e", before) == std::string::npos) out_ += ".0";
  }
  void put(Duration value) { put_digits(value.count()); }
  void put(Word auto value) { append_json_string(out_, to_string(value)); }
  template <typename T>
  void put(const std::optional<T>& value) {
    put(*value);
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    char before = '[';
    for (const T& value : values) {
      out_ += std::exchange(before, ',');
      put(value);
    }
    out_ += ']';
  }
  template <Record R>
  void put(const R& record) {
    out_ += '{';
    Writer inner(out_);
    // The list of fields serves reading as well and so wants what can be changed; nothing is.
    visit_fields(inner, const_cast<R&>(record));
    out_ += '}';
  }

  void put_digits(auto number) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out_.append(digits.data(), end);
  }

  std::string& out_;
  bool is_first_ = true;
};

template <Record R>
void append_record(std::string& text, const std::string& kind, const R& record) {
  text += '{';
  Writer writer(text);
  writer("kind", kind);
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
