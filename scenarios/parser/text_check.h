#pragma once

#include <string>
#include <vector>

#include "scenarios/parser/problems.h"
#include "scenarios/parser/source_file.h"

namespace mishap::scenarios {

// A place in the text -> 1-based line and column in bytes.
SourceSpan span_at(const Source& source, std::size_t offset, std::size_t length = 1);

// What can be said about the bytes before they are read as YAML: too long, empty, not UTF-8,
// control bytes, tabs that indent. False where reading on makes no sense.
bool check_text(const Source& source, Problems& problems);

}  // namespace mishap::scenarios
