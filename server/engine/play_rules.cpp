// Which rules an exchange or a connection meets, and whether they happened.
#include <algorithm>

#include "server/engine/play.h"

namespace mishap::server {
namespace {

bool fires(double rate, const DrawOrigin& origin, RuleHit& hit) {
  if (rate >= 1.0) return true;
  if (rate <= 0.0) return false;
  DrawStream draws(origin, hit.draws);
  return wins(draws.uniform("rate"), rate);
}

}  // namespace

// A rule counts the requests that its matcher met, from the moment at which it can tell.
void Play::count_rules(LiveExchange& live, bool with_body) {
  for (const std::size_t index : book_.matchers_for(live.view.target)) {
    const RequestMatcher& matcher = book_.matcher(index);
    if (matcher.needs_body() != with_body || !matcher.matches(live.view)) continue;
    live.matchers.push_back({index, ++live.lane->requests_of[index], std::nullopt});
  }
}

// Counted among the calls that the rule is about: a client that reads a list before it creates has
// its first create spoiled all the same. A batch counts as the first of its items.
void Play::count_operations(LiveExchange& live) {
  const Exchange& kept = record(live);
  for (MetMatcher& met : live.matchers) {
    if (met.op) continue;
    if (kept.identity.operation != 0) {
      met.op = live.lane->operation_of(met.matcher, kept.identity.operation);
      continue;
    }
    for (const BatchItem& item : kept.items) {
      const std::uint64_t ordinal = live.lane->operation_of(met.matcher, item.identity.operation);
      if (!met.op || ordinal < *met.op) met.op = ordinal;
    }
  }
}

// Those whose matchers it met, in the order of the file.
std::vector<std::size_t> Play::rules_for(const LiveExchange& live, Point point) const {
  std::vector<std::size_t> rules;
  for (const MetMatcher& met : live.matchers) {
    const auto& some = book_.rules_at(point, met.matcher);
    rules.insert(rules.end(), some.begin(), some.end());
  }
  std::ranges::sort(rules);
  return rules;
}

// The rate is drawn here; a lost draw is kept as a hit that did not fire.
std::optional<MetRule> Play::meet(const BookedRule& rule, const Occasion& occasion,
                                  DrawOrigin origin) {
  const scenarios::FaultRule& written = rule.compiled.rule;
  if (is_healed_ || !book_.holds(written.when, occasion)) return std::nullopt;
  MetRule met;
  met.rule = &rule;
  met.origin = origin;
  met.origin.seed = options_.seed;
  met.origin.route = written.on.text;
  met.origin.rule = rule.stream;
  met.hit.rule = written.name;
  met.hit.fault = std::string(rule.compiled.fault->name);
  met.hit.point = std::string(scenarios::to_string(rule.compiled.point));
  met.hit.op = occasion.op.value_or(0);
  met.hit.fired = fires(book_.rate(written.when, occasion.elapsed), met.origin, met.hit);
  return met;
}

void Play::ask_model(std::size_t rule, const LiveExchange& live, Duration now, MetRule& met) {
  if (!models_[rule] || !met.hit.fired) return;
  const std::string* token = live.view.header("Authorization");
  const std::string route = live.view.method + " " + live.routed.collection;
  met.ruling = models_[rule]->on_request(
      {live.number, live.lane->number, token == nullptr ? std::string_view() : *token, route, now});
  met.hit.fired = met.ruling.applies;
  met.hit.readings = met.ruling.readings;
  if (met.ruling.opens) events_.push_back(met.ruling.event);
}

void Play::tell_models(LiveExchange& live) {
  for (std::size_t i = 0; i < models_.size(); ++i) {
    if (!models_[i]) continue;
    std::vector<Reading> readings = models_[i]->on_end(live.number);
    if (readings.empty()) continue;
    for (MetRule& met : live.met) {
      if (met.rule == &book_[i]) met.hit.readings = readings;
    }
  }
}

void Play::choose(LiveExchange& live, Moment moment, Duration now) {
  const Exchange& kept = record(live);
  Occasion occasion;
  occasion.copy = kept.lane;
  occasion.connection = live.connection_in_lane;
  occasion.request_on_connection = kept.on_connection;
  occasion.elapsed = elapsed(now);
  DrawOrigin origin{.lane = kept.lane, .unit = "request", .ordinal = live.number_in_lane};
  if (kept.identity.attempt != 0) occasion.attempt = kept.identity.attempt;
  if (kept.identity.operation != 0) {
    origin.unit = "operation";
    origin.ordinal = kept.identity.ordinal;
    origin.attempt = kept.identity.attempt;
  }
  count_operations(live);
  for (const Point point : book_.points_decided_at(moment)) {
    for (const std::size_t index : rules_for(live, point)) {
      const auto counted =
          std::ranges::find(live.matchers, book_[index].matcher, &MetMatcher::matcher);
      occasion.request = counted->request;
      occasion.op = counted->op;
      auto met = meet(book_[index], occasion, origin);
      if (!met) continue;
      ask_model(index, live, now, *met);
      live.met.push_back(std::move(*met));
      if (live.met.back().hit.fired) break;  // the first that applies is the only one at a point
    }
  }
}

void Play::choose_at_accept(LiveConnection& live, Duration now) {
  Occasion occasion;
  occasion.copy = live.lane->number;
  occasion.connection = live.number_in_lane;
  occasion.elapsed = elapsed(now);
  const DrawOrigin origin{
      .lane = live.lane->number, .unit = "connection", .ordinal = live.number_in_lane};
  for (const Point point : book_.points_decided_at(Moment::Accept)) {
    if (point == Point::Connect) continue;  // the listener's, which is asked for apart (doors.cpp)
    for (const std::size_t index : book_.rules_at(point)) {
      const RequestMatcher& matcher = book_.matcher(book_[index].matcher);
      if (!matcher.matches_connection(live.vendor->api().name)) continue;
      if (point == Point::Handshake && !live.tls) continue;  // there is none
      auto met = meet(book_[index], occasion, origin);
      if (!met) continue;
      live.met.push_back(std::move(*met));
      if (live.met.back().hit.fired) break;
    }
  }
}

// A rule whose moment has not come is not in the journal: the exchange may end before it.
void Play::keep_hits(std::vector<RuleHit>& hits, const std::vector<MetRule>& met) {
  hits.clear();
  for (const MetRule& rule : met) {
    if (rule.planned || !rule.hit.fired) hits.push_back(rule.hit);
  }
}

void Play::prove(std::vector<RuleHit>& hits, const std::vector<MetRule>& met,
                 const Exchange& exchange, const Connection* connection) {
  std::size_t index = 0;
  for (const MetRule& rule : met) {
    if (!rule.planned && rule.hit.fired) continue;
    RuleHit& hit = hits[index++];
    if (!hit.fired) continue;
    const CompiledRule& compiled = rule.rule->compiled;
    const auto missing =
        compiled.fault->shortfall(Proof{exchange, compiled.point, connection}, compiled.params);
    hit.delivered = !missing;
    hit.shortfall = missing.value_or("");
  }
}

}  // namespace mishap::server
