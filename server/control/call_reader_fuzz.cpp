#include "server/control/call_reader.h"

#include <fmt/format.h>

#include "cmake/fuzz/fuzz.h"
#include "server/control/guard.h"

// Bytes of a caller of the control API: however they are cut, the same call is read or none is, and
// it stays within its bounds.
namespace mishap::server::control {
namespace {

using fuzz::Cut;
using fuzz::hold;

// Whether there is a call, and which. What is none may be refused at once, or only when its head
// ends.
struct Reading {
  bool done = false;
  std::string call;
  bool operator==(const Reading&) const = default;
};

std::string told(const Call& call) {
  std::string text = fmt::format("{} {}?{}", call.method, call.path, call.query);
  for (const NameValue& field : call.headers) text += "\n" + field.name + ":" + field.value;
  return text + "\n\n" + call.body;
}

void check_problem(const Problem& problem) {
  hold(problem.status >= 400 && problem.status < 500, "a bad call is the caller's fault");
  hold(!reason_phrase(problem.status).empty(), "its status is one of this API");
  hold(!problem.detail.empty() && !problem_json(problem).empty(), "what is wrong is said");
}

void check_call(const Call& call) {
  hold(call.path.size() + call.query.size() <= kMostTarget, "a target is within its limit");
  hold(call.body.size() <= kMostBody, "a body is within its limit");
  hold(call.path.find('?') == std::string::npos, "a path ends before its query");
  hold(!call.method.empty(), "a call has a method");
  Doors doors;
  if (const auto problem = turned_away(doors, call)) check_problem(*problem);
  doors.token = "t";
  hold(turned_away(doors, call).has_value() || call.header("Authorization").ends_with(" t"),
       "nobody comes in without the token");
}

Reading read(std::string_view text, Cut cut) {
  CallReader reader;
  Reading reading;
  bool refused = false;
  int go_aheads = 0;
  fuzz::feed(text, cut, [&](std::string_view piece) {
    if (refused || reader.is_done()) return;
    const auto problem = reader.take(piece);
    if (problem) check_problem(*problem);
    refused = problem.has_value();
    if (!problem && reader.wants_go_ahead()) ++go_aheads;
  });
  hold(go_aheads <= 1, "a caller is told once to go on");
  reading.done = !refused && reader.is_done();
  if (!reading.done) return reading;
  const Call call = reader.call();
  check_call(call);
  reading.call = told(call);
  return reading;
}

void check(std::string_view text) {
  const Reading whole = read(text, Cut::Whole);
  for (const Cut cut : {Cut::Pieces, Cut::Bytes}) {
    hold(read(text, cut) == whole, "every cut gives the same call");
  }
}

}  // namespace
}  // namespace mishap::server::control

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mishap::server::control::check(mishap::fuzz::text_of(data, size));
  return 0;
}
