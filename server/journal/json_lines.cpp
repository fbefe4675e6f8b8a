// The journal as JSON Lines: first {"kind":"journal"} with what belongs to none, then one record a
// line. Times are whole nanoseconds since the run began. A text that is not UTF-8 (a client may
// send any bytes) is written as {"hex":"..."}. Empty texts, empty lists and absent times are left
// out. Read again by journal_reader.cpp.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <cstddef>

#include "mishap/journal.h"
#include "server/journal/record_fields.h"

namespace mishap::server {
namespace {

using Json = nlohmann::ordered_json;

// Length of the UTF-8 sequence at `at`, 0 where there is none (RFC 3629 section 4).
std::size_t sequence_length(std::string_view s, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < s.size() ? static_cast<unsigned char>(s[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool too_high = first == 0xF4 && byte(1) >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !too_high ? 4 : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

struct Writer {
  Json& out;

  template <typename T>
  void operator()(const char* name, T& value) {
    put(name, value);
  }

  void put(const char* name, const std::string& text) {
    if (text.empty()) return;
    if (is_utf8(text)) {
      out[name] = text;
    } else {
      out[name] = Json{{"hex", to_hex(text)}};
    }
  }
  void put(const char* name, bool value) { out[name] = value; }
  void put(const char* name, double value) { out[name] = value; }
  void put(const char* name, int value) { out[name] = value; }
  void put(const char* name, Port value) { out[name] = value; }
  void put(const char* name, std::uint64_t value) { out[name] = value; }
  void put(const char* name, Duration value) { out[name] = value.count(); }
  template <typename T>
  void put(const char* name, const std::optional<T>& value) {
    if (value) put(name, *value);
  }
  template <Record R>
  void put(const char* name, const std::optional<R>& record) {
    if (!record) return;
    R copy = *record;  // the list of fields serves reading as well
    put(name, copy);
  }
  void put(const char* name, Role value) { out[name] = to_string(value); }
  void put(const char* name, IdentifiedBy value) { out[name] = to_string(value); }
  void put(const char* name, Delivery value) { out[name] = to_string(value); }
  void put(const char* name, Ending value) { out[name] = to_string(value); }
  void put(const char* name, Departure value) { out[name] = to_string(value); }
  void put(const char* name, EffectKind value) { out[name] = to_string(value); }
  void put(const char* name, const std::vector<std::uint64_t>& values) {
    if (!values.empty()) out[name] = values;
  }
  template <Record R>
  void put(const char* name, std::vector<R>& records) {
    if (records.empty()) return;
    Json& list = out[name] = Json::array();
    for (R& record : records) list.push_back(written(record));
  }
  template <Record R>
  void put(const char* name, R& record) {
    out[name] = written(record);
  }

  template <Record R>
  static Json written(R& record) {
    Json json = Json::object();
    visit_fields(Writer{json}, record);
    return json;
  }
};

template <Record R>
void append_line(std::string& text, std::string_view kind, R& record) {
  Json json = {{"kind", kind}};
  visit_fields(Writer{json}, record);
  text += json.dump();
  text += '\n';
}

}  // namespace

std::string to_json_lines(const Journal& journal) {
  std::string text = Json{{"kind", "journal"}, {"lost", journal.lost}}.dump() + "\n";
  // One record at a time is copied, since the list of fields serves reading as well.
  for (Connection connection : journal.connections) append_line(text, "connection", connection);
  for (ListenerSpell spell : journal.spells) append_line(text, "listener", spell);
  for (TurnedAway one : journal.turned_away) append_line(text, "turned_away", one);
  for (Exchange exchange : journal.exchanges) append_line(text, "exchange", exchange);
  for (Effect effect : journal.effects) append_line(text, "effect", effect);
  return text;
}

}  // namespace mishap::server
