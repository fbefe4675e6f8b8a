#pragma once

#include "mishap/journal.h"
#include "mishap/scenario.h"

// A matcher held against the journal instead of the wire.
namespace mishap::server {

// Whether a recorded exchange is a call that the matcher means. Pure. Bodies are not recorded: a
// matcher on body members is taken to match.
bool matches(const scenarios::Matcher& matcher, const Exchange& exchange);

}  // namespace mishap::server
