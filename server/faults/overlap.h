#pragma once

#include <string>

#include "mishap/scenario.h"

// What can be said about two matchers, or two sets of counters, without a request. Where nothing is
// certain both answers are the harmless one: "may meet", "does not cover".
namespace mishap::server {

// Some path is matched by both patterns.
bool paths_may_meet(std::string_view a, std::string_view b);

// Every request that `special` matches is matched by `general` as well.
bool covers(const scenarios::Matcher& general, const scenarios::Matcher& special);

// Wherever the rule with `special` applies, the counters of the one with `general` hold too, so
// that it has come first. Needs covers(general's matcher, special's matcher).
bool holds_whenever(const scenarios::FaultRule& general, const scenarios::FaultRule& special);

}  // namespace mishap::server
