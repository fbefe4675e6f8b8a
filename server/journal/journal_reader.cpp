// The other way of json_lines.cpp. Unknown members are ignored, so that a newer writer's journal
// can still be read. simdjson, since a journal may have a million lines; its whole documents, since
// they hold all of a line to JSON, and choose the instructions of the machine when they run.
#include "mishap/journal_reader.h"

#include <simdjson.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <future>
#include <iterator>
#include <limits>
#include <string>

#include "server/journal/names.h"
#include "server/journal/record_fields.h"

namespace mishap::server {
namespace {

using Json = simdjson::dom::element;
using simdjson::dom::element_type;

// Thrown within this file only.
struct Unreadable {
  std::string message;
};

[[noreturn]] void refuse(const char* name, std::string_view expected) {
  throw Unreadable{fmt::format("\"{}\" should be {}", name, expected)};
}

constexpr std::size_t kMostFields = 32;

// The names of a record's members, in the order in which they are visited.
template <Record R>
const std::vector<std::string_view>& field_names() {
  static const auto kNames = [] {
    std::vector<std::string_view> names;
    R record{};
    visit_fields([&](const char* name, auto&) { names.emplace_back(name); }, record);
    return names;
  }();
  return kNames;
}

unsigned nibble(const char* name, char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10U;
  refuse(name, "hexadecimal");
}

void get(const char* name, const Json& json, std::string& text) {
  if (json.is_string()) {
    text = std::string_view(json);
    return;
  }
  std::string_view hex;
  if (!json.is_object() || json["hex"].get(hex) != simdjson::SUCCESS) refuse(name, "a text");
  if (hex.size() % 2 != 0) refuse(name, "hexadecimal");
  text.clear();
  text.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    text += static_cast<char>(nibble(name, hex[i]) * 16U + nibble(name, hex[i + 1]));
  }
}

void get(const char* name, const Json& json, bool& value) {
  if (!json.is_bool()) refuse(name, "true or false");
  value = bool(json);
}

void get(const char* name, const Json& json, double& value) {
  if (!json.is_number()) refuse(name, "a number");
  value = double(json);
}

void get(const char* name, const Json& json, std::uint64_t& value) {
  if (json.get(value) != simdjson::SUCCESS) refuse(name, "a whole number from 0");
}

std::int64_t whole(const char* name, const Json& json, std::int64_t least, std::int64_t most) {
  if (json.type() == element_type::UINT64) refuse(name, "a smaller number");
  std::int64_t value = 0;
  if (json.type() != element_type::INT64 || json.get(value) != simdjson::SUCCESS) {
    refuse(name, "a whole number");
  }
  if (value > most) refuse(name, "a smaller number");
  if (value < least) refuse(name, "within its range");
  return value;
}

void get(const char* name, const Json& json, int& value) {
  value = static_cast<int>(
      whole(name, json, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

void get(const char* name, const Json& json, Port& value) {
  value = static_cast<Port>(whole(name, json, 0, std::numeric_limits<Port>::max()));
}

void get(const char* name, const Json& json, Duration& value) {
  value = Duration(whole(name, json, std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::int64_t>::max()));
}

template <typename Enum>
void get_named(const char* name, const Json& json, Enum& value,
               std::optional<Enum> (*named)(std::string_view)) {
  const auto found = json.is_string() ? named(std::string_view(json)) : std::optional<Enum>{};
  if (!found) refuse(name, "one of the known words");
  value = *found;
}

void get(const char* n, const Json& j, Role& v) {
  get_named(n, j, v, &role_named);
}
void get(const char* n, const Json& j, IdentifiedBy& v) {
  get_named(n, j, v, &identified_by_named);
}
void get(const char* n, const Json& j, Delivery& v) {
  get_named(n, j, v, &delivery_named);
}
void get(const char* n, const Json& j, Ending& v) {
  get_named(n, j, v, &ending_named);
}
void get(const char* n, const Json& j, Departure& v) {
  get_named(n, j, v, &departure_named);
}
void get(const char* n, const Json& j, EffectKind& v) {
  get_named(n, j, v, &effect_kind_named);
}

template <Record R>
void get(const char* name, const Json& json, R& record);

template <typename T>
void get(const char* name, const Json& json, std::optional<T>& value) {
  get(name, json, value.emplace());
}

template <typename T>
void get(const char* name, const Json& json, Boxed<T>& value) {
  get(name, json, value.emplace());
}

template <typename T>
void get(const char* name, const Json& json, std::vector<T>& values) {
  simdjson::dom::array list;
  if (json.get(list) != simdjson::SUCCESS) refuse(name, "a list");
  values.clear();
  values.reserve(list.size());
  for (const Json item : list) get(name, item, values.emplace_back());
}

// The members of a map by their places among the names that are known. A writer has them in that
// order, so that each is found at once; of two of one name the last counts.
class Members {
 public:
  Members(const simdjson::dom::object& map, const std::vector<std::string_view>& names) {
    std::size_t expected = 0;
    for (const auto& [name, value] : map) {
      const std::size_t place = place_of(name, names, expected);
      if (place == names.size()) continue;
      values_[place] = value;
      is_there_[place] = true;
      expected = place + 1;
    }
  }

  // The next in the order of the names.
  template <typename T>
  void operator()(const char* name, T& value) {
    const std::size_t place = next_++;
    if (is_there_[place]) get(name, values_[place], value);
  }

 private:
  static std::size_t place_of(std::string_view name, const std::vector<std::string_view>& names,
                              std::size_t expected) {
    const auto begin = names.begin() + static_cast<std::ptrdiff_t>(expected);
    auto found = std::find(begin, names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    found = std::find(names.begin(), begin, name);
    return found == begin ? names.size() : static_cast<std::size_t>(found - names.begin());
  }

  std::array<Json, kMostFields> values_;
  std::array<bool, kMostFields> is_there_{};
  std::size_t next_ = 0;
};

template <Record R>
void read_record(const simdjson::dom::object& map, R& record) {
  const auto& names = field_names<R>();
  if (names.size() > kMostFields) throw Unreadable{"a record with too many members"};
  Members members(map, names);
  visit_fields(members, record);
}

template <Record R>
void get(const char* name, const Json& json, R& record) {
  simdjson::dom::object map;
  if (json.get(map) != simdjson::SUCCESS) refuse(name, "a map");
  read_record(map, record);
}

std::optional<Json> last_member(const simdjson::dom::object& map, std::string_view name) {
  std::optional<Json> last;
  for (const auto& [key, value] : map) {
    if (key == name) last = value;
  }
  return last;
}

}  // namespace

// What some lines hold.
struct JournalReader::Piece {
  Journal journal;
  std::optional<std::uint64_t> lost;
  std::size_t exchange_bytes = 0;
  std::size_t effect_bytes = 0;
  int lines = 0;      // read, the one that is wrong included
  std::string wrong;  // empty: all could be read

  void read(simdjson::dom::parser& parser, std::string_view line, bool is_padded);

 private:
  void take(const simdjson::dom::object& map, std::size_t bytes);
};

void JournalReader::Piece::read(simdjson::dom::parser& parser, std::string_view line,
                                bool is_padded) {
  ++lines;
  if (line.empty()) return;
  simdjson::dom::object map;
  if (parser.parse(line.data(), line.size(), !is_padded).get(map) != simdjson::SUCCESS) {
    wrong = "not a JSON map";
    return;
  }
  try {
    take(map, line.size());
  } catch (const Unreadable& unreadable) {
    wrong = unreadable.message;
  }
}

void JournalReader::Piece::take(const simdjson::dom::object& map, std::size_t bytes) {
  std::string kind;
  if (const auto member = last_member(map, "kind")) get("kind", *member, kind);
  if (kind == "exchange") {
    exchange_bytes += bytes;
    return read_record(map, journal.exchanges.emplace_back());
  }
  if (kind == "effect") {
    effect_bytes += bytes;
    return read_record(map, journal.effects.emplace_back());
  }
  if (kind == "connection") return read_record(map, journal.connections.emplace_back());
  if (kind == "listener") return read_record(map, journal.spells.emplace_back());
  if (kind == "turned_away") return read_record(map, journal.turned_away.emplace_back());
  if (kind != "journal") throw Unreadable{fmt::format("unknown kind \"{}\"", kind)};
  if (const auto member = last_member(map, "lost")) get("lost", *member, lost.emplace());
}

// `readable`: these lines and what stands behind them, where the parser may look without harm.
JournalReader::Piece JournalReader::read(std::string_view lines, std::string_view readable) {
  Piece piece;
  simdjson::dom::parser parser;
  while (!lines.empty() && piece.wrong.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    const auto behind = readable.data() + readable.size() - (line.data() + line.size());
    piece.read(parser, line, static_cast<std::size_t>(behind) >= simdjson::SIMDJSON_PADDING);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return piece;
}

// Room for as many as are to be expected of this kind, so that a large list is never copied. What
// is too much costs nothing: it is not touched.
template <typename Records>
void JournalReader::append(Records& all, Records& some, std::size_t bytes) {
  if constexpr (requires { all.reserve(0); }) {
    if (all.capacity() < all.size() + some.size() && bytes != 0) {
      const std::size_t expected = some.size() * (left_ / bytes + 1) / 10 * 11;
      const std::size_t most = 2 * left_ / sizeof(typename Records::value_type);
      all.reserve(all.size() + std::max(some.size(), std::min(expected, most)));
    }
  }
  all.insert(all.end(), std::move_iterator(some.begin()), std::move_iterator(some.end()));
}

tl::expected<void, Error> JournalReader::append(Piece piece) {
  lines_ += piece.lines;
  if (!piece.wrong.empty()) {
    return tl::unexpected(Error{
        ErrorCode::BadInput, fmt::format("journal, line {}: {}", lines_, piece.wrong), {}, {}});
  }
  append(journal_.connections, piece.journal.connections, 0);
  append(journal_.spells, piece.journal.spells, 0);
  append(journal_.turned_away, piece.journal.turned_away, 0);
  append(journal_.exchanges, piece.journal.exchanges, piece.exchange_bytes);
  append(journal_.effects, piece.journal.effects, piece.effect_bytes);
  if (piece.lost) journal_.lost = *piece.lost;
  return {};
}

tl::expected<void, Error> JournalReader::add(std::string_view lines) {
  // Less is read sooner than another thread begins.
  constexpr std::size_t kWorthAThread = 1024 * 1024;
  std::size_t half = lines.size();
  if (half > kWorthAThread) half = std::min(lines.find('\n', half / 2), half - 1) + 1;
  std::future<Piece> second;
  if (half < lines.size()) {
    second = std::async(std::launch::async, &JournalReader::read, lines.substr(half), lines);
  }
  Piece first = read(lines.substr(0, half), lines);
  left_ = std::max(left_, lines.size());
  auto appended = append(std::move(first));
  if (second.valid()) {
    Piece rest = second.get();
    if (appended) appended = append(std::move(rest));
  }
  left_ -= lines.size();
  return appended;
}

tl::expected<Journal, Error> parse_json_lines(std::string_view text) {
  JournalReader reader(text.size());
  if (auto added = reader.add(text); !added) return tl::unexpected(std::move(added.error()));
  return reader.take();
}

}  // namespace mishap::server
