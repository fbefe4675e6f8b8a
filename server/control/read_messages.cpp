#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mishap/nearest_word.h"
#include "server/control/messages.h"

namespace mishap::server::control {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 32;
constexpr std::size_t kMostNamed = 256;  // faults, checks, parameters of one request
constexpr std::size_t kLongestName = 100;
constexpr int kMostCopies = 64;

Json parse(std::string_view text) {
  const auto not_too_deep = [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; };
  return Json::parse(text, not_too_deep, false);
}

// Reads the members of one object; the first thing that is wrong is kept.
class Reader {
 public:
  explicit Reader(Json object) : object_(std::move(object)) {}

  void text(const char* name, std::string& into, std::size_t longest) {
    const Json* value = member(name);
    if (value == nullptr) return;
    if (!value->is_string()) return wrong(name, "is a text");
    into = value->get<std::string>();
    if (into.size() > longest) wrong(name, fmt::format("has at most {} bytes", longest));
  }

  void texts(const char* name, std::vector<std::string>& into) {
    const Json* value = member(name);
    if (value == nullptr) return;
    if (!value->is_array() || value->size() > kMostNamed) {
      return wrong(name, fmt::format("is a list of at most {} texts", kMostNamed));
    }
    for (const auto& one : *value) {
      if (!one.is_string()) return wrong(name, "is a list of texts");
      into.push_back(one.get<std::string>());
    }
  }

  // {"create": "POST /orders", "times": 3}: a value that is no text stands as it is written.
  void pairs(const char* name, std::vector<NameValue>& into) {
    const Json* value = member(name);
    if (value == nullptr) return;
    if (!value->is_object() || value->size() > kMostNamed) {
      return wrong(name, fmt::format("is an object of at most {} members", kMostNamed));
    }
    for (const auto& [key, one] : value->items()) {
      into.push_back({key, one.is_string() ? one.get<std::string>() : one.dump()});
    }
  }

  template <typename Number>
  void number(const char* name, std::optional<Number>& into, std::int64_t least,
              std::int64_t most) {
    const Json* value = member(name);
    if (value == nullptr) return;
    const bool whole = value->is_number_integer() &&
                       (!value->is_number_unsigned() ||
                        value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
    if (!whole || value->get<std::int64_t>() < least || value->get<std::int64_t>() > most) {
      return wrong(name, fmt::format("is a whole number, {} to {}", least, most));
    }
    into = static_cast<Number>(value->get<std::int64_t>());
  }

  void flag(const char* name, bool& into) {
    const Json* value = member(name);
    if (value == nullptr) return;
    if (!value->is_boolean()) return wrong(name, "is true or false");
    into = value->get<bool>();
  }

  // After the last member was asked for: what is left over is unknown.
  std::optional<Problem> result() {
    for (const auto& [key, value] : object_.items()) {
      if (std::ranges::find(known_, key) != known_.end()) continue;
      fail(unknown_word("member", key, known_));
      break;
    }
    return problem_;
  }

  void fail(std::string detail) {
    if (!problem_) problem_ = problem(422, std::move(detail)).value();
  }

 private:
  const Json* member(const char* name) {
    known_.emplace_back(name);
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  void wrong(const char* name, const std::string& what) {
    fail(fmt::format("\"{}\" {}", name, what));
  }

  Json object_;
  std::vector<std::string> known_;
  std::optional<Problem> problem_;
};

tl::expected<Json, Problem> read_object(std::string_view text) {
  auto json = parse(text);
  if (json.is_discarded()) {
    return problem(400, "the body is not JSON",
                   "send one JSON object with Content-Type: application/json");
  }
  if (!json.is_object()) return problem(400, "the body is not a JSON object");
  return json;
}

void hold_to_one_source(const RunRequest& request, Reader& reader) {
  if (!request.scenario.empty() && !request.yaml.empty()) {
    reader.fail("a run has \"scenario\" or \"yaml\", not both");
  }
}

}  // namespace

tl::expected<RunRequest, Problem> read_run_request(std::string_view text) {
  auto json = read_object(text);
  if (!json) return tl::unexpected(json.error());
  RunRequest request;
  std::optional<int> copies;
  Reader reader(std::move(*json));
  reader.text("scenario", request.scenario, 4096);
  reader.text("yaml", request.yaml, 1024 * 1024);
  reader.text("api", request.api, 4096);
  reader.text("name", request.name, kLongestName);
  reader.pairs("set", request.set);
  reader.pairs("promise", request.promise);
  reader.texts("faults", request.faults);
  reader.texts("require", request.require);
  reader.texts("ignore", request.ignore);
  reader.number("seed", request.seed, 0, std::numeric_limits<std::int64_t>::max());
  reader.number("copies", copies, 1, kMostCopies);
  hold_to_one_source(request, reader);
  if (auto wrong = reader.result()) return tl::unexpected(*wrong);
  request.copies = copies.value_or(0);
  return request;
}

tl::expected<EndRequest, Problem> read_end_request(std::string_view text) {
  EndRequest request;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return request;
  auto json = read_object(text);
  if (!json) return tl::unexpected(json.error());
  Reader reader(std::move(*json));
  reader.number("exit_code", request.how.exit_code, -255, 255);
  reader.flag("done", request.how.done);
  reader.text("control", request.control, kLongestName);
  if (auto wrong = reader.result()) return tl::unexpected(*wrong);
  return request;
}

std::string outcome_lines(std::string_view body) {
  const auto json = parse(body);
  const auto line = [](const Json& one) {
    return one.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  };
  if (json.is_discarded()) return std::string(body) + "\n";
  if (!json.is_array()) return line(json);
  std::string lines;
  for (const auto& one : json) lines += line(one);
  return lines;
}

}  // namespace mishap::server::control
