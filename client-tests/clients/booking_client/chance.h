// Real entropy, for keys that nobody can guess and waits that no two clients share.
#pragma once

#include <string>

#include "client-tests/clients/booking_client/settings.h"

namespace booking {

std::string new_uuid();  // version 4

// Uniform between the two, both included.
milliseconds random_between(milliseconds least, milliseconds most);

}  // namespace booking
