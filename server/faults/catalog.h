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
const FaultDescriptor& carried_out_twice_fault();
const FaultDescriptor& items_failed_fault();
const FaultDescriptor& expect_continue_fault();
const FaultDescriptor& keep_alive_fault();
const FaultDescriptor& idle_close_fault();
const FaultDescriptor& chunked_fault();
const FaultDescriptor& content_length_fault();
const FaultDescriptor& many_headers_fault();
const FaultDescriptor& extra_fields_fault();
const FaultDescriptor& interim_fault();
const FaultDescriptor& garbage_fault();
const FaultDescriptor& surplus_fault();
const FaultDescriptor& hold_open_fault();
const FaultDescriptor& gzip_fault();
const FaultDescriptor& large_body_fault();
const FaultDescriptor& bad_text_fault();
const FaultDescriptor& odd_json_fault();
const FaultDescriptor& certificate_fault();
const FaultDescriptor& tls_alert_fault();
const FaultDescriptor& plain_bytes_fault();
const FaultDescriptor& no_close_notify_fault();
const FaultDescriptor& quota_fault();
const FaultDescriptor& capacity_fault();
const FaultDescriptor& barrier_fault();
const FaultDescriptor& slow_read_fault();
const FaultDescriptor& client_killed_fault();
const FaultDescriptor& refuse_fault();
const FaultDescriptor& unanswered_fault();
const FaultDescriptor& connection_limit_fault();

}  // namespace mishap::server
