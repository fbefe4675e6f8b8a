// The clients that are wrong in exactly one way, one row each.
#pragma once

#include <memory>
#include <span>

#include "client-tests/clients/booking_client/habits.h"

namespace booking {

struct WrongClient {
  const char* name;     // of the --wrong switch
  const char* check;    // of mishap's: the one that must fail
  const char* summary;  // what is wrong
  std::unique_ptr<Habits> (*make)(Settings settings);
};

std::span<const WrongClient> wrong_clients();

// The habits that `settings.wrong` names; the right ones if it is empty, null if it is unknown.
std::unique_ptr<Habits> make_habits(const Settings& settings);

}  // namespace booking
