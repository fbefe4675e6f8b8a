#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/node.h"
#include "mishap/units.h"

namespace mishap {

// What a fault, a check or a part of the language takes. One table serves the reader, `explain`,
// the JSON Schema and the tables in the READMEs.
// GCC 12 takes a scoped enumerator that is named like a type for a shadowing.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
enum class ParamType {
  Duration,  // 250ms
  Bytes,     // 37B
  Position,  // a place in a message: 37B, 50%, "header 2", "chunk 1 + 3B"
  Percent,   // 30%
  Integer,
  Number,
  Boolean,
  Status,  // 100..599
  Text,    // any scalar
  Choice,  // one of `choices`
  Fields,  // header fields: a map of name -> text, or of name -> list of texts
  Any,     // anything (a JSON body); the reader keeps the node
};
#pragma GCC diagnostic pop

struct ParamSpec {
  std::string_view name;
  ParamType type = ParamType::Text;
  std::string_view default_text = {};  // as it would be written; empty: no default
  bool required = false;
  std::string_view choices = {};  // Choice: "reset|close|stall"
  std::string_view range = {};    // "min..max" in the written unit, either side may be missing
  std::string_view help = {};
};

// A line or a piece of an answer (RFC 9112 sections 4, 5 and 7.1). A place behind it is behind its
// CRLF.
enum class Landmark {
  Start,       // of the head, or of the body
  StatusLine,  // "status line"
  Header,      // "header 2"
  ChunkSize,   // "chunk size 2": the line with its length
  Chunk,       // "chunk 2": its data
  LastChunk,   // "last chunk"
  Trailer,     // "trailer 1"
};
bool is_of_head(Landmark landmark);  // of the body where it is neither this nor Start

// A place in a head or a body: so many bytes behind a landmark, or a share of the whole.
struct Position {
  std::uint64_t bytes = 0;
  std::optional<double> share{};  // set: the share alone counts
  Landmark landmark = Landmark::Start;
  std::uint64_t ordinal = 0;  // the n-th header, chunk or trailer, from 1
  bool operator==(const Position&) const = default;
};

// "37B", "50%", "status line", "header 2 + 5B"; else what is wrong with it.
tl::expected<Position, std::string> parse_position(std::string_view text);
// The same words.
std::string to_string(const Position& place);

struct NameValue {
  std::string name;
  std::string value;
  bool operator==(const NameValue&) const = default;
};

using ParamValue = std::variant<bool, std::int64_t, double, Duration, Position, std::string,
                                std::vector<NameValue>, Node>;

// Values by name, read and checked. A name that was neither written nor has a default is absent.
// Asking for a name of another type is a bug and asserts.
class Params {
 public:
  bool has(std::string_view name) const;
  Duration duration(std::string_view name) const;
  std::uint64_t bytes(std::string_view name) const;
  Position position(std::string_view name) const;
  double share(std::string_view name) const;  // Percent, 0..1
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& text(std::string_view name) const;  // Text, Choice
  const std::vector<NameValue>& fields(std::string_view name) const;
  const Node& node(std::string_view name) const;

  void set(std::string name, ParamValue value) { values_[std::move(name)] = std::move(value); }

 private:
  template <typename T>
  const T& get(std::string_view name) const;
  std::map<std::string, ParamValue, std::less<>> values_;
};

// Reads the members of `map` (a Map or Null node) by the table. Every unknown name, bad value,
// value out of range and missing required name becomes a diagnostic; `owner` names what is read,
// as in `fault "latency"`. Members named in `ignored` are left alone.
Params read_params(const Node& map, std::span<const ParamSpec> specs, std::string_view owner,
                   std::span<const std::string_view> ignored, Diagnostics& diagnostics);

// One entry of an open catalogue, in plain words: what `list`, `explain`, the schema and the README
// tables are made from. The owning room keeps the function beside it.
struct CatalogueEntry {
  std::string_view name;
  std::string_view summary;
  std::span<const ParamSpec> params;
  std::string_view since;
  std::vector<std::pair<std::string_view, std::string_view>> details;  // heading, text
};

}  // namespace mishap
