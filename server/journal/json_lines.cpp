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

template <typename T>
concept Record = requires(T& record) {
  visit_fields([](const char*, auto&) {}, record);
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
  template <typename T>
  static void get(const char* name, const Json& json, Boxed<T>& value) {
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

void read_record(const Json& json, auto& records) {
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
