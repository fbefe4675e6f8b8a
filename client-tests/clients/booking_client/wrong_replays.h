// Wrong about what a run leaves behind, and about what the next one makes of it.
#pragma once

#include "client-tests/clients/booking_client/habits.h"

namespace booking {

// The replay takes everything that is not done for new.
class ReplaysUnderNewKeys : public Habits {
 public:
  using Habits::Habits;
  bool goes_on_under_its_key() const override { return false; }
};

// What is pending stays so, since somebody else will see to it.
class LeavesItPending : public Habits {
 public:
  using Habits::Habits;
  bool takes_up_what_is_pending() const override { return false; }
};

// Reports what it gives up, and keeps nothing of it.
class ForgetsDeadLetters : public Habits {
 public:
  using Habits::Habits;
  bool keeps_dead_letters() const override { return false; }
};

// Clears the form before it knows what became of it.
class ClearsInput : public Habits {
 public:
  using Habits::Habits;
  bool keeps_input() const override { return false; }
};

}  // namespace booking
