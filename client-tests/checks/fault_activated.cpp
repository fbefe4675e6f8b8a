#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/tally.h"

// Whether the scenario really happened: without that nothing else may pass.
namespace mishap::client_tests {

namespace {

struct Seen {
  std::vector<std::uint64_t> applied;  // exchanges; a connection that carried none counts below
  std::size_t on_connections = 0;
  std::vector<std::uint64_t> short_of;
  std::string shortfall;       // of the first that was not delivered
  bool lost_the_draw = false;  // the call came, the rate's draw let it pass
  bool unheard = false;        // refused, and whether anybody asked could not be heard
  bool unasked = false;        // refused, and nobody asked
  std::size_t turned_away = 0;
  bool by_proxy = false;  // clients came that way
  bool let_pass = false;  // the call came, and was within what the rule's quota or so allows
};

void look_at(const server::RuleHit& hit, std::uint64_t exchange, Seen& seen) {
  if (!hit.fired) {
    (hit.readings.empty() ? seen.lost_the_draw : seen.let_pass) = true;
  } else if (!hit.delivered) {
    if (seen.shortfall.empty()) seen.shortfall = hit.shortfall;
    if (exchange != 0) seen.short_of.push_back(exchange);
    if (seen.shortfall.empty()) seen.shortfall = "no proof of it in the receipt";
  } else if (exchange != 0) {
    seen.applied.push_back(exchange);
  } else {
    ++seen.on_connections;
  }
}

// A limit that a refusal interrupts begins anew behind it: once is enough.
bool was_met_in_another(const RuleFacts& rule, const server::ListenerSpell& spell,
                        const server::Journal& journal) {
  return std::ranges::any_of(journal.spells, [&](const server::ListenerSpell& other) {
    return other.number != spell.number && other.what == spell.what && other.what != "refused" &&
           std::ranges::any_of(other.rules, [&](const server::RuleHit& hit) {
             return hit.rule == rule.name && hit.delivered;
           });
  });
}

// A port that refuses has done it to nobody until somebody comes.
void look_at(const server::ListenerSpell& spell, const server::RuleHit& hit,
             const server::Journal& journal, Seen& seen) {
  if (spell.what != "refused" || !hit.delivered) return look_at(hit, 0, seen);
  const auto came =
      std::ranges::count(journal.turned_away, spell.number, &server::TurnedAway::spell);
  seen.turned_away += static_cast<std::size_t>(came);
  if (came == 0) (spell.heard ? seen.unasked : seen.unheard) = true;
}

Seen seen_of(const RuleFacts& rule, const server::Journal& journal) {
  Seen seen;
  for (const auto& connection : journal.connections) {
    seen.by_proxy = seen.by_proxy || !connection.asked_for.empty();
    for (const auto& hit : connection.rules) {
      if (hit.rule == rule.name) look_at(hit, 0, seen);
    }
  }
  for (const auto& spell : journal.spells) {
    for (const auto& hit : spell.rules) {
      if (hit.rule != rule.name) continue;
      if (!hit.delivered && was_met_in_another(rule, spell, journal)) continue;
      look_at(spell, hit, journal, seen);
    }
  }
  for (const auto& exchange : journal.exchanges) {
    for (const auto& hit : exchange.rules) {
      if (hit.rule == rule.name) look_at(hit, exchange.number, seen);
    }
  }
  return seen;
}

bool starts_later(const std::optional<scenarios::Count>& count) {
  return count && !count->contains(1);
}

// "Attempt 2" is no shortfall where the client made one attempt.
bool may_not_have_been_reached(const RuleFacts& rule) {
  return starts_later(rule.op) || starts_later(rule.attempt) || starts_later(rule.request);
}

Witness cite(const std::vector<std::uint64_t>& exchanges, std::string statement) {
  Witness witness;
  witness.statement = std::move(statement);
  witness.exchanges = exchanges;
  return witness;
}

void judge_rule(const RuleFacts& rule, const Seen& seen, Tally& tally) {
  const std::size_t times = seen.applied.size() + seen.on_connections;
  if (!seen.shortfall.empty()) {
    const std::string text = fmt::format("{} was not delivered: {}", rule.name, seen.shortfall);
    tally.open(text, cite(seen.short_of, text));
  } else if (times > 0) {
    tally.held(cite(seen.applied, fmt::format("{} applied {}", rule.name, counted(times, "time"))));
  } else if (seen.turned_away > 0) {
    tally.held(
        said(fmt::format("{} turned {} away", rule.name, counted(seen.turned_away, "connect"))));
  } else if (seen.unheard) {
    const std::string text = fmt::format(
        "{}: connections were refused, and whether the client asked for one meanwhile could not "
        "be heard",
        rule.name);
    tally.open(text, said(text));
  } else if (seen.unasked) {
    tally.warn(fmt::format("{}: nobody asked for a connection while they were refused{}", rule.name,
                           seen.by_proxy ? " (who comes by the proxy is not refused)" : ""));
  } else if (seen.lost_the_draw) {
    tally.warn(fmt::format("{}: the call came, but no draw fell on it", rule.name));
  } else if (seen.let_pass) {
    tally.warn(fmt::format("{}: the call came, and was let pass each time", rule.name));
  } else if (may_not_have_been_reached(rule)) {
    tally.warn(fmt::format("{}: the client never came that far", rule.name));
  } else if (rule.called_in_control) {
    const std::string text =
        fmt::format("{}: the client made the call in the control, not here", rule.name);
    tally.open(text, cite({}, text));
  }
}

Finding evaluate(const Case& c, const Params&) {
  const auto& rules = c.recording.scenario.rules;
  if (rules.empty()) return not_applicable("the scenario has no faults");
  Tally tally;
  for (const auto& rule : rules) judge_rule(rule, seen_of(rule, c.recording.journal), tally);
  if (tally.judged() == 0 && !tally.any_open()) {
    tally.open("no rule of the scenario was applied",
               cite({}, "no rule of the scenario was applied"));
  }
  return std::move(tally).settle(
      {.held = counted(tally.judged(), "rule") + " applied as scripted"});
}

}  // namespace

const CheckDescriptor kFaultActivated = {
    .name = "fault_activated",
    .summary = "the scenario really happened on the wire",
    .rule = "every rule whose call came was applied at least once, and each receipt proves it",
    .judged = "every run with faults",
    .why = "A fault that did not happen proves nothing about the client.",
    .change =
        "Nothing in the client: aim the scenario at a call that it makes, or look at the "
        "shortfall.",
    .source = "fault-injection theory (activated, masked); storage-testbench's retry accounting",
    .since = "0.1",
    .severity = 10,
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
