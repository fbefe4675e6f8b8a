#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "client-tests/run/fields.h"
#include "client-tests/run/quick_outcome.h"
#include "client-tests/run/run_json.h"
#include "client-tests/run/words.h"

namespace mishap::client_tests {
namespace {

using Json = nlohmann::ordered_json;
using Sources = std::vector<std::shared_ptr<const SourceText>>;

constexpr int kDeepestNode = 200;  // the reader of scenarios stops at 64

// Remembers the first thing that is wrong, and reads on without harm.
class Reader {
 public:
  Reader(const Json& object, std::string place, const Sources& sources,
         std::optional<std::string>& wrong, int depth = 0)
      : object_(object), place_(std::move(place)), sources_(sources), wrong_(wrong), depth_(depth) {
    if (!object.is_object()) complain(place_, "must be an object");
    if (depth > kDeepestNode) complain(place_, "is nested too deeply");
  }

  template <typename T>
  void operator()(const char* name, T& member) {
    if (wrong_) return;
    const auto found = object_.find(name);
    if (found == object_.end()) return complain(place_ + "/" + name, "is missing");
    read(*found, place_ + "/" + name, member);
  }

  // A list that the version which stored the run did not know is empty.
  template <typename T>
  void operator()(const char* name, std::vector<T>& member) {
    if (wrong_) return;
    const auto found = object_.find(name);
    if (found == object_.end()) return member.clear();
    read(*found, place_ + "/" + name, member);
  }

  template <typename T>
  void later(const char* name, T& member) {
    if (object_.contains(name)) (*this)(name, member);
  }

  template <typename T>
  void operator()(const char* name, std::optional<T>& member) {
    if (wrong_) return;
    const auto found = object_.find(name);
    if (found == object_.end()) return member.reset();
    read(*found, place_ + "/" + name, member.emplace());
  }

 private:
  void complain(const std::string& place, std::string_view what) {
    if (!wrong_) wrong_ = fmt::format("{} {}", place.empty() ? "/" : place, what);
  }

  void read(const Json& json, const std::string& place, bool& value) {
    if (!json.is_boolean()) return complain(place, "must be true or false");
    value = json.get<bool>();
  }

  void read(const Json& json, const std::string& place, double& value) {
    if (!json.is_number()) return complain(place, "must be a number");
    value = json.get<double>();
  }

  void read(const Json& json, const std::string& place, Duration& value) {
    Duration::rep count = 0;
    read(json, place, count);
    value = Duration(count);
  }

  void read(const Json& json, const std::string& place, std::string& value) {
    if (json.is_string()) {
      value = json.get<std::string>();
      return;
    }
    const bool coded =
        json.is_object() && json.size() == 1 && json.contains("bytes") && json["bytes"].is_string();
    if (!coded || !from_hex(json["bytes"].get<std::string>(), value)) {
      complain(place, "must be a text");
    }
  }

  static bool from_hex(const std::string& hex, std::string& value) {
    const auto digit = [](char c) {
      return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    value.clear();
    if (hex.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
      const int high = digit(hex[i]);
      const int low = digit(hex[i + 1]);
      if (high < 0 || low < 0) return false;
      value.push_back(static_cast<char>(high * 16 + low));
    }
    return true;
  }

  void read(const Json& json, const std::string& place, SourceSpan& span) {
    if (!is_list_of(json, 4)) return complain(place, "must be a list of four numbers");
    std::int64_t source = -1;
    read(json[0], place + "/0", source);
    read(json[1], place + "/1", span.line);
    read(json[2], place + "/2", span.column);
    read(json[3], place + "/3", span.length);
    const auto count = static_cast<std::int64_t>(sources_.size());
    if (source < -1 || source >= count) return complain(place, "names a source that is not there");
    span.source = source < 0 ? nullptr : sources_[static_cast<std::size_t>(source)];
  }

  static bool is_list_of(const Json& json, std::size_t size) {
    return json.is_array() && json.size() == size;
  }

  template <typename T>
  void read(const Json& json, const std::string& place, std::vector<T>& list) {
    list.clear();
    if (!json.is_array()) return complain(place, "must be a list");
    for (std::size_t i = 0; i < json.size() && !wrong_; ++i) {
      list.emplace_back();
      read(json[i], fmt::format("{}/{}", place, i), list.back());
    }
  }

  template <typename A, typename B>
  void read(const Json& json, const std::string& place, std::pair<A, B>& pair) {
    if (!is_list_of(json, 2)) return complain(place, "must be a list of two");
    read(json[0], place + "/0", pair.first);
    read(json[1], place + "/1", pair.second);
  }

  template <typename Key, typename T>
  void read(const Json& json, const std::string& place, std::map<Key, T>& map) {
    std::vector<std::pair<Key, T>> pairs;
    read(json, place, pairs);
    map = std::map<Key, T>(pairs.begin(), pairs.end());
  }

  template <typename T>
  void read(const Json& json, const std::string& place, T& value) {
    if constexpr (std::is_integral_v<T>) {
      read_integer(json, place, value);
    } else if constexpr (std::is_enum_v<T>) {
      read_word(json, place, value);
    } else {
      Reader inner(json, place, sources_, wrong_, depth_ + 1);
      if (!wrong_) describe(inner, value);
    }
  }

  template <typename T>
  void read_integer(const Json& json, const std::string& place, T& value) {
    const bool fits =
        json.is_number_unsigned()
            ? json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())
            : json.is_number_integer() && std::is_signed_v<T> &&
                  json.get<std::int64_t>() >=
                      static_cast<std::int64_t>(std::numeric_limits<T>::min());
    if (!fits) return complain(place, "must be a whole number in its range");
    value = json.get<T>();
  }

