#include "scenarios/parser/batch_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/parser/map_view.h"
#include "scenarios/parser/matcher_reader.h"

namespace mishap::scenarios {
namespace {

bool is_pattern(const std::string& path) {
  return path.find("/:") != std::string::npos || path.ends_with('*');
}

void read_path(const Node& node, Batch& batch, Problems& problems) {
  const auto* text = scalar_text(node, "path", problems);
  if (text == nullptr || !check_path(*text, node.span, problems)) return;
  if (is_pattern(*text)) {
    problems.error(node.span, "a batch has one path, without \":id\" and \"*\"");
    return;
  }
  batch.path = *text;
}

// Whatever became of the items, so a status that tells of one of them would be wrong.
void read_status(const Node& node, Batch& batch, Problems& problems) {
  const auto* text = scalar_text(node, "status", problems);
  if (text == nullptr) return;
  const auto code = parse_status(*text);
  if (code && (*code == 200 || *code == 207)) {
    batch.status = *code;
  } else {
    problems.error(node.span,
                   "a batch is answered with 200 or 207: what became of each item stands in its "
                   "result");
  }
}

void read_member(const MapView& map, std::string_view key, std::string& out, Problems& problems) {
  map.text(key, out);
  if (map.has(key) && out.empty()) {
    problems.error(map.find(key)->span, fmt::format("\"{}\" is the name of a member", key));
  }
}

void read_map(const Node& node, Batch& batch, Problems& problems) {
  const MapView map(node, batch_keys(), problems);
  if (const Node* path = map.find("path")) read_path(*path, batch, problems);
  read_member(map, "items", batch.items, problems);
  read_member(map, "results", batch.results, problems);
  read_member(map, "key", batch.key, problems);
  if (const Node* status = map.find("status")) read_status(*status, batch, problems);
}

void check_path_is_free(const Resource& owner, const Api& api, Problems& problems) {
  const Batch& batch = *owner.batch;
  const auto taken = [&](const SourceSpan& span) {
    problems.error(span, fmt::format("the batch of \"{}\" is at {} as well: give one of them "
                                     "another path, or say \"batch: false\"",
                                     owner.name, batch.path));
  };
  for (const Resource& other : api.resources) {
    if (other.path == batch.path) taken(other.span);
    const bool comes_later = &owner < &other;
    if (comes_later && other.batch && other.batch->path == batch.path) taken(other.batch->span);
  }
  for (const Route& route : api.routes) {
    const bool takes_posts = route.on.method == "POST" || route.on.method == "*";
    if (takes_posts && route.on.path == batch.path) taken(route.on.span);
  }
}

// Where a base has the batch and the creates were taken out of it, both are gone.
bool is_of_a_base(const Node& batch, const Node* verbs) {
  return verbs != nullptr && verbs->span.source != batch.span.source;
}

}  // namespace

std::optional<Batch> read_batch(const Node& node, const Resource& resource, const Node* verbs,
                                Problems& problems) {
  Batch batch;
  batch.path = (resource.path == "/" ? "" : resource.path) + "/batch";
  batch.span = node.span;
  const std::size_t errors_before = problems.errors();
  if (node.is_map()) {
    read_map(node, batch, problems);
  } else if (node.is_scalar() && node.text == "false") {
    return std::nullopt;
  } else if (!node.is_scalar() || node.text != "true") {
    problems.error(node.span, "\"batch\" is true, false, or a map: {status: 200}");
  }
  if (std::ranges::find(resource.verbs, Verb::Create) == resource.verbs.end()) {
    if (is_of_a_base(node, verbs)) return std::nullopt;
    problems.error(node.span, "a batch is of creates, and \"verbs\" has no create");
  }
  if (problems.errors() != errors_before) return std::nullopt;
  return batch;
}

void check_batches(const Api& api, Problems& problems) {
  for (const Resource& resource : api.resources) {
    if (!resource.batch) continue;
    check_path_is_free(resource, api, problems);
    // What a base has is no word about the upstream that was laid under it.
    if (!api.upstream || api.upstream->span.source != resource.batch->span.source) continue;
    problems.warning(resource.batch->span,
                     "an upstream answers its batches itself: \"batch\" says nothing");
  }
}

}  // namespace mishap::scenarios
