// The four moments: accept, head, request, apply.
#include "server/engine/play.h"

#include <algorithm>
#include <cassert>

#include "server/engine/request_facts.h"
#include "server/journal/fingerprint.h"
#include "server/journal/hash.h"
#include "server/journal/secrets.h"
#include "server/resources/problem.h"

namespace mishap::server {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// The salt is the run's own and derived, so that a repeated run gives an equal journal.
std::string salt_of(std::uint64_t seed) {
  return sha256_hex(joined_for_hash({"mishap secrets", std::to_string(seed)}));
}

bool lists_option(const std::string& value, std::string_view option) {
  std::string_view rest = value;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    std::string_view word = rest.substr(0, comma);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (equal_ignoring_case(word, option)) return true;
    if (comma == std::string_view::npos) return false;
    rest.remove_prefix(comma + 1);
  }
  return false;
}

// RFC 9112 section 9.3: who wants the connection to end, or with HTTP/1.0 to go on, is answered so.
std::optional<NameValue> connection_field(const RequestHead& head) {
  for (const NameValue& field : head.headers) {
    if (!equal_ignoring_case(field.name, "Connection")) continue;
    if (lists_option(field.value, "close")) return NameValue{"Connection", "close"};
    if (head.minor_version == 0 && lists_option(field.value, "keep-alive")) {
      return NameValue{"Connection", "keep-alive"};
    }
  }
  return std::nullopt;
}

void keep_answer(AnswerFacts& facts, MeantAnswer answer, const std::string& salt) {
  facts.status = answer.status;
  facts.headers = std::move(answer.headers);
  // An upstream's fields may hold secrets as well (Set-Cookie).
  for (NameValue& field : facts.headers) {
    field.value = kept_header_value(field.name, std::move(field.value), salt);
  }
  facts.body_bytes = answer.body_bytes;
  facts.body_hash = answer.body ? answer.body.text() : std::string();
  facts.success = answer.status / 100 == 2;
}

bool any_fired(const std::vector<MetRule>& met) {
  return std::ranges::any_of(met, [](const MetRule& rule) { return rule.hit.fired; });
}

// A rule that has it carried out twice leaves two of them; the vendor does both in one moment.
bool take_second_effect(Steps& steps) {
  const auto is_effect = [](const Step& step) { return std::holds_alternative<Apply>(step); };
  const auto first = std::ranges::find_if(steps, is_effect);
  if (first == steps.end()) return false;
  const auto second = std::find_if(std::next(first), steps.end(), is_effect);
  if (second == steps.end()) return false;
  steps.erase(second);
  return true;
}

// By comparing, not by trusting the rules: with what the vendor says when no rule touches it, and
// with what the harmless ones among them make of that.
void compare(AnswerFacts& facts, const Steps& steps, const SendAnswer* healthy,
             const std::vector<MetRule>& met, const PlanContext& context) {
  facts.changed = true;
  facts.healthy = false;
  if (healthy == nullptr) return;
  const auto bytes_with = [&](std::vector<MetRule> rules) {
    return answer_bytes(shape_steps({*healthy, Finish{}}, rules, context).steps);
  };
  const std::string bytes = answer_bytes(steps);
  facts.changed = bytes != bytes_with({});
  std::vector<MetRule> harmless;
  for (const MetRule& rule : met) {
    if (rule.hit.fired && is_harmless(rule.rule->compiled)) harmless.push_back(rule);
  }
  facts.healthy = harmless.empty() ? !facts.changed : bytes == bytes_with(std::move(harmless));
}

}  // namespace

Play::Play(const scenarios::Scenario& scenario, const RunOptions& options, WallClock wall)
    : scenario_(scenario),
      options_(options),
      wall_(std::move(wall)),
      salt_(salt_of(options.seed)),
      book_(scenario) {
  // From the copy, which vendors borrow.
  for (const scenarios::Api& api : scenario_.apis)
    vendors_.try_emplace(api.name, api, options.token);
  for (std::size_t i = 0; i < book_.size(); ++i) {
    const CompiledRule& rule = book_[i].compiled;
    models_.push_back(make_model(rule.fault->model, rule.params, /*event=*/i + 1));
  }
}

Lane& Play::lane(int number) {
  auto& found = lanes_[number];
  if (!found) found = std::make_unique<Lane>(number, operations_, book_.matchers());
  return *found;
}

VendorState& Play::state(const std::string& api, int lane_number) {
  auto& found = states_[{api, scenario_.client.share_state ? 0 : lane_number}];
  if (!found) found = std::make_unique<VendorState>(vendors_.at(api).api());
  return *found;
}

std::shared_ptr<LiveExchange> Play::find(std::uint64_t exchange) const {
  const auto found = exchanges_.find(exchange);
  return found == exchanges_.end() ? nullptr : found->second;
}

