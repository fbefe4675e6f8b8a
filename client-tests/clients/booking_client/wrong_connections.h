// Wrong about what a connection is still good for.
#pragma once

#include <memory>
#include <string>

#include "client-tests/clients/booking_client/habits.h"
#include "client-tests/clients/booking_client/sticky_transport.h"

namespace booking {

class ReusesConnection : public Habits {
 public:
  using Habits::Habits;
  std::unique_ptr<Transport> make_transport(const std::string& origin) override {
    return make_sticky_transport(origin);
  }
};

}  // namespace booking
