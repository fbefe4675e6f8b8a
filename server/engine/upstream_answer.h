#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mishap/scenario.h"
#include "server/engine/request_view.h"
#include "server/plan/step.h"
#include "server/plan/upstream.h"

namespace mishap::server {

// What an upstream's answer says, as far as it can be read. Pure.
struct UpstreamWords {
  std::string id;                  // its `id` member, else the last segment of its Location
  std::vector<std::string> shown;  // ids of the things in it
  bool replayed = false;           // it says that it is a stored answer
};
UpstreamWords read_words(const UpstreamAnswer& answer, const std::string& id_field);

// The answer as it goes to the client: without what belongs to the upstream's connection, with its
// fields in order, its length in its place, and a Location that leads back to the mock (`mock_host`
// is what the client wrote as Host; null: it wrote none).
SendAnswer answer_to_client(const UpstreamAnswer& answer, const scenarios::Upstream& upstream,
                            const std::string* mock_host, bool head_only);

// The content of an answer without its coding, where that is known: for faults that work on it.
void make_plain(SendAnswer& answer, std::uint64_t most);

// Whether an unsafe request may have taken effect although the answer does not say so. A 4xx is a
// refusal, but for 408; 301, 307 and 308 send the request elsewhere undone.
bool leaves_in_doubt(StatusCode status);

}  // namespace mishap::server
