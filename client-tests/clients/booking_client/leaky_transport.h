// A transport whose timeout only stops the waiting: the request stays open in a thread of its own.
// Wrong on purpose.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "client-tests/clients/booking_client/transport.h"

namespace booking {

using LeakCount = std::atomic<int>;

std::unique_ptr<Transport> make_leaky_transport(const std::string& origin,
                                                std::shared_ptr<LeakCount> leaks);

// A process that ends closes everything it has left open, and nobody could see the leak: if there
// is one, the program lives on for a while, as a service would.
void wait_with_leaks_open(const std::shared_ptr<LeakCount>& leaks);

}  // namespace booking
