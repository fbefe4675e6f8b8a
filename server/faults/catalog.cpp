#include "server/faults/catalog.h"

#include <algorithm>

#include "mishap/server.h"
#include "server/faults/table.h"

namespace mishap::server {

// An explicit list: objects that register themselves are dropped by the linker when nothing else in
// their file of a static library is used.
const std::vector<const FaultDescriptor*>& fault_descriptors() {
  static const std::vector<const FaultDescriptor*> all = {
      &latency_fault(),
      &stall_fault(),
      &close_fault(),
      &reset_fault(),
      &status_fault(),
      &invalid_json_fault(),
      &wrong_shape_fault(),
      &html_page_fault(),
      &empty_body_fault(),
      &truncated_body_fault(),
      &dribble_fault(),
      &response_lost_fault(),
      &late_effect_fault(),
      &carried_out_twice_fault(),
      &items_failed_fault(),  // of a batch
      &expect_continue_fault(),
      &keep_alive_fault(),
      &idle_close_fault(),
      &chunked_fault(),
      &content_length_fault(),
      &many_headers_fault(),
      &extra_fields_fault(),
      &interim_fault(),
      &garbage_fault(),
      &surplus_fault(),
      &hold_open_fault(),
      &gzip_fault(),
      &large_body_fault(),
      &bad_text_fault(),
      &odd_json_fault(),
      &certificate_fault(),
      &tls_alert_fault(),
      &plain_bytes_fault(),
      &no_close_notify_fault(),
      &quota_fault(),
      &capacity_fault(),
      &barrier_fault(),
      &refuse_fault(),
      &unanswered_fault(),
      &connection_limit_fault(),
      &slow_read_fault(),
      &client_killed_fault(),
  };
  return all;
}

const FaultDescriptor* find_fault(std::string_view name) {
  const auto& all = fault_descriptors();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const FaultDescriptor* fault) { return fault->name == name; });
  return found == all.end() ? nullptr : *found;
}

const FaultDescriptor* find_action(std::string_view action) {
  if (action.empty()) return nullptr;
  const auto& all = fault_descriptors();
  const auto found = std::find_if(all.begin(), all.end(), [&](const FaultDescriptor* fault) {
    return fault->action == action;
  });
  return found == all.end() ? nullptr : *found;
}

Moment moment_of(Point point) {
  switch (point) {
    case Point::Connect:
    case Point::Accept:
    case Point::Handshake:
      return Moment::Accept;
    case Point::RequestHead:
    case Point::RequestBody:
      return Moment::Head;
    case Point::BeforeEffect:
      return Moment::Request;
    case Point::AfterEffect:
    case Point::ResponseHead:
    case Point::ResponseBody:
    case Point::AfterResponse:
    case Point::Idle:
      break;
  }
  return Moment::Apply;
}

std::vector<CatalogueEntry> fault_catalogue() {
  // CatalogueEntry borrows; the texts that no descriptor holds as a whole live here.
  static const std::vector<std::string> points = [] {
    std::vector<std::string> texts;
    for (const FaultDescriptor* fault : fault_descriptors()) texts.push_back(points_text(*fault));
    return texts;
  }();
  std::vector<CatalogueEntry> entries;
  for (std::size_t i = 0; i < fault_descriptors().size(); ++i) {
    const FaultDescriptor& fault = *fault_descriptors()[i];
    CatalogueEntry entry{fault.name, fault.summary, fault.params, fault.since, {}};
    entry.details.emplace_back("stands for", fault.stands_for);
    entry.details.emplace_back("at", points[i]);
    if (!fault.action.empty()) entry.details.emplace_back("do", fault.action);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace mishap::server
