#include "client-tests/checks/content_table.h"

namespace mishap::client_tests {

ByContent<std::uint32_t> count_contents(const Recording& recording) {
  ByContent<std::uint32_t> times;
  const auto add = [&](int lane, const std::string& content) {
    if (!content.empty()) ++times[{lane, content}];
  };
  for (const server::Exchange& exchange : recording.journal.exchanges) {
    for (const server::BatchItem& item : exchange.items) add(exchange.lane, item.content_hash);
    if (exchange.items.empty()) add(exchange.lane, exchange.request.content_hash);
  }
  return times;
}

}  // namespace mishap::client_tests
