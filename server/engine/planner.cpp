#include "server/engine/planner.h"

#include <algorithm>

#include "server/engine/request_view.h"

namespace mishap::server {
namespace {

void complete_answers(Steps& steps, const PlanContext& context) {
  for (Step& step : steps) {
    auto* answer = std::get_if<SendAnswer>(&step);
    if (answer == nullptr) continue;
    answer->head_only = answer->head_only || context.head_only;
    if (!context.connection_field) continue;
    const bool has_own = std::any_of(
        answer->headers.begin(), answer->headers.end(),
        [](const NameValue& field) { return equal_ignoring_case(field.name, "Connection"); });
    if (!has_own) answer->headers.push_back(*context.connection_field);
  }
}

void remember_answer(const Steps& steps, std::optional<MeantAnswer>& meant) {
  const SendAnswer* last = nullptr;
  for (const Step& step : steps) {
    if (const auto* answer = std::get_if<SendAnswer>(&step)) last = answer;
  }
  if (last == nullptr) return;
  meant = MeantAnswer{last->status, last->headers, last->body_size(),
                      last->filler ? Fingerprint{} : fingerprint(last->body)};
}

Steps plan(Steps steps, MetRule& met, Moment moment, const PlanContext& context) {
  DrawStream draws(met.origin, met.hit.draws);
  const CompiledRule& compiled = met.rule->compiled;
  FaultContext fault_context{compiled.point, moment,          context.wall,         draws,
                             met.ruling,     context.origins, context.authorization};
  met.planned = true;
  return compiled.fault->plan(std::move(steps), compiled.params, fault_context);
}

Duration length_of(const Send& send) {
  if (send.slice == 0) return {};
  const auto slices = (send.bytes.size() + send.slice - 1) / send.slice;
  return slices < 2 ? Duration{} : send.gap * static_cast<Duration::rep>(slices - 1);
}

}  // namespace

Shaped shape_steps(Steps steps, std::vector<MetRule>& met, const PlanContext& context) {
  Shaped shaped;
  for (const bool shapes_answer : {true, false}) {
    for (MetRule& rule : met) {
      if (rule.rule->compiled.fault->shapes_answer != shapes_answer) continue;
      const auto moment =
          rule.hit.fired ? asked_in(rule.rule->compiled, context.moment, steps) : std::nullopt;
      if (!moment) continue;
      steps = plan(std::move(steps), rule, *moment, context);
      if (shapes_answer) continue;
      complete_answers(steps, context);
      remember_answer(steps, shaped.meant);
      steps = encode(std::move(steps));
    }
    complete_answers(steps, context);
    remember_answer(steps, shaped.meant);
    steps = encode(std::move(steps));
  }
  shaped.steps = std::move(steps);
  return shaped;
}

std::string answer_bytes(const Steps& steps) {
  std::string bytes;
  for (const Step& step : steps) {
    const auto* send = std::get_if<Send>(&step);
    if (send != nullptr && send->part != Part::Interim) bytes += send->bytes;
    const auto* many = std::get_if<SendMany>(&step);
    if (many != nullptr && many->part != Part::Interim) {
      bytes += many->unit + std::to_string(many->times);
    }
  }
  return bytes;
}

bool sends_answer(const Steps& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    const auto* send = std::get_if<Send>(&step);
    return send != nullptr && send->part != Part::Interim && !send->bytes.empty();
  });
}

std::optional<ScriptedEnd> scripted_end(const Steps& steps) {
  ScriptedEnd end;
  for (const Step& step : steps) {
    if (const auto* wait = std::get_if<Wait>(&step)) end.after += wait->length;
    if (const auto* send = std::get_if<Send>(&step)) {
      end.after += length_of(*send);
      if (send->part != Part::Interim && !send->bytes.empty()) end.zero_bytes = false;
    }
    if (std::holds_alternative<CloseConnection>(step)) return end;
    if (std::holds_alternative<ResetConnection>(step)) return end;
    // What comes after a stall or in another moment has no instant yet.
    if (const auto* many = std::get_if<SendMany>(&step)) {
      if (many->times == kEndless) return std::nullopt;
      end.after += many->gap * static_cast<Duration::rep>(many->times);
      if (many->part != Part::Interim) end.zero_bytes = false;
    }
    const bool unknown =
        std::holds_alternative<Stall>(step) || std::holds_alternative<WaitForEvent>(step) ||
        std::holds_alternative<Apply>(step) || std::holds_alternative<ReadBody>(step) ||
        std::holds_alternative<SignalClient>(step);
    if (unknown) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace mishap::server
