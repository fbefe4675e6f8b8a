#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/engine/draws.h"
#include "server/engine/rule_book.h"
#include "server/journal/fingerprint.h"
#include "server/plan/step.h"

namespace mishap::server {

// A rule that an exchange (or connection) met.
struct MetRule {
  const BookedRule* rule = nullptr;  // borrowed
  RuleHit hit;
  DrawOrigin origin;
  Ruling ruling{};       // of its model, where it has one
  bool planned = false;  // its fault has been asked for steps
};

// An answer that was meant to be sent, without its bytes.
struct MeantAnswer {
  StatusCode status = 0;
  std::vector<NameValue> headers;
  std::uint64_t body_bytes = 0;
  Fingerprint body;  // none: it is made as it goes out
};

struct Shaped {
  Steps steps;                       // encoded
  std::optional<MeantAnswer> meant;  // the last one, where there is one
};

// What stays the same for all answers of a moment.
struct PlanContext {
  Moment moment = Moment::Apply;
  std::chrono::system_clock::time_point wall;
  std::optional<NameValue> connection_field;  // for answers without a Connection field of their own
  bool head_only = false;  // the request is a HEAD: whatever answers it has no body on the wire
  const Origins* origins = nullptr;
  const std::string* authorization = nullptr;  // of the request, as sent; null: it has none
};

// The default steps of a moment, shaped by those met rules that fired and are asked at it: first
// the faults that work on answers, then, on encoded steps, the rest; each in the order of points.
Shaped shape_steps(Steps steps, std::vector<MetRule>& met, const PlanContext& context);

// Bytes of answers in encoded steps, interim ones left out. What is sent many times stands once,
// with its number.
std::string answer_bytes(const Steps& steps);
bool sends_answer(const Steps& steps);

// When, by the script, our FIN or RST ends the connection before the next moment, counted from the
// start of these steps; and whether no byte of an answer goes out before.
struct ScriptedEnd {
  Duration after{};
  bool zero_bytes = true;
};
std::optional<ScriptedEnd> scripted_end(const Steps& steps);

}  // namespace mishap::server
