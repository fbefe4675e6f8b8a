#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "client-tests/run/fields.h"
#include "client-tests/run/run_json.h"
#include "client-tests/run/words.h"
#include "mishap/utf8.h"

namespace mishap::client_tests {
namespace {

using Json = nlohmann::ordered_json;
using Sources = std::vector<std::shared_ptr<const SourceText>>;

constexpr int kIndent = 1;

class Writer {
 public:
  explicit Writer(Sources& sources) : sources_(sources) {}

  template <typename T>
  void operator()(const char* name, const T& member) {
    object_[name] = write(member);
  }

  template <typename T>
  void later(const char* name, const T& member) {
    (*this)(name, member);
  }

  template <typename T>
  void operator()(const char* name, const std::optional<T>& member) {
    if (member) object_[name] = write(*member);
  }

  Json take() { return std::move(object_); }

 private:
  Json write(bool value) { return value; }
  Json write(double value) { return value; }
  Json write(Duration value) { return value.count(); }
  Json write(const std::string& text) {
    if (is_utf8(text)) return text;
    std::string hex;
    for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return {{"bytes", hex}};
  }

  Json write(const SourceSpan& span) {
    return Json::array({source_number(span), span.line, span.column, span.length});
  }

  std::int64_t source_number(const SourceSpan& span) {
    if (!span.source) return -1;
    const auto same = [&](const auto& known) {
      return known == span.source ||
             (known->name == span.source->name && known->text == span.source->text);
    };
    const auto found = std::find_if(sources_.begin(), sources_.end(), same);
    const auto number = found - sources_.begin();
    if (found == sources_.end()) sources_.push_back(span.source);
    return number;
  }

  template <typename T>
  Json write(const std::vector<T>& list) {
    Json array = Json::array();
    for (const auto& item : list) array.push_back(write(item));
    return array;
  }

  template <typename A, typename B>
  Json write(const std::pair<A, B>& pair) {
    Json array = Json::array();
    array.push_back(write(pair.first));
    array.push_back(write(pair.second));
    return array;
  }

  template <typename Key, typename T>
  Json write(const std::map<Key, T>& map) {
    Json array = Json::array();
    for (const auto& [key, value] : map) {
      Json pair = Json::array();
      pair.push_back(write(key));
      pair.push_back(write(value));
      array.push_back(std::move(pair));
    }
    return array;
  }

  template <typename T>
  Json write(const T& value) {
    if constexpr (std::is_integral_v<T>) {
      return value;
    } else if constexpr (std::is_enum_v<T>) {
      for (const auto& [known, word] : words_for(value)) {
        if (known == value) return word;
      }
      return nullptr;
    } else {
      Writer inner(sources_);
      describe(inner, value);
      return inner.take();
    }
  }

  Sources& sources_;
  Json object_ = Json::object();
};

template <typename T>
Json written(const T& value, Sources& sources) {
  Writer writer(sources);
  describe(writer, value);
  return writer.take();
}

Json written_sources(const Sources& sources) {
  Json array = Json::array();
  for (const auto& source : sources) {
    array.push_back({{"name", source->name}, {"text", source->text}});
  }
  return array;
}

}  // namespace

std::string to_json(const SuiteIndex& index) {
  Sources none;
  Json json{{"format", Recording::kFormat}};
  json.update(written(index.suite, none));
  json["controls"] = index.controls;
  json["recordings"] = index.recordings;
  return json.dump(kIndent) + "\n";
}

std::string to_json(const Recording& recording) {
  Sources sources;
  Json json{{"format", Recording::kFormat}};
  json.update(written(recording, sources));
  json["sources"] = written_sources(sources);
  return json.dump(kIndent) + "\n";
}

std::string to_json_lines(const std::vector<OutcomeLine>& outcomes) {
  std::string lines;
  Sources none;
  for (const auto& outcome : outcomes) lines += written(outcome, none).dump() + "\n";
  return lines;
}

}  // namespace mishap::client_tests
