// A transport that makes a new client, with its connection and its thread, for each attempt and
// keeps them all. Wrong on purpose.
#pragma once

#include <memory>
#include <string>

#include "client-tests/clients/booking_client/transport.h"

namespace booking {

std::unique_ptr<Transport> make_hoarding_transport(const std::string& origin);

}  // namespace booking
