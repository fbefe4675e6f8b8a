// A wrong transport: one connection for everything, whatever became of the last exchange on it.
#pragma once

#include <memory>
#include <string>

#include "client-tests/clients/booking_client/transport.h"

namespace booking {

// A timeout ends the waiting and nothing else: the next request goes out on the same connection,
// and the first answer that comes is taken for its own. `origin` is http://host:port.
std::unique_ptr<Transport> make_sticky_transport(const std::string& origin);

}  // namespace booking
