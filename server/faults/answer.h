#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/plan/step.h"

// What the faults that change an answer share.
namespace mishap::server {

bool has_field(const std::vector<NameValue>& fields, std::string_view name);

// Replaces every field of that name by one, or adds it.
void set_field(std::vector<NameValue>& fields, std::string_view name, std::string value);

// Whether bytes can follow its head at all (RFC 9110 section 6.4.1).
bool can_have_body(const SendAnswer& answer);

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
