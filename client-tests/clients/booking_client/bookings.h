// The operations of the program: create a booking and know what became of it; read the products.
#pragma once

#include <optional>
#include <string>

#include "client-tests/clients/booking_client/caller.h"
#include "client-tests/clients/booking_client/environment.h"
#include "client-tests/clients/booking_client/intent_store.h"
#include "client-tests/clients/booking_client/outcome_log.h"

namespace booking {

class Bookings {
 public:
  // All references must outlive this object.
  Bookings(const Environment& environment, Habits& habits, Transport& transport);

  // Each true iff the operation has succeeded. Creates are also told to the outcome file.
  bool create(int number);
  bool read(int number);  // a page of products, counted from 1
  bool read_other(const std::string& path);

 private:
  bool read_from(const std::string& path, std::string operation,
                 Judgement (*judge)(const Answer& answer));
  OutcomeLine carry_out(const std::string& reference, int number);
  OutcomeLine send_and_settle(const StoredIntent& stored, bool resumed);
  CallResult send(const Intent& intent, TimePoint attempts_end, TimePoint deadline);
  CallResult look_up(const std::string& reference, int max_attempts, TimePoint deadline);
  // Looks an unknown booking up; whether it is known now.
  bool find_out(const std::string& reference, std::optional<Success>& success, TimePoint deadline);
  bool may_resend(const std::string& reference, CallResult& result, TimePoint deadline);
  OutcomeLine settle(const std::string& reference, const CallResult& sent, bool resumed,
                     TimePoint deadline);

  const Environment& environment_;
  Habits& habits_;
  Caller caller_;
  IntentStore intents_;
  OutcomeLog outcomes_;
};

}  // namespace booking
