#include "scenarios/parser/promise_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "mishap/nearest_word.h"
#include "mishap/profiles.h"
#include "scenarios/parser/map_view.h"
#include "scenarios/parser/source_file.h"

namespace mishap::scenarios {
namespace {

constexpr std::int64_t kMostAttempts = 1'000'000;
constexpr std::int64_t kMostRetriesASecond = 100'000;

void read_profile(const Node& node, Promise& promise, Problems& problems) {
  const auto* name = scalar_text(node, "profile", problems);
  if (name == nullptr) return;
  if (const Profile* profile = find_profile(*name)) {
    promise = profile->promise();
    return;
  }
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) names.emplace_back(profile.name);
  problems.error(node.span, unknown_word("profile", *name, names));
}

// Nothing can be done in no time, so a zero is a slip (a lost digit, a variable that was empty).
void read_time(const MapView& map, std::string_view key, std::optional<Duration>& out,
               Problems& problems) {
  std::optional<Duration> value;
  map.duration(key, value);
  if (value && *value == Duration::zero()) {
    problems.error(map.find(key)->span,
                   fmt::format("\"{}\" is longer than nothing; leave it out where nothing is "
                               "promised",
                               key));
  } else if (value) {
    out = value;
  }
}

void read_values(const MapView& map, Promise& promise, Problems& problems) {
  map.number("max_attempts", kMostAttempts, promise.max_attempts);
  read_time(map, "attempt_timeout", promise.attempt_timeout, problems);
  read_time(map, "deadline", promise.deadline, problems);
  read_time(map, "max_delay", promise.max_delay, problems);
  std::string retries;
  map.word("retries", retries);
  if (!retries.empty()) promise.retries = retries == "declared";
  read_time(map, "answer_within", promise.answer_within, problems);
  read_time(map, "breaker", promise.breaker, problems);
  map.number("retry_budget", kMostRetriesASecond, promise.retry_budget);
}

// `name=value` as it was typed, so that a message can point into it.
std::pair<Node, Node> nodes_of(const NameValue& given) {
  const auto length = [](const std::string& text) {
    return static_cast<int>(std::max<std::size_t>(1, text.size()));
  };
  Node key;
  key.kind = Node::Kind::Scalar;
  key.text = given.name;
  key.span = {make_source("--promise", given.name + "=" + given.value), 1, 1, length(given.name)};
  Node value = key;
  value.text = given.value;
  value.span.column = static_cast<int>(given.name.size()) + 2;
  value.span.length = length(given.value);
  return {std::move(key), std::move(value)};
}

}  // namespace

Promise read_promise(const Node& node, Problems& problems) {
  Promise promise;
  if (node.is_scalar()) {
    read_profile(node, promise, problems);
    return promise;
  }
  const MapView map(node, promise_keys(), problems);
  if (const Node* profile = map.find("profile")) read_profile(*profile, promise, problems);
  read_values(map, promise, problems);
  return promise;
}

Promise promise_from(const std::vector<NameValue>& given, Problems& problems) {
  Promise profile;
  Promise single;
  for (const NameValue& one : given) {
    Node map;
    map.kind = Node::Kind::Map;
    map.members.push_back(nodes_of(one));
    map.span = map.members.front().first.span;
    auto& level = one.name == "profile" ? profile : single;
    level = laid_over(std::move(level), read_promise(map, problems));
  }
  return laid_over(std::move(profile), single);
}

}  // namespace mishap::scenarios
