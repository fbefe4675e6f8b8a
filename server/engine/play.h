#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mishap/boxed.h"
#include "server/engine/batch_items.h"
#include "server/engine/doors.h"
#include "server/engine/engine.h"
#include "server/engine/operation_table.h"
#include "server/engine/planner.h"
#include "server/engine/request_view.h"
#include "server/engine/rule_book.h"
#include "server/engine/upstream_answer.h"
#include "server/engine/vendor.h"
#include "server/journal/log.h"
#include "server/resources/batch.h"
#include "server/resources/model.h"

namespace mishap::server {

// One client copy: what is counted and remembered apart from the other copies.
struct Lane {
  Lane(int lane_number, std::uint64_t& operation_counter, std::size_t matchers)
      : number(lane_number),
        operations(operation_counter),
        requests_of(matchers),
        operations_of(matchers) {}
  // Which of the operations that a rule's matcher met this one is, from 1.
  std::uint64_t operation_of(std::size_t matcher, std::uint64_t operation) {
    auto& met = operations_of[matcher];
    return met.try_emplace(operation, met.size() + 1).first->second;
  }
  int number;
  OperationTable operations;
  std::uint64_t connections = 0;
  std::uint64_t requests = 0;
  // That each matcher met.
  std::vector<std::uint64_t> requests_of;
  std::vector<std::unordered_map<std::uint64_t, std::uint64_t>> operations_of;
};

// A matcher that a request met, and what was counted by it in the lane, from 1.
struct MetMatcher {
  std::size_t matcher = 0;
  std::uint64_t request = 0;
  std::optional<std::uint64_t> op;  // while it is not known: nothing
};

struct LiveConnection {
  Lane* lane = nullptr;
  const Vendor* vendor = nullptr;
  std::uint64_t number_in_lane = 0;
  bool tls = false;
  bool one_request = false;  // plain, by way of the proxy: the next one may be for another host
  std::vector<MetRule> met;
  std::uint64_t first_exchange = 0;  // 0: none came
  // Of exchanges whose rules are about the time behind them, which is over with the connection.
  std::vector<std::pair<std::uint64_t, std::vector<MetRule>>> resting;
};

// An exchange under way: what the journal does not keep of it. Its record is in the log.
struct LiveExchange {
  std::uint64_t number = 0;
  std::uint64_t connection = 0;
  Lane* lane = nullptr;
  const Vendor* vendor = nullptr;
  VendorState* state = nullptr;
  std::uint64_t number_in_lane = 0;
  std::uint64_t connection_in_lane = 0;
  RequestView view;
  Routed routed;
  std::string key;         // that identifies it
  std::string policy_key;  // in the header that the vendor looks at
  std::string content_hash;
  Fingerprint raw_hash;
  std::string body_hash;
  std::string reference;
  std::string configured;  // identifier, by the api's `operation`
  std::optional<NameValue> connection_field;
  // Of a batch.
  std::vector<LiveItem> items;
  Boxed<Routed> item_routed;
  std::string complaint;              // why it has none
  std::vector<SpoiledItems> spoiled;  // by rules
  // As they came, for an upstream.
  std::string sent_target;
  std::string sent_body;
  bool goes_upstream = false;
  bool called = false;  // the upstream
  bool has_body = false;
  bool joined = false;
  bool reserved = false;
  bool applied = false;
  bool twice = false;  // a rule has it carried out twice
  std::vector<MetRule> met;
  std::vector<MetMatcher> matchers;  // of rules
};

// What is read from a body before the lock is taken.
struct ReadRequest {
  RequestFacts facts;  // the body's part of them
  Content content;
  BatchItems batch{};
};

// A scenario being played: all that the engine decides and remembers, without the lock, which is
// the engine's (engine.cpp). Instants are run time.
class Play {
 public:
  Play(const scenarios::Scenario& scenario, const RunOptions& options, WallClock wall);

  void know_addresses(const std::vector<LaneAddress>& addresses);
  Door door(int lane, const std::string& api, Duration now);
  void spell_seen(std::uint64_t spell, const SpellFacts& facts) { doors_.seen(spell, facts); }
  void turned_away(std::uint64_t spell, Port client_port, Duration now) {
    doors_.turned_away(spell, client_port, now);
  }
  Decision accept(const Arrival& arrival, Duration now);
  Decision head(std::uint64_t connection, RequestHead head, Target target, Duration first_byte,
                Duration now);
  Steps request(LiveExchange& live, ReadRequest read, Duration now);
  Steps apply(LiveExchange& live, Duration now);
  // The same over an upstream, in two halves (play_upstream.cpp).
  UpstreamRequest call_upstream(LiveExchange& live, Duration now);
  Steps apply_answer(LiveExchange& live, UpstreamResult result, const UpstreamWords& words,
                     Duration now);
  Decision rejected(std::uint64_t connection, const Rejection& rejection, Duration first_byte,
                    Duration now);
  Steps rejected_body(LiveExchange& live, const Rejection& rejection);
  void client_left(std::uint64_t exchange, Duration at);
  // The record as it is when it has ended, good until it is forgotten, which is to follow; null
  // where there is no such exchange.
  const Exchange* end(std::uint64_t exchange, std::uint64_t body_bytes_read, Receipt receipt);
  void forget(std::uint64_t exchange);
  Connection connection_ended(std::uint64_t connection, const Engine::ConnectionEnd& end);
  void close(Duration now);

