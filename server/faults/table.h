#pragma once

#include <string>

#include "server/faults/fault.h"

namespace mishap::server {

// "after_effect (default), before_effect": where the fault makes sense.
std::string points_text(const FaultDescriptor& fault);

// The table of faults of README.md, from the descriptors. Ends with a newline.
std::string fault_table_markdown();

}  // namespace mishap::server
