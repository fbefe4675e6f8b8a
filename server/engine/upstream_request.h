#pragma once

#include <string>
#include <vector>

#include "mishap/scenario.h"
#include "server/engine/request_view.h"
#include "server/plan/upstream.h"

namespace mishap::server {

// The client's request as it goes on to the upstream: method, target, fields in order and body as
// they came, but for what belongs to one connection (RFC 9110 section 7.6.1), the Host, and the
// length, which replaces chunks. `plain`: a fault will work on the content of the answer, so it is
// asked for without a content coding.
UpstreamRequest upstream_request(const scenarios::Upstream& upstream, const RequestView& view,
                                 const std::string& sent_target, std::string body, bool plain);

// Without the fields that belong to one connection. A Content-Length stays, since it is framing.
std::vector<NameValue> end_to_end(const std::vector<NameValue>& fields);

}  // namespace mishap::server
