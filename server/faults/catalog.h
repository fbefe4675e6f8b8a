#pragma once

#include "server/faults/fault.h"

// The faults by name, each defined in the file of its name. The list itself is in catalog.cpp.
namespace mishap::server {

const FaultDescriptor& latency_fault();
const FaultDescriptor& stall_fault();
const FaultDescriptor& close_fault();
const FaultDescriptor& reset_fault();
const FaultDescriptor& status_fault();
const FaultDescriptor& invalid_json_fault();
const FaultDescriptor& wrong_shape_fault();
const FaultDescriptor& html_page_fault();
const FaultDescriptor& empty_body_fault();
const FaultDescriptor& truncated_body_fault();
const FaultDescriptor& dribble_fault();
const FaultDescriptor& response_lost_fault();
const FaultDescriptor& late_effect_fault();

}  // namespace mishap::server
