#pragma once

#include <memory>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/scenario.h"
#include "server/wire/io_thread.h"
#include "server/wire/run_clock.h"
#include "server/wire/upstreams.h"

namespace mishap::server {

// The upstreams of these apis; null where none has one. `io` is borrowed. Each call has a
// connection of its own, so that no request is lost to one that has gone stale, and none is ever
// repeated. An error: the certificates of one cannot be used.
tl::expected<std::shared_ptr<Upstreams>, Error> make_upstreams(
    const std::vector<scenarios::Api>& apis, IoThread& io, RunClock clock);

}  // namespace mishap::server
