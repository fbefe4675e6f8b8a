#pragma once

#include <string>
#include <vector>

#include "mishap/scenario.h"
#include "server/plan/step.h"
#include "server/resources/content.h"

namespace mishap::server {

// An item of a batch as it came: a body of its own, and its idempotency key taken out of it.
struct SentItem {
  std::string key;  // empty: none
  Content content;
};

// A batch, taken apart.
struct SentItems {
  std::vector<SentItem> items;
  std::string complaint;  // why there are none, for people; one line
};
SentItems read_items(const Content& body, const scenarios::Batch& batch);

// What an item is told.
struct ItemAnswer {
  SendAnswer answer;        // as to a single create
  std::string retry_after;  // empty: not said
  bool replayed = false;
};
SendAnswer batch_answer(const std::vector<ItemAnswer>& items, const scenarios::Batch& batch);

// The statuses that such an answer tells; empty where it is none.
std::vector<StatusCode> statuses_told(const SendAnswer& answer, const scenarios::Batch& batch);

}  // namespace mishap::server
