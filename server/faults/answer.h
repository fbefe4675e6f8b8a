#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mishap/error.h"
#include "server/plan/step.h"

// What the faults that change an answer share.
namespace mishap::server {

bool is_same_field(std::string_view a, std::string_view b);  // names of fields

bool has_field(const std::vector<NameValue>& fields, std::string_view name);

// Replaces every field of that name by one, or adds it.
void set_field(std::vector<NameValue>& fields, std::string_view name, std::string value);

// Whether bytes can follow its head at all (RFC 9110 section 6.4.1).
bool can_have_body(const SendAnswer& answer);

// RFC 9457; of type about:blank, whose title is the status's own phrase.
std::string problem_body(StatusCode code);

// Before the body is read; what is under way of it is read and thrown away, or a RST would take the
// answer with it. A client that asked first (Expect: 100-continue) gets this instead of the 100 and
// may keep its body: the connection cannot be used again, so it is told (RFC 9110 section 10.1.1).
Steps answer_before_body(Steps steps, SendAnswer answer);
// The request is read, and nothing takes effect.
Steps answer_before_effect(Steps steps, SendAnswer answer);

// FIN where the connection would have gone on.
Steps end_with_close(Steps steps);

// Names that are tokens and values without line breaks (RFC 9110 section 5): anything else is a
// slip of YAML. `owner` as in `fault "status"`.
void validate_fields(const std::vector<NameValue>& fields, const std::string& owner,
                     const SourceSpan& span, Diagnostics& diagnostics);
bool breaks_the_line(std::string_view value);

// Calls change(answer) for each answer of the list that can have a body.
template <typename Change>
Steps change_answers(Steps steps, Change change) {
  for (Step& step : steps) {
    if (auto* answer = std::get_if<SendAnswer>(&step);
        answer != nullptr && can_have_body(*answer)) {
      change(*answer);
    }
  }
  return steps;
}

}  // namespace mishap::server
