// The journal as JSON Lines: first {"kind":"journal"} with what belongs to none, then one record a
// line. Times are whole nanoseconds since the run began. A text that is not UTF-8 (a client may
// send any bytes) is written as {"hex":"..."}. Empty texts, empty lists and absent times are left
// out; unknown members are ignored, so that a newer writer's journal can still be read.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <limits>

#include "mishap/journal.h"
#include "server/journal/names.h"
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

template <typename T>
concept Record = requires(T& record) {
  visit_fields([](const char*, auto&) {}, record);
};

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

// Thrown within this file only.
struct Unreadable {
  std::string message;
};

struct Reader {
  const Json& in;

  template <typename T>
  void operator()(const char* name, T& value) {
    const auto found = in.find(name);
    if (found == in.end()) return;
    get(name, *found, value);
  }

  [[noreturn]] static void refuse(const char* name, std::string_view expected) {
    throw Unreadable{fmt::format("\"{}\" should be {}", name, expected)};
  }

  static unsigned nibble(const char* name, char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10U;
    refuse(name, "hexadecimal");
  }

  static void get(const char* name, const Json& json, std::string& text) {
    if (json.is_string()) {
      text = json.get<std::string>();
      return;
    }
    if (!json.is_object() || !json.contains("hex") || !json["hex"].is_string()) {
      refuse(name, "a text");
    }
    const std::string hex = json["hex"].get<std::string>();
    if (hex.size() % 2 != 0) refuse(name, "hexadecimal");
    text.clear();
    for (std::size_t i = 0; i < hex.size(); i += 2) {
      text += static_cast<char>(nibble(name, hex[i]) * 16U + nibble(name, hex[i + 1]));
    }
  }
  static void get(const char* name, const Json& json, bool& value) {
    if (!json.is_boolean()) refuse(name, "true or false");
    value = json.get<bool>();
  }
  static void get(const char* name, const Json& json, double& value) {
    if (!json.is_number()) refuse(name, "a number");
    value = json.get<double>();
  }
  static void get(const char* name, const Json& json, std::uint64_t& value) {
    if (!json.is_number_unsigned()) refuse(name, "a whole number from 0");
    value = json.get<std::uint64_t>();
  }
  static void get(const char* name, const Json& json, int& value) {
    value = static_cast<int>(
        whole(name, json, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  }
  static void get(const char* name, const Json& json, Port& value) {
    value = static_cast<Port>(whole(name, json, 0, std::numeric_limits<Port>::max()));
  }
  static void get(const char* name, const Json& json, Duration& value) {
    value = Duration(whole(name, json, std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max()));
  }
  template <typename T>
  static void get(const char* name, const Json& json, std::optional<T>& value) {
    get(name, json, value.emplace());
  }
  static std::int64_t whole(const char* name, const Json& json, std::int64_t least,
                            std::int64_t most) {
    if (!json.is_number_integer()) refuse(name, "a whole number");
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
      refuse(name, "a smaller number");
    }
    const auto value = json.get<std::int64_t>();
    if (value < least || value > most) refuse(name, "within its range");
    return value;
  }

  template <typename Enum>
  static void get_named(const char* name, const Json& json, Enum& value,
                        std::optional<Enum> (*named)(std::string_view)) {
    const auto found =
        json.is_string() ? named(json.get_ref<const std::string&>()) : std::optional<Enum>{};
    if (!found) refuse(name, "one of the known words");
    value = *found;
  }
  static void get(const char* n, const Json& j, Role& v) { get_named(n, j, v, &role_named); }
  static void get(const char* n, const Json& j, IdentifiedBy& v) {
    get_named(n, j, v, &identified_by_named);
  }
  static void get(const char* n, const Json& j, Delivery& v) {
    get_named(n, j, v, &delivery_named);
  }
  static void get(const char* n, const Json& j, Ending& v) { get_named(n, j, v, &ending_named); }
  static void get(const char* n, const Json& j, Departure& v) {
    get_named(n, j, v, &departure_named);
  }
  static void get(const char* n, const Json& j, EffectKind& v) {
    get_named(n, j, v, &effect_kind_named);
  }

  template <typename T>
  static void get(const char* name, const Json& json, std::vector<T>& values) {
    if (!json.is_array()) refuse(name, "a list");
    values.clear();
    for (const Json& item : json) get(name, item, values.emplace_back());
  }
  template <Record R>
  static void get(const char* name, const Json& json, R& record) {
    if (!json.is_object()) refuse(name, "a map");
    visit_fields(Reader{json}, record);
  }
};

template <Record R>
void append_line(std::string& text, std::string_view kind, R& record) {
  Json json = {{"kind", kind}};
  visit_fields(Writer{json}, record);
  text += json.dump();
  text += '\n';
}

template <Record R>
void read_record(const Json& json, std::vector<R>& records) {
  visit_fields(Reader{json}, records.emplace_back());
}

void read_line(std::string_view line, Journal& journal) {
  // Copied and freed by recursion, so bounded while it is read; a record of ours has four levels.
  constexpr int kDeepest = 32;
  const auto not_too_deep = [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; };
  const Json json = Json::parse(line, not_too_deep, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) throw Unreadable{"not a JSON map"};
  std::string kind;
  Reader{json}("kind", kind);
  if (kind == "connection") return read_record(json, journal.connections);
  if (kind == "listener") return read_record(json, journal.spells);
  if (kind == "turned_away") return read_record(json, journal.turned_away);
  if (kind == "exchange") return read_record(json, journal.exchanges);
  if (kind == "effect") return read_record(json, journal.effects);
  if (kind == "journal") return Reader{json}("lost", journal.lost);
  throw Unreadable{fmt::format("unknown kind \"{}\"", kind)};
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

tl::expected<Journal, Error> parse_json_lines(std::string_view text) {
  Journal journal;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t newline = text.find('\n');
    const std::string_view content = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (content.empty()) continue;
    try {
      read_line(content, journal);
    } catch (const Unreadable& unreadable) {
      return tl::unexpected(Error{ErrorCode::BadInput,
                                  fmt::format("journal, line {}: {}", line, unreadable.message),
                                  {},
                                  {}});
    }
  }
  return journal;
}

}  // namespace mishap::server
