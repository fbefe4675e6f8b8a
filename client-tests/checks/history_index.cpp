#include "client-tests/checks/history_index.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "client-tests/checks/lazy.h"

namespace mishap::client_tests {

class HistoryIndex {
 public:
  Lazy<ExchangesByNumber> exchanges;
  Lazy<ConnectionsByNumber> connections;
  Lazy<EffectFates> fates;
  Lazy<CallTable> calls;
  Lazy<LaneLines> lanes;
  Lazy<ConnectionLines> connection_lines;
  Lazy<ByContent<std::uint32_t>> contents;
  Lazy<std::map<std::pair<int, std::string>, std::size_t>> creations_by_place;
  Lazy<ByContent<std::uint32_t>> creations_by_content;
  Lazy<OwnDelays> delays;
  Lazy<bool> retries;
  Lazy<std::unordered_map<int, Duration>> gaps;
  Lazy<std::unordered_map<int, std::vector<const Operation*>>> operations;
};

namespace {

template <typename Map, typename Key>
typename Map::mapped_type value_or_zero(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type{} : found->second;
}

}  // namespace

std::shared_ptr<const HistoryIndex> empty_index() {
  return std::make_shared<const HistoryIndex>();
}

const ExchangesByNumber& exchanges_by_number(const History& history) {
  return history.index->exchanges.get(
      [&] { return ExchangesByNumber(history.recording->journal.exchanges); });
}

const ConnectionsByNumber& connections_by_number(const History& history) {
  return history.index->connections.get(
      [&] { return ConnectionsByNumber(history.recording->journal.connections); });
}

const EffectFates& effect_fates(const History& history) {
  return history.index->fates.get(
      [&] { return EffectFates(*history.recording, exchanges_by_number(history)); });
}

const CallTable& call_table(const History& history) {
  return history.index->calls.get([&] { return CallTable(history); });
}

const LaneLines& lane_lines(const History& history) {
  return history.index->lanes.get([&] { return LaneLines(*history.recording); });
}

const ConnectionLine& connection_line(const History& history, std::uint64_t connection) {
  return history.index->connection_lines
      .get([&] { return ConnectionLines(history.recording->journal); })
      .of(connection);
}

std::uint64_t times_asked(const History& history, int lane, const std::string& content) {
  const auto& contents =
      history.index->contents.get([&] { return count_contents(*history.recording); });
  return value_or_zero(contents, LaneContent(lane, content));
}

std::size_t creations_in(const History& history, int lane, const std::string& resource) {
  const auto& made = history.index->creations_by_place.get(
      [&] { return count_by_place(*history.recording, effect_fates(history)); });
  return value_or_zero(made, std::pair(lane, place_of(resource)));
}

std::uint64_t creations_by(const History& history, int lane, const std::string& content) {
  const auto& made = history.index->creations_by_content.get(
      [&] { return count_by_content(history, effect_fates(history)); });
  return value_or_zero(made, LaneContent(lane, content));
}

const OwnDelays& own_delays_of(const History& history) {
  return history.index->delays.get([&] { return own_delays(history); });
}

bool has_retries(const History& history) {
  return history.index->retries.get([&] {
    return std::ranges::any_of(history.operations,
                               [](const Operation& op) { return op.policy_attempts > 1; });
  });
}

Duration largest_gap(const History& history, int lane) {
  const auto& gaps = history.index->gaps.get([&] { return largest_gaps(history); });
  return value_or_zero(gaps, lane);
}

const std::vector<const Operation*>& operations_of(const History& history, int lane) {
  static const std::vector<const Operation*> kNone;
  const auto& lanes = history.index->operations.get([&] {
    std::unordered_map<int, std::vector<const Operation*>> made;
    for (const Operation& operation : history.operations) {
      made[operation.lane].push_back(&operation);
    }
    return made;
  });
  const auto found = lanes.find(lane);
  return found == lanes.end() ? kNone : found->second;
}

}  // namespace mishap::client_tests
