#pragma once

#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// `POST /v1/bookings/:id`, `pay POST /v1/charges`, `any`, or a map. What is wrong is reported and
// the rest read as far as it makes sense.
Matcher read_matcher(const Node& node, Problems& problems);

// "/a/:name/*": reports what is wrong, also with the placeholders of other tools.
bool check_path(const std::string& path, const SourceSpan& span, Problems& problems);

// Any request at all, at this place.
Matcher any_request(const SourceSpan& span);

}  // namespace mishap::scenarios
