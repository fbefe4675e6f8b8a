#pragma once

#include "server/faults/fault.h"

namespace mishap::server {
const FaultDescriptor& teapot_fault();
}  // namespace mishap::server
