#pragma once

#include <cstddef>
#include <vector>

#include "client-tests/checks/check.h"

// Calls that came to nothing before a request was there: nobody was let in, or the connection was
// ended as soon as it was accepted. No operation stands for them in the history.
namespace mishap::client_tests {

// Connects of a lane that were refused or never answered, in order of time.
std::vector<const server::TurnedAway*> turned_away(const Recording& recording, int lane);

// "2 connects were refused", by what the listener did in the last spell.
std::string turned_away_words(const Recording& recording, int lane);

// A call of this lane may have ended before its request: somebody was turned away, was let in only
// to be shown out again, or it could not be heard whether there was anybody.
bool may_have_called_in_vain(const Recording& recording, int lane);

// All that were turned away in the lane are known.
bool all_heard(const Recording& recording, int lane);

// No two operations of the lane were under way at once on the good day, of at least three: what the
// client does it does one after the other. False also where there is no control.
bool works_in_sequence(const Case& c, int lane);

// The client's names for operations are those on the wire: on the good day all of them were.
bool uses_wire_names(const Case& c);

// Operations that the client tells of and of which nothing came: the last line about each, in order
// of time. Empty where it cannot be known that they are its operations, or that nothing came.
std::vector<const OutcomeLine*> unheard_operations(const Case& c, int lane);

// Operations that were seen of this lane, and how many the healthy control had; a control with one
// copy stands for every lane.
struct CallCount {
  std::size_t seen = 0;
  std::size_t usual = 0;
};
CallCount count_calls(const Case& c, int lane);

// As many operations of every kind as in the control, each of them what it seems to be: no call is
// missing. False also where that cannot be known.
bool none_is_missing(const Case& c, int lane);

}  // namespace mishap::client_tests
