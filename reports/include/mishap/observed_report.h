#pragma once

#include <string>

#include "mishap/observed.h"

namespace mishap::reports {

// What a client was seen to do, for people, with the block of promises at the end. Pure: equal
// input, equal bytes.
std::string observed_text(const client_tests::Observed& observed);

// The same for programs: one object, spans in seconds; what was not seen is null.
std::string observed_json(const client_tests::Observed& observed);

}  // namespace mishap::reports
