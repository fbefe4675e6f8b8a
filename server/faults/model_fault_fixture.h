#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/faults/fault_fixture.h"
#include "server/plan/step_printer.h"

// For the tests of faults whose memory is a model's: rulings, and exchanges that were met.
namespace mishap::server {

inline Ruling wait_of(Duration length, bool refused) {
  Ruling ruling;
  ruling.refused = refused;
  ruling.wait = length;
  return ruling;
}

// What the fault makes of the ruling, in the moment of its point.
inline std::string ruled(const FaultDescriptor& fault, Point point, const Written& written,
                         const Ruling& ruling) {
  ScriptedDraws draws(0.5);
  FaultContext context{point, moment_of(point), {}, draws, ruling};
  Steps steps = ordinary(context.moment);
  if (!fault.shapes_answer) steps = encode(std::move(steps));
  return print(fault.plan(std::move(steps), params_of(fault, written), context));
}

// An exchange that met the rule with these readings.
inline Exchange met(const FaultDescriptor& fault, Point point, std::vector<Reading> readings,
                    Exchange exchange) {
  RuleHit hit;
  hit.fault = std::string(fault.name);
  hit.point = std::string(scenarios::to_string(point));
  hit.fired = true;
  hit.readings = std::move(readings);
  exchange.rules = {hit};
  return exchange;
}

inline Exchange refused_with(StatusCode status) {
  return changed(answered(), [status](Exchange& e) {
    e.applied.reset();
    e.effects.clear();
    e.answer.status = status;
    e.answer.healthy = false;
  });
}

}  // namespace mishap::server