int Play::lane_of(std::uint64_t exchange) const {
  const std::shared_ptr<LiveExchange> live = find(exchange);
  return live ? live->lane->number : 0;
}

void Play::know_addresses(const std::vector<LaneAddress>& addresses) {
  for (const LaneAddress& one : addresses) {
    Origins& origins = origins_[{one.api, one.lane}];
    origins.own = one.url;
    for (const LaneAddress& other : addresses) {
      if (other.lane == one.lane) origins.all[other.api] = other.url;
    }
  }
}

Door Play::door(int lane_number, const std::string& api, Duration now) {
  return doors_.at({lane_number, api, lane(lane_number).connections, started_, now});
}

Decision Play::accept(const Arrival& arrival, Duration now) {
  Connection& kept = log_.add_connection();
  kept.lane = arrival.lane;
  kept.api = arrival.api;
  kept.client_port = arrival.client_port;
  kept.accepted = now;
  kept.asked_for = arrival.asked_for;
  LiveConnection& live = connections_[kept.number];
  if (arrival.api.empty()) return {kept.number, {}};
  if (!started_) started_ = now;
  assert(vendors_.contains(arrival.api) && "the listener belongs to an api of the scenario");
  live.lane = &lane(arrival.lane);
  live.vendor = &vendors_.at(arrival.api);
  live.number_in_lane = ++live.lane->connections;
  live.tls = arrival.tls;
  live.one_request = !arrival.tls && !arrival.asked_for.empty();
  choose_at_accept(live, now);
  Steps defaults;
  if (arrival.tls) defaults.emplace_back(Handshake{});
  Shaped result =
      shape_steps(std::move(defaults), live.met, {Moment::Accept, wall_(now), std::nullopt});
  keep_hits(kept.rules, live.met);
  return {kept.number, std::move(result.steps)};
}

std::shared_ptr<LiveExchange> Play::begin(std::uint64_t connection, Duration first_byte,
                                          Duration now) {
  LiveConnection& line = connections_.at(connection);
  Connection& kept_connection = log_.connection(connection);
  Exchange& kept = log_.add_exchange();
  kept.lane = line.lane->number;
  kept.api = line.vendor->api().name;
  kept.connection = connection;
  kept.on_connection = ++kept_connection.exchanges;
  kept.first_byte = first_byte;
  kept.head_read = now;
  if (line.first_exchange == 0) line.first_exchange = kept.number;
  auto live = std::make_shared<LiveExchange>();
  live->number = kept.number;
  live->connection = connection;
  live->lane = line.lane;
  live->vendor = line.vendor;
  live->state = &state(kept.api, kept.lane);
  live->number_in_lane = ++line.lane->requests;
  live->connection_in_lane = line.number_in_lane;
  live->view.api = kept.api;
  exchanges_[kept.number] = live;
  return live;
}

Decision Play::head(std::uint64_t connection, RequestHead head, Target target, Duration first_byte,
                    Duration now) {
  const std::shared_ptr<LiveExchange> live = begin(connection, first_byte, now);
  record(*live).request = head_facts(head, target, salt_);
  live->connection_field = connection_field(head);
  if (connections_.at(connection).one_request) {
    live->connection_field = NameValue{"Connection", "close"};
  }
  live->has_body = head.has_body;
  if (live->vendor->api().upstream) live->sent_target = head.target;
  live->view.method = std::move(head.method);
  live->view.target = std::move(target);
  live->view.headers = std::move(head.headers);
  learn_head(*live);
  count_rules(*live, /*with_body=*/false);
  choose(*live, Moment::Head, now);
  Steps defaults;
  if (head.expects_continue && head.has_body) {
    defaults.emplace_back(Send{.part = Part::Interim, .bytes = std::string(kContinue)});
  }
  defaults.emplace_back(ReadBody{});
  return {live->number, shaped(*live, Moment::Head, std::move(defaults), now, nullptr)};
}

Steps Play::request(LiveExchange& live, ReadRequest read, Duration now) {
  Exchange& kept = record(live);
  kept.request_read = now;
  kept.request.body_bytes = read.facts.body_bytes;
  kept.request.complete = true;
  kept.request.body_hash = std::move(read.facts.body_hash);
  kept.request.content_hash = std::move(read.facts.content_hash);
  kept.request.body_kind = std::move(read.facts.body_kind);
  kept.request.members = std::move(read.facts.members);
  live.view.body = std::move(read.content);
  learn_body(live);
  if (live.routed.kind == Routed::Kind::Batch) {
    live.items = std::move(read.batch.items);
    live.complaint = std::move(read.batch.complaint);
    live.item_routed = live.vendor->router().create_in(live.routed);
  }
  join(live, now);
  count_rules(live, /*with_body=*/true);
  choose(live, Moment::Request, now);
  live.goes_upstream = live.vendor->asks_upstream(live.routed);
  if (!live.goes_upstream) {
    if (live.vendor->reserve(*live.state, call_of(live), now)) reserve_items(live, now);
    live.reserved = true;
  }
  Steps steps = shaped(live, Moment::Request, {Apply{live.goes_upstream}}, now, nullptr);
  live.twice = take_second_effect(steps);
  const auto effect = find_step<Apply>(steps);
  if (effect == steps.end()) {
    give_up_keys(live);
  } else {
    live.spoiled = std::get<Apply>(*effect).spoiled;
  }
  return steps;
}

