#pragma once

#include <memory>

#include "server/outbound/channel.h"

namespace mishap::server {

// TLS 1.2 or later over OpenSSL.
tl::expected<std::unique_ptr<ChannelMaker>, Error> make_tls_channels(
    const scenarios::Upstream& upstream);

}  // namespace mishap::server
