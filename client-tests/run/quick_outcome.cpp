#include "client-tests/run/quick_outcome.h"

#include <simdjson.h>

#include "client-tests/run/fields.h"
#include "client-tests/run/words.h"

namespace mishap::client_tests {

namespace {

using Json = simdjson::dom::element;
using simdjson::SUCCESS;

static_assert(QuickOutcomes::kPadding >= simdjson::SIMDJSON_PADDING);

class Members {
 public:
  explicit Members(const simdjson::dom::object& map) : map_(map) {}

  template <typename T>
  void operator()(const char* name, T& member) {
    Json json;
    if (map_[name].get(json) != SUCCESS) return fail();
    ++found_;
    read(json, member);
  }

  template <typename T>
  void operator()(const char* name, std::optional<T>& member) {
    Json json;
    if (map_[name].get(json) != SUCCESS) return;
    ++found_;
    read(json, member.emplace());
  }

  // Each was as it should be, and there is no other, nor one twice.
  bool are_all() const { return good_ && found_ == map_.size(); }

 private:
  void fail() { good_ = false; }

  void read(const Json& json, std::string& text) {
    std::string_view view;
    if (json.get(view) != SUCCESS) return fail();
    text = view;
  }
  void read(const Json& json, std::int64_t& value) {
    if (json.get(value) != SUCCESS) fail();
  }
  void read(const Json& json, std::uint64_t& value) {
    if (json.get(value) != SUCCESS) fail();
  }
  void read(const Json& json, int& value) {
    std::int64_t wide = 0;
    read(json, wide);
    value = static_cast<int>(wide);
    if (value != wide) fail();
  }
  void read(const Json& json, Duration& value) {
    std::int64_t count = 0;
    read(json, count);
    value = Duration(count);
  }
  void read(const Json& json, double& value) {
    if (json.get(value) != SUCCESS) fail();
  }
  void read(const Json& json, bool& value) {
    if (json.get(value) != SUCCESS) fail();
  }
  void read(const Json& json, OutcomeKind& kind) {
    std::string_view said;
    if (json.get(said) != SUCCESS) return fail();
    for (const auto& [known, word] : words_for(kind)) {
      if (said != word) continue;
      kind = known;
      return;
    }
    fail();
  }

  const simdjson::dom::object& map_;
  std::size_t found_ = 0;
  bool good_ = true;
};

}  // namespace

struct QuickOutcomes::Parser {
  simdjson::dom::parser parser;
};

QuickOutcomes::QuickOutcomes() : parser_(std::make_unique<Parser>()) {}
QuickOutcomes::~QuickOutcomes() = default;

std::optional<OutcomeLine> QuickOutcomes::read(std::string_view line, bool is_padded) {
  simdjson::dom::object map;
  const auto parsed = parser_->parser.parse(line.data(), line.size(), !is_padded);
  if (parsed.get(map) != SUCCESS) return std::nullopt;
  OutcomeLine outcome;
  Members members(map);
  describe(members, outcome);
  return members.are_all() ? std::optional(std::move(outcome)) : std::nullopt;
}

}  // namespace mishap::client_tests
