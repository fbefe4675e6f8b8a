// Being told to end: SIGTERM or SIGINT becomes something that can be waited for.
#pragma once

#include "client-tests/clients/booking_client/settings.h"

namespace booking {

// Once, before any thread is started.
void listen_for_cancellation();

bool is_cancelled();

// Waits; false as soon as the program is told to end.
bool wait_unless_cancelled(milliseconds length);

}  // namespace booking
