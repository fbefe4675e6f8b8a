#include "server/engine/batch_items.h"

#include "server/engine/request_facts.h"
#include "server/resources/batch.h"

namespace mishap::server {
namespace {

LiveItem live_item(const RequestView& create, const scenarios::Resource& resource, SentItem sent,
                   std::string_view salt) {
  LiveItem item;
  item.view = create;
  item.key = std::move(sent.key);
  item.content_hash = content_hash_of(create, sent.content, salt);
  if (!resource.reference.empty()) {
    const std::string* reference = sent.content.member(resource.reference);
    if (reference != nullptr) item.reference = *reference;
  }
  item.view.body = std::move(sent.content);
  return item;
}

}  // namespace

BatchItems take_apart(const RequestView& batch, const Routed& routed, const Content& body,
                      std::string_view salt) {
  const scenarios::Resource& resource = *routed.resource;
  SentItems sent = read_items(body, *resource.batch);
  BatchItems taken;
  taken.complaint = std::move(sent.complaint);
  RequestView create;
  create.api = batch.api;
  create.method = "POST";
  create.target = parse_target(resource.path);
  for (SentItem& item : sent.items) {
    taken.items.push_back(live_item(create, resource, std::move(item), salt));
  }
  return taken;
}

}  // namespace mishap::server
