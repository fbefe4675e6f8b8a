#include "server/engine/doors.h"

#include <algorithm>

namespace mishap::server {
namespace {

std::string_view word_of(const ListenerAction& action) {
  if (std::holds_alternative<RefuseConnections>(action)) return "refused";
  if (std::holds_alternative<LeaveUnanswered>(action)) return "unanswered";
  return "limited";
}

bool is_timed(const scenarios::When& when) {
  return when.during || !when.during_phase.empty();
}

bool is_about(const RuleBook& book, const BookedRule& rule, const Doors::Occasion& occasion) {
  const auto& copy = rule.compiled.rule.when.copy;
  return book.matcher(rule.matcher).matches_connection(occasion.api) &&
         (!copy || copy->contains(static_cast<std::uint64_t>(occasion.lane)));
}

void keep_earlier(std::optional<Duration>& until, const std::optional<Duration>& other) {
  if (other && (!until || *other < *until)) until = other;
}

}  // namespace

// A span of the scenario's clock, which has to run.
Doors::Hold Doors::during(const BookedRule& rule, const Occasion& occasion) const {
  if (!occasion.started) return {};
  const scenarios::When& when = rule.compiled.rule.when;
  const Timeline& timeline = book_.timeline();
  const Duration elapsed = occasion.now - *occasion.started;
  const auto span = timeline.span_at(when, elapsed);
  const auto change =
      span ? std::optional<Duration>(span->second) : timeline.next_begin(when, elapsed);
  Hold hold{span.has_value(), std::nullopt};
  if (change) hold.until = *occasion.started + *change;
  return hold;
}

// From the moment at which the connection would be the next (where none is named: from the
// beginning), for its time or for good. What comes to the lane by another api does not end it.
Doors::Hold Doors::in_place(const BookedRule& rule, const Occasion& occasion, State& state) {
  const CompiledRule& compiled = rule.compiled;
  const auto& count = compiled.rule.when.connection;
  if (!state.since) {
    const std::uint64_t next = count ? occasion.connections + 1 : 1;
    if ((count && !count->contains(next)) || state.over_for == next) return {};
    state.since = occasion.now;
    state.place = next;
  }
  const auto length = compiled.fault->listen_for(compiled.params);
  if (!length) return {true, std::nullopt};
  const Duration end = *state.since + *length;
  if (occasion.now < end) return {true, end};
  state.over_for = state.place;
  state.since.reset();
  return {};
}

Doors::Hold Doors::hold_of(const BookedRule& rule, const Occasion& occasion, State& state) const {
  if (rule.compiled.fault->listen_for == nullptr) return {true, std::nullopt};
  return is_timed(rule.compiled.rule.when) ? during(rule, occasion)
                                           : in_place(rule, occasion, state);
}

std::uint64_t Doors::begin_spell(const BookedRule& rule, const Occasion& occasion) {
  const CompiledRule& compiled = rule.compiled;
  ListenerSpell& spell = log_.add_spell();
  spell.lane = occasion.lane;
  spell.api = occasion.api;
  spell.what = std::string(word_of(compiled.fault->listen(compiled.params)));
  RuleHit hit;
  hit.rule = compiled.rule.name;
  hit.fault = std::string(compiled.fault->name);
  hit.point = std::string(scenarios::to_string(Point::Connect));
  hit.fired = true;
  hit.shortfall = "the listener has not done it yet";
  spell.rules.push_back(std::move(hit));
  return spell.number;
}

Door Doors::at(const Occasion& occasion) {
  Door door;
  for (const std::size_t index : book_.rules_at(Point::Connect)) {
    const BookedRule& rule = book_[index];
    if (!is_about(book_, rule, occasion)) continue;
    door.may_change = true;
    State& state = states_[{occasion.lane, occasion.api, index}];
    const Hold hold = hold_of(rule, occasion, state);
    keep_earlier(door.until, hold.until);
    if (!hold.in_force || door.spell != 0) {
      state.spell = 0;
      continue;
    }
    if (state.spell == 0) state.spell = begin_spell(rule, occasion);
    door.spell = state.spell;
    log_.spell(door.spell).until = hold.until;
    door.action = rule.compiled.fault->listen(rule.compiled.params);
  }
  return door;
}

// Its time counts from when the listener did it, which is a little later than it was told to.
void Doors::keep_whole(std::uint64_t number, Duration began) {
  for (auto& [place, state] : states_) {
    if (state.spell == number && state.since) state.since = std::max(*state.since, began);
  }
}

void Doors::seen(std::uint64_t number, const SpellFacts& facts) {
  if (facts.began) keep_whole(number, *facts.began);
  ListenerSpell& spell = log_.spell(number);
  spell.began = facts.began;
  spell.ended = facts.ended;
  spell.probe = facts.probe;
  spell.dropped = facts.dropped;
  spell.most_open = facts.most_open;
  spell.most_waiting = facts.most_waiting;
  spell.heard = facts.heard;
  for (const std::size_t index : book_.rules_at(Point::Connect)) {
    const CompiledRule& rule = book_[index].compiled;
    RuleHit& hit = spell.rules.front();
    if (rule.rule.name != hit.rule) continue;
    const auto missing =
        rule.fault->shortfall(Proof{Exchange{}, Point::Connect, nullptr, &spell}, rule.params);
    hit.delivered = !missing;
    hit.shortfall = missing.value_or("");
  }
}

void Doors::turned_away(std::uint64_t number, Port client_port, Duration now) {
  const ListenerSpell& spell = log_.spell(number);
  log_.add_turned_away({number, spell.lane, spell.api, now, client_port});
}

}  // namespace mishap::server
