#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "bench/same_work/record.h"

namespace same_work {

struct Limits {
  std::size_t target = 8 * 1024;
  std::size_t head = 64 * 1024;
  std::size_t body = 16 * 1024 * 1024;
};

// A request head as it stands in the bytes that were read; good as long as they are.
struct Head {
  enum class State { NeedMore, Whole, Refused };
  State state = State::NeedMore;
  int status = 0;           // of a refusal
  std::string_view reason;  // of a refusal
  std::string_view method;
  std::string_view target;
  int minor_version = 1;
  std::vector<std::pair<std::string_view, std::string_view>> fields;  // in their order
  std::size_t size = 0;                                               // with its empty line
  std::size_t body = 0;                                               // that is to come
  bool keeps_alive = true;

  std::string_view field(std::string_view name) const;  // the first; empty: none
};

// Into one that is used again for each request.
void read_head(std::string_view bytes, const Limits& limits, Head& head);

bool equal_in_any_case(std::string_view a, std::string_view b);

// A field as it may be kept: of a secret its scheme, a salted hash and its length.
Field kept_field(std::string_view name, std::string_view value, std::string_view salt);
// The target with the secrets of its query masked.
std::string kept_target(std::string_view target, std::string_view salt);

// %xx decoded.
std::string decoded(std::string_view text);
// Names and values of a query, decoded.
std::vector<std::pair<std::string, std::string>> query_of(std::string_view target);

// A body, understood as far as its type allows.
struct Content {
  std::string_view kind;       // "json", "bad json", "other"; empty: none
  std::string canonical;       // JSON with sorted names and no blanks, else the bytes
  std::string members;         // of a JSON object, as text without its braces and without `id`
  std::vector<Member> sketch;  // of its members: the first 64
  std::vector<std::uint64_t> prints;  // name and value of each scalar among them
  std::string reference;
  bool is_object = false;
};

class ContentReader {
 public:
  Content read(std::string_view type, std::string_view body);

 private:
  void read_object(Content& content, const simdjson::dom::object& object);
  simdjson::dom::parser parser_;
};

}  // namespace same_work