  // Null when it is not under way. The part that is read and written without the lock (view)
  // belongs to the session of the exchange.
  std::shared_ptr<LiveExchange> find(std::uint64_t exchange) const;
  int lane_of(std::uint64_t exchange) const;
  const Journal& recent() const { return log_.recent(); }
  Log::Cut cut() { return log_.cut(); }
  const std::string& salt() const { return salt_; }
  // The events that have happened since this was asked last.
  std::vector<std::uint64_t> take_events() { return std::exchange(events_, {}); }
  void heal() { is_healed_ = true; }  // no rule is met any more

 private:
  // play.cpp: the four moments
  Exchange& record(const LiveExchange& live) { return log_.exchange(live.number); }
  std::shared_ptr<LiveExchange> begin(std::uint64_t connection, Duration first_byte, Duration now);
  Steps shaped(LiveExchange& live, Moment moment, Steps defaults, Duration now,
               const SendAnswer* healthy);
  void note_scripted_end(LiveExchange& live, const Steps& steps, Duration now);
  void note_redirect(const LiveExchange& live);
  // `item` of a batch, from 1; 0: the exchange as a whole.
  void add_effect(LiveExchange& live, const VendorAnswer& answer, Duration now,
                  std::size_t item = 0);
  void look_up(LiveExchange& live, const VendorAnswer& answer, Duration now);
  void give_up_keys(LiveExchange& live);
  Call call_of(const LiveExchange& live) const;
  Steps answer_of_vendor(LiveExchange& live, VendorAnswer answer, Duration now);

  // play_batch.cpp
  Call call_of_item(const LiveExchange& live, std::size_t index) const;
  Asked asked_of_item(const LiveExchange& live, std::size_t index) const;
  void join_items(LiveExchange& live, Duration now);
  void reserve_items(const LiveExchange& live, Duration now);
  void release_items(const LiveExchange& live);
  Steps apply_batch(LiveExchange& live, Duration now);
  VendorAnswer carry_out_items(LiveExchange& live, std::vector<ItemAnswer>& told, Duration now);
  ItemAnswer carry_out_item(LiveExchange& live, std::size_t index, Duration now);
  void note_told(LiveExchange& live, const std::vector<StatusCode>& statuses, bool replayed);
  void items_ended(const LiveExchange& live, bool delivered);

  // play_upstream.cpp
  VendorAnswer answer_of_upstream(LiveExchange& live, const UpstreamAnswer& given,
                                  const UpstreamWords& words);
  static Outcome::Change change_of(const LiveExchange& live, const UpstreamAnswer& given,
                                   const UpstreamWords& words);
  bool may_repeat(const LiveExchange& live, const Outcome::Change& change);

  // play_identity.cpp
  void learn_head(LiveExchange& live);
  void learn_body(LiveExchange& live);
  void join(LiveExchange& live, Duration now);
  Asked asked_of(const LiveExchange& live) const;
  void join_late(LiveExchange& live, Duration now);
  void mark_overlapping(const std::vector<Sending>& sendings);
  void find_searched(LiveExchange& live, Duration now);

  // play_rules.cpp
  void count_rules(LiveExchange& live, bool with_body);
  // Which of the operations that the rule met this is; of a batch the first of its items.
  void count_operations(LiveExchange& live);
  std::vector<std::size_t> rules_for(const LiveExchange& live, Point point) const;
  void choose(LiveExchange& live, Moment moment, Duration now);
  void choose_at_accept(LiveConnection& live, Duration now);
  std::optional<MetRule> meet(const BookedRule& rule, const Occasion& occasion, DrawOrigin origin);
  void ask_model(std::size_t rule, const LiveExchange& live, Duration now, MetRule& met);
  void tell_models(LiveExchange& live);
  Duration elapsed(Duration now) const { return started_ ? now - *started_ : Duration{}; }
  static void keep_hits(std::vector<RuleHit>& hits, const std::vector<MetRule>& met);
  void keep_resting(const LiveExchange& live);
  static void prove(std::vector<RuleHit>& hits, const std::vector<MetRule>& met,
                    const Exchange& exchange, const Connection* connection);

  Lane& lane(int number);
  VendorState& state(const std::string& api, int lane_number);

  scenarios::Scenario scenario_;
  RunOptions options_;
  WallClock wall_;
  std::string salt_;
  std::map<std::string, Vendor> vendors_;
  RuleBook book_;
  std::vector<std::unique_ptr<Model>> models_;  // by rule; null: it has none
  std::vector<std::uint64_t> events_;
  bool is_healed_ = false;
  Log log_;
  Doors doors_{book_, log_};
  std::optional<Duration> started_;  // the scenario's clock: the first connection
  std::uint64_t operations_ = 0;
  std::map<int, std::unique_ptr<Lane>> lanes_;
  std::map<std::pair<std::string, int>, std::unique_ptr<VendorState>> states_;
  std::map<std::pair<std::string, int>, Origins> origins_;  // by api and lane
  std::unordered_map<std::uint64_t, LiveConnection> connections_;
  std::unordered_map<std::uint64_t, std::shared_ptr<LiveExchange>> exchanges_;
};

}  // namespace mishap::server
