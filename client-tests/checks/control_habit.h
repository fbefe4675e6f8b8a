#pragma once

#include <optional>
#include <string>

#include "client-tests/checks/check.h"

// What the client does anyway, when all is well.
namespace mishap::client_tests {

// A control with one copy stands for every lane. There must be a control.
int lane_in_control(const Case& c, int lane);

// Requests that only their content names cannot be told apart: after a failure the next equal call
// of the client's user is counted as an attempt of the one before. How many such calls may be
// hidden in the operation, by how often the healthy control made the same request; 0 where the
// operation has a name or no control is there. A client that sends every key twice on the good day
// (a queue that delivers at least once) may do so here too.
std::uint64_t hidden_calls(const Case& c, const Operation& operation);

// The healthy control made the same request at least as often as this run did: nothing here need be
// a retry.
bool repeats_by_habit(const Case& c, const Operation& operation);

// A read that a service makes again and again on the good day too, for as long as it lives: its
// polls and its retries cannot be told apart.
bool polls(const Case& c, const Operation& operation);

// How often the control made the same request, at least 1; and how much all equal requests of this
// run created.
std::uint64_t equal_calls(const Case& c, const Operation& operation);
std::uint64_t equal_creations(const Case& c, const Operation& operation);

// A retry whose bytes differ (a time stamp, a cache-buster) is an operation of its own to whoever
// goes by content. True where such a one may stand beside this operation: the same method and path
// again, later, and more of them than in the control.
bool may_have_retried_apart(const Case& c, const Operation& operation);

struct CreationCount {
  std::size_t made = 0;
  std::size_t usual = 0;  // in the healthy control
};
// More was created where this operation creates than the control did.
std::optional<CreationCount> more_than_usual(const Case& c, const Operation& operation);

// All that the control's calls of this method and path did was done in this run too.
bool as_much_as_usual(const Case& c, const Operation& operation);

// Whether the client ever writes outcome lines, here or in the control.
bool writes_outcomes(const Case& c);

// It wrote a line about an operation of this method and path (ids in the path aside), here or in
// the control.
bool writes_outcomes_for(const Case& c, const Operation& operation);

// It sends a second attempt of an operation anywhere: here, in the comparison run.
bool ever_retries(const Case& c);

}  // namespace mishap::client_tests