  template <typename T>
  void read_word(const Json& json, const std::string& place, T& value) {
    for (const auto& [known, word] : words_for(value)) {
      if (json.is_string() && json.get_ref<const std::string&>() == word) {
        value = known;
        return;
      }
    }
    complain(place, "is a word that this mishap does not know");
  }

  const Json& object_;
  std::string place_;
  const Sources& sources_;
  std::optional<std::string>& wrong_;
  int depth_;
};

tl::unexpected<BadText> bad(std::string what, int line = 0, int column = 0) {
  return tl::unexpected(BadText{std::move(what), line, column});
}

// The library copies and frees its values by recursion, so depth is bounded while it reads.
constexpr int kDeepestJson = 256;

tl::expected<Json, BadText> parse(std::string_view text) {
  bool too_deep = false;
  const auto note_depth = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepestJson;
    return !too_deep;
  };
  try {
    Json json = Json::parse(text, note_depth);
    if (too_deep) return bad("is nested too deeply");
    return json;
  } catch (const Json::parse_error& error) {
    const auto before = text.substr(0, std::min(error.byte, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return bad("not valid JSON", static_cast<int>(line),
               static_cast<int>(std::max<std::size_t>(1, before.size() - line_begin)));
  } catch (const Json::exception&) {
    return bad("a number in it cannot be read");
  }
}

template <typename T>
tl::expected<T, BadText> read_value(const Json& json, const Sources& sources) {
  T value;
  std::optional<std::string> wrong;
  Reader reader(json, "", sources, wrong);
  if (!wrong) describe(reader, value);
  if (wrong) return bad(*wrong);
  return value;
}

tl::expected<Json, BadText> parse_with_format(std::string_view text) {
  auto json = parse(text);
  if (!json) return json;
  if (!json->is_object()) return bad("/ must be an object");
  const auto format = json->find("format");
  if (format == json->end() || !format->is_number_integer()) {
    return bad("/format must be a number");
  }
  if (format->get<std::int64_t>() > Recording::kFormat) {
    return bad(fmt::format("written by a newer mishap: format {}, this one reads up to {}",
                           format->get<std::int64_t>(), Recording::kFormat));
  }
  return json;
}

tl::expected<Sources, BadText> read_sources(const Json& json) {
  Sources sources;
  const auto found = json.find("sources");
  if (found == json.end() || !found->is_array()) return bad("/sources must be a list");
  for (const auto& item : *found) {
    const bool good = item.is_object() && item.contains("name") && item["name"].is_string() &&
                      item.contains("text") && item["text"].is_string();
    if (!good) return bad("/sources must be a list of names and texts");
    sources.push_back(std::make_shared<const SourceText>(
        SourceText{item["name"].get<std::string>(), item["text"].get<std::string>()}));
  }
  return sources;
}

bool read_names(const Json& json, const char* name, std::vector<std::string>& names) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_array()) return false;
  for (const auto& item : *found) {
    if (!item.is_string()) return false;
    names.push_back(item.get<std::string>());
  }
  return true;
}

tl::expected<OutcomeLine, BadText> read_outcome(std::string_view text, int line) {
  const auto json = parse(text);
  if (!json) return bad(json.error().what, line, json.error().column);
  auto outcome = read_value<OutcomeLine>(*json, {});
  if (!outcome) return bad(outcome.error().what, line, 1);
  return outcome;
}

}  // namespace

tl::expected<SuiteIndex, BadText> read_suite_index(std::string_view text) {
  const auto json = parse_with_format(text);
  if (!json) return tl::unexpected(json.error());
  auto suite = read_value<Suite>(*json, {});
  if (!suite) return tl::unexpected(suite.error());
  SuiteIndex index{std::move(*suite), {}, {}};
  if (!read_names(*json, "controls", index.controls)) return bad("/controls must list folders");
  if (!read_names(*json, "recordings", index.recordings)) {
    return bad("/recordings must list folders");
  }
  return index;
}

tl::expected<Recording, BadText> read_recording(std::string_view text) {
  const auto json = parse_with_format(text);
  if (!json) return tl::unexpected(json.error());
  const auto sources = read_sources(*json);
  if (!sources) return tl::unexpected(sources.error());
  return read_value<Recording>(*json, *sources);
}

tl::expected<std::vector<OutcomeLine>, BadText> read_outcomes(std::string_view text) {
  QuickOutcomes quick;
  std::vector<OutcomeLine> outcomes;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view said = text.substr(0, end);
    const bool is_padded = text.size() - end >= QuickOutcomes::kPadding;
    if (auto outcome = quick.read(said, is_padded)) {
      outcomes.push_back(std::move(*outcome));
    } else {
      auto read = read_outcome(said, line);
      if (!read) return tl::unexpected(read.error());
      outcomes.push_back(std::move(*read));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return outcomes;
}

std::string read_verdict(std::string_view text) {
  const auto parsed = parse(text);
  if (!parsed || !parsed->is_object()) return {};
  const Json& json = *parsed;
  const auto found = json.find("verdict");
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace mishap::client_tests
