#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/engine/request_view.h"
#include "server/engine/router.h"

namespace mishap::server {

// An item of a batch as the single create that it stands for.
struct LiveItem {
  RequestView view;  // without the fields of the batch
  std::string key;   // of its own; empty: none
  std::string reference;
  std::string content_hash;  // equal to that of the single create
};

struct BatchItems {
  std::vector<LiveItem> items;
  std::string complaint;  // why there are none
};

// `routed`: of the batch, with Kind::Batch.
BatchItems take_apart(const RequestView& batch, const Routed& routed, const Content& body,
                      std::string_view salt);

}  // namespace mishap::server