Call Play::call_of(const LiveExchange& live) const {
  return {live.view, live.routed, live.policy_key, live.content_hash, live.number};
}

Steps Play::apply(LiveExchange& live, Duration now) {
  if (live.routed.kind == Routed::Kind::Batch) return apply_batch(live, now);
  VendorAnswer answer = live.vendor->apply(*live.state, call_of(live), now);
  if (live.routed.kind == Routed::Kind::Unmatched) {
    record(live).note = live.vendor->router().why_unmatched(live.view);
  }
  // Only what was carried out can be once more; the client is told of the first.
  std::optional<VendorAnswer> again;
  if (live.twice && answer.change) again = live.vendor->repeat(*live.state, call_of(live));
  Steps steps = answer_of_vendor(live, std::move(answer), now);
  if (again) add_effect(live, *again, now);
  return steps;
}

Steps Play::answer_of_vendor(LiveExchange& live, VendorAnswer answer, Duration now) {
  live.applied = true;
  Exchange& kept = record(live);
  kept.applied = now;
  kept.answer.replayed = answer.replayed;
  add_effect(live, answer, now);
  look_up(live, answer, now);
  const bool is_touched = any_fired(live.met);
  // Why the vendor said no; not where a rule made the answer.
  std::string reason = problem_detail(answer.answer);
  std::optional<SendAnswer> healthy;
  if (is_touched) healthy = answer.answer;
  Steps steps = shaped(live, Moment::Apply, steps_of(std::move(answer.answer), Finish{}), now,
                       healthy ? &*healthy : nullptr);
  // Where no rule fired there is nothing to compare.
  if (!is_touched) {
    kept.answer.changed = false;
    kept.answer.healthy = sends_answer(steps);
  }
  if (kept.note.empty() && kept.answer.healthy) kept.note = std::move(reason);
  return steps;
}

void Play::add_effect(LiveExchange& live, const VendorAnswer& answer, Duration now,
                      std::size_t item) {
  if (!answer.change) return;
  Effect& effect = log_.add_effect();
  Exchange& kept = record(live);
  const Identity& identity = item == 0 ? kept.identity : kept.items[item - 1].identity;
  effect.at = now;
  effect.lane = kept.lane;
  effect.exchange = kept.number;
  effect.operation = identity.operation;
  effect.kind = answer.change->kind;
  effect.resource = answer.collection;
  effect.id = answer.change->id;
  effect.reference = answer.change->reference;
  kept.effects.push_back(effect.number);
  if (item != 0) kept.items[item - 1].effects.push_back(effect.number);
  live.lane->operations.add_effect({live.number, item}, effect.kind,
                                   live.view.api + ":" + answer.collection, effect.id);
}

// A read that can find what an operation may have made is a lookup; only now is it known whether it
// found it.
void Play::look_up(LiveExchange& live, const VendorAnswer& answer, Duration now) {
  if (!live.view.safe) return;
  find_searched(live, now);
  Exchange& kept = record(live);
  kept.found = live.lane->operations.shows_effect_of(
      kept.looked_up, live.view.api + ":" + answer.collection, answer.shown);
}

Steps Play::shaped(LiveExchange& live, Moment moment, Steps defaults, Duration now,
                   const SendAnswer* healthy) {
  const PlanContext context{moment,
                            wall_(now),
                            live.connection_field,
                            live.view.method == "HEAD",
                            &origins_[{live.view.api, live.lane->number}],
                            live.view.header("Authorization")};
  Shaped result = shape_steps(std::move(defaults), live.met, context);
  Exchange& kept = record(live);
  keep_hits(kept.rules, live.met);
  if (result.meant) {
    if (sends_answer(result.steps)) {
      keep_answer(kept.answer, std::move(*result.meant), salt_);
      compare(kept.answer, result.steps, healthy, live.met, context);
    }
    note_redirect(live);
  }
  note_scripted_end(live, result.steps, now);
  return std::move(result.steps);
}

void Play::note_scripted_end(LiveExchange& live, const Steps& steps, Duration now) {
  const auto end = scripted_end(steps);
  if (!end) return;
  live.lane->operations.connection_cut(live.number, now + end->after, end->zero_bytes);
}

}  // namespace mishap::server
