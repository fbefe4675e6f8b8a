#include "client-tests/checks/batch_exchange.h"

#include <algorithm>

namespace mishap::client_tests {

using server::BatchItem;
using server::Exchange;

namespace {

bool is_retry_after(const NameValue& field) {
  static constexpr std::string_view kName = "retry-after";
  return std::ranges::equal(field.name, kName, [](char a, char b) { return (a | 0x20) == b; });
}

// Where the answer reached nobody, or is another one, all items share what became of it.
void take_answer(Exchange& call, const BatchItem& item) {
  call.answer.replayed = item.replayed;
  if (item.status == 0) return;
  call.answer.status = item.status;
  call.answer.success = item.status / 100 == 2;
  call.answer.healthy = item.healthy;
  // It is about those that failed.
  if (call.answer.success) std::erase_if(call.answer.headers, is_retry_after);
}

// `shared` is the batch without what it has for each of its items: copied with each of them it
// would be so much squared.
Exchange as_call(const Exchange& shared, const BatchItem& item) {
  Exchange call = shared;
  call.identity = item.identity;
  call.effects = item.effects;
  call.request.key = item.key;
  call.request.reference = item.reference;
  call.request.content_hash = item.content_hash;
  // A key of the whole batch makes it one that may be repeated, though only as it is.
  call.idempotent = shared.idempotent || (item.key.empty() && !shared.request.key.empty());
  take_answer(call, item);
  return call;
}

}  // namespace

bool belongs_to_operations(const Exchange& exchange) {
  return exchange.identity.operation != 0 || !exchange.items.empty();
}

std::uint64_t times_brought(const Exchange& exchange, std::uint64_t operation) {
  if (exchange.items.empty()) return exchange.identity.operation == operation ? 1 : 0;
  return static_cast<std::uint64_t>(std::ranges::count_if(
      exchange.items, [&](const BatchItem& item) { return item.identity.operation == operation; }));
}

std::uint64_t times_said(const Exchange& exchange, const std::string& content_hash) {
  if (exchange.items.empty()) return exchange.request.content_hash == content_hash ? 1 : 0;
  return static_cast<std::uint64_t>(
      std::ranges::count(exchange.items, content_hash, &BatchItem::content_hash));
}

std::vector<Exchange> items_as_calls(const Exchange& batch) {
  Exchange shared = batch;
  shared.items = {};
  shared.effects = {};
  // Its bytes stand among those of the others, which may not be the same the next time.
  shared.request.body_hash = {};
  shared.request.members = {};
  std::vector<Exchange> calls;
  calls.reserve(batch.items.size());
  for (const BatchItem& item : batch.items) calls.push_back(as_call(shared, item));
  return calls;
}

}  // namespace mishap::client_tests
