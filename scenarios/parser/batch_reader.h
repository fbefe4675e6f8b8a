#pragma once

#include <optional>

#include "mishap/scenario.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// true, false or a map; of a resource that is read whole but for it. `verbs`: where those of the
// resource are written; null: nowhere.
std::optional<Batch> read_batch(const Node& node, const Resource& resource, const Node* verbs,
                                Problems& problems);

// No two calls of an api are answered at one path, and nobody takes a batch apart over an upstream.
void check_batches(const Api& api, Problems& problems);

}  // namespace mishap::scenarios
