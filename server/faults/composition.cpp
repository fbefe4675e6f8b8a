#include "server/faults/composition.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace mishap::server {
namespace {

using Rules = std::vector<const CompiledRule*>;

class Middle final : public Draws {
 public:
  double uniform(std::string_view) override { return 0.5; }
  double normal(std::string_view) override { return 0.0; }
};

// A step as something that can be compared: its kind and all that a fault may change in it.
using Print = std::tuple<std::size_t, std::string, std::uint64_t, Duration, bool>;

struct PrintOf {
  std::size_t kind;
  Print operator()(const Handshake& step) const {
    const std::string cut = step.cut ? to_string(*step.cut) : std::string();
    return {kind,
            cut + "/" + step.instead.value_or(""),
            static_cast<std::uint64_t>(step.certificate),
            {},
            step.instead.has_value()};
  }
  Print operator()(const ReadBody& step) const {
    return {kind, std::to_string(step.slice), step.limit, step.gap, false};
  }
  Print operator()(const Wait& step) const { return {kind, "", 0, step.length, false}; }
  Print operator()(const Apply& step) const {
    return {kind, "", step.spoiled.size(), {}, step.upstream};
  }
  Print operator()(const SendAnswer& step) const {
    return {kind,
            encode_head(step) + step.body + (step.filler ? step.filler->rest : ""),
            step.filler ? step.filler->times : 0,
            {},
            step.head_only};
  }
  Print operator()(const Send& step) const {
    return {kind, step.bytes, step.slice, step.gap, false};
  }
  Print operator()(const SendMany& step) const {
    return {kind, step.unit, step.times, step.gap, false};
  }
  Print operator()(const CloseConnection& step) const {
    return {kind, "", step.notifies ? 1U : 0U, {}, step.half};
  }
  Print operator()(const SignalClient& step) const {
    return {kind, step.signal, 0, step.restart_after.value_or(Duration{}),
            step.restart_after.has_value()};
  }
  Print operator()(const Finish& step) const {
    return {kind, "", step.rest ? 1 : 0, step.rest ? step.rest->length : Duration{},
            step.rest && step.rest->reset};
  }
  template <typename Other>
  Print operator()(const Other&) const {
    return {kind, "", 0, {}, false};
  }
};

template <typename Kind>
bool holds(const Steps& steps) {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& step) { return std::holds_alternative<Kind>(step); });
}

Steps default_steps(Moment moment) {
  switch (moment) {
    case Moment::Accept:
      return {Handshake{}};
    case Moment::Head:
      return {ReadBody{}};
    case Moment::Request:
      return {Apply{}};
    case Moment::Apply:
      break;
  }
  return {SendAnswer{200, {}, R"({"id":"1","reference":"r"})", false}, Finish{}};
}

bool goes_on(Moment moment, const Steps& steps) {
  switch (moment) {
    case Moment::Accept:
      return !holds<CloseConnection>(steps) && !holds<ResetConnection>(steps) &&
             !holds<Stall>(steps);
    case Moment::Head:
      return holds<ReadBody>(steps);
    case Moment::Request:
      return holds<Apply>(steps);
    case Moment::Apply:
      break;
  }
  return false;
}

Steps apply_rules(Steps steps, Moment moment, bool shaping, const Rules& rules) {
  Middle draws;
  for (const CompiledRule* rule : rules) {
    if (rule->fault->shapes_answer != shaping) continue;
    const auto asked = asked_in(*rule, moment, steps);
    if (!asked) continue;
    FaultContext context{rule->point, *asked, {}, draws};
    steps = rule->fault->plan(std::move(steps), rule->params, context);
  }
  return steps;
}

// The whole life of one exchange with these rules, in order of their points.
std::vector<Print> play(const Rules& rules) {
  std::vector<Print> story;
  for (const Moment moment : {Moment::Accept, Moment::Head, Moment::Request, Moment::Apply}) {
    Steps steps = apply_rules(default_steps(moment), moment, true, rules);
    steps = apply_rules(encode(std::move(steps)), moment, false, rules);
    for (const Step& step : steps) story.push_back(std::visit(PrintOf{step.index()}, step));
    if (!goes_on(moment, steps)) break;
  }
  return story;
}

struct TakesTime {
  bool operator()(const Wait& step) const { return step.length > Duration::zero(); }
  bool operator()(const WaitForEvent&) const { return true; }
  bool operator()(const Stall&) const { return true; }
  bool operator()(const Send& step) const { return step.slice != 0; }
  bool operator()(const SendMany& step) const {
    return step.times == kEndless || step.gap > Duration::zero();
  }
  bool operator()(const CloseConnection& step) const { return step.half; }
  template <typename Other>
  bool operator()(const Other&) const {
    return false;
  }
};

// Whoever is never connected meets nothing else.
bool lets_nobody_in(const CompiledRule& rule) {
  if (rule.point != Point::Connect) return false;
  const ListenerAction action = rule.fault->listen(rule.params);
  if (std::holds_alternative<LeaveUnanswered>(action)) return true;
  if (!std::holds_alternative<RefuseConnections>(action)) return false;
  const scenarios::When& when = rule.rule.when;
  const bool is_for_good =
      !when.during && when.during_phase.empty() && !rule.fault->listen_for(rule.params);
  return is_for_good && (!when.connection || when.connection->contains(1));
}

}  // namespace

bool leaves_room_for(const CompiledRule& earlier, const CompiledRule& later) {
  if (lets_nobody_in(earlier)) return false;
  const bool changes_something = play({&later}) != play({});
  return !changes_something || play({&earlier, &later}) != play({&earlier});
}

bool keeps_in_flight(const CompiledRule& rule) {
  const Rules rules = {&rule};
  return std::ranges::any_of(std::array{Moment::Request, Moment::Apply}, [&](Moment moment) {
    Steps steps = apply_rules(default_steps(moment), moment, true, rules);
    steps = apply_rules(encode(std::move(steps)), moment, false, rules);
    return std::ranges::any_of(steps,
                               [](const Step& step) { return std::visit(TakesTime{}, step); });
  });
}

}  // namespace mishap::server
