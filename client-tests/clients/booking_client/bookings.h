// The operations of the program: create a booking and know what became of it; read the products.
#pragma once

#include <optional>
#include <string>
#include <vector>

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
  bool create_batch(int creates);  // all in one request
  bool read(int number);           // a page of products, counted from 1
  bool read_other(const std::string& path);

 private:
  bool read_from(const std::string& path, std::string operation,
                 Judgement (*judge)(const Answer& answer));
  // A create that is wanted, from its key on disk to what became of it.
  struct Wanted {
    std::string reference;
    StoredIntent stored;
    bool resumed = false;             // an earlier start of the program has begun it
    std::optional<OutcomeLine> line;  // once it is known, be it before anything was sent
    CallResult sent{};                // as an item of a batch
  };
  Wanted want(int number);
  void carry_out(Wanted& wanted);
  void keep(Wanted& wanted);
  bool tell(OutcomeLine line, TimePoint began);

  // batched_bookings.cpp
  using Batch = std::vector<Wanted*>;
  void send_batch(const Batch& all, TimePoint attempts_end);
  Request next_batch(const Batch& going, int attempt);
  Judgement judge_batch(const Batch& all, const Batch& sent, const Answer& answer) const;
  bool is_settled(const Wanted& item) const;

  // Time kept back for finding out what became of a create that was never confirmed.
  TimePoint end_of_attempts(TimePoint deadline) const;
  // What an earlier start of the program has done already, or may have.
  std::optional<OutcomeLine> find_resumed(const std::string& reference, TimePoint attempts_end);
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
