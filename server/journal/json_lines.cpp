// The journal as JSON Lines: first {"kind":"journal"} with what belongs to none, then one record a
// line. Times are whole nanoseconds since the run began. A text that is not UTF-8 (a client may
// send any bytes) is written as {"hex":"..."}. Empty texts, empty lists and absent times are left
// out. Read again by journal_reader.cpp. Text is appended as it goes: a journal that leaves memory
// while requests come is written in their time, and to build a document for each record first takes
// ten times as long.
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
concept Word = std::is_enum_v<T>;

void append_hex(LineBuffer& out, std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  char* at = out.room(2 * bytes.size());
  for (const char c : bytes) {
    *at++ = kDigits[static_cast<unsigned char>(c) >> 4];
    *at++ = kDigits[static_cast<unsigned char>(c) & 0x0f];
  }
  out.commit(at);
}

void append_json_string(LineBuffer& out, std::string_view text) {
  out.commit(write_json_string(out.room(json_string_room(text.size())), text));
}

// The members of one map, behind its brace.
class Writer {
 public:
  explicit Writer(LineBuffer& out) : out_(out) {}

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
  static bool is_left_out(const Boxed<T>& value) {
    return !value;
  }
  template <typename T>
  static bool is_left_out(const T&) {
    return false;
  }

  template <std::size_t N>
  void key(const char (&name)[N]) {
    char* end = out_.room(N + 4);
    if (!std::exchange(is_first_, false)) *end++ = ',';
    *end++ = '"';
    end = std::copy_n(name, N - 1, end);
    *end++ = '"';
    *end++ = ':';
    out_.commit(end);
  }

  void put(const std::string& text) {
    if (is_utf8(text)) return append_json_string(out_, text);
    out_.append(R"({"hex":")");
    append_hex(out_, text);
    out_.append(R"("})");
  }
  void put(bool value) { out_.append(value ? "true" : "false"); }
  void put(std::integral auto value) { put_digits(value); }
  void put(double value) {
    if (!std::isfinite(value)) return out_.append("null");
    const std::size_t before = out_.text().size();
    put_digits(value);
    // Also a whole one is to be read as what it is.
    if (out_.text().find_first_of(".e", before) == std::string::npos) out_.append(".0");
  }
  void put(Duration value) { put_digits(value.count()); }
  void put(Word auto value) { append_json_string(out_, to_string(value)); }
  template <typename T>
  void put(const std::optional<T>& value) {
    put(*value);
  }
  template <typename T>
  void put(const Boxed<T>& value) {
    put(*value);
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    std::string_view before = "[";
    for (const T& value : values) {
      out_.append(std::exchange(before, ","));
      put(value);
    }
    out_.append("]");
  }
  template <Record R>
  void put(const R& record) {
    out_.append("{");
    Writer inner(out_);
    // The list of fields serves reading as well and so wants what can be changed; nothing is.
    visit_fields(inner, const_cast<R&>(record));
    out_.append("}");
  }

  void put_digits(auto number) {
    constexpr std::size_t kMost = 32;
    char* const digits = out_.room(kMost);
    out_.commit(std::to_chars(digits, digits + kMost, number).ptr);
  }

  LineBuffer& out_;
  bool is_first_ = true;
};

template <Record R>
void append_record(LineBuffer& text, const std::string& kind, const R& record) {
  text.append("{");
  Writer writer(text);
  writer("kind", kind);
  visit_fields(writer, const_cast<R&>(record));
  text.append("}\n");
}

}  // namespace

void append_line(LineBuffer& text, const Connection& record) {
  append_record(text, "connection", record);
}
void append_line(LineBuffer& text, const ListenerSpell& record) {
  append_record(text, "listener", record);
}
void append_line(LineBuffer& text, const TurnedAway& record) {
  append_record(text, "turned_away", record);
}
void append_line(LineBuffer& text, const Exchange& record) {
  append_record(text, "exchange", record);
}
void append_line(LineBuffer& text, const Effect& record) {
  append_record(text, "effect", record);
}

std::string to_json_lines(const Journal& journal) {
  std::string text = fmt::format("{{\"kind\":\"journal\",\"lost\":{}}}\n", journal.lost);
  LineBuffer line;
  const auto append_all = [&](const auto& records) {
    for (const auto& record : records) {
      line.clear();
      append_line(line, record);
      text += line.text();
    }
  };
  append_all(journal.connections);
  append_all(journal.spells);
  append_all(journal.turned_away);
  append_all(journal.exchanges);
  append_all(journal.effects);
  return text;
}

}  // namespace mishap::server
