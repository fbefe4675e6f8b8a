// The operations of the program: create a booking and know what became of it; read the products.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client-tests/clients/booking_client/caller.h"
#include "client-tests/clients/booking_client/dead_letters.h"
#include "client-tests/clients/booking_client/environment.h"
#include "client-tests/clients/booking_client/intent_store.h"
#include "client-tests/clients/booking_client/outcome_log.h"

namespace booking {

class Bookings {
 public:
  // All references must outlive this object, and so must the gate that many workers share.
  Bookings(const Environment& environment, Habits& habits, Transport& transport,
           Gate* gate = nullptr);

  // Each true iff the operation has succeeded. Creates are also told to the outcome file.
  bool create(int number);
  bool create_soon(int number);                     // in the time for which somebody waits
  bool go_on(int number);                           // with one that create_soon left pending
  bool create_batch(int creates);                   // all in one request
  void refuse(int number, const std::string& why);  // nothing was sent
  bool read(int number);                            // a page of products, counted from 1
  bool read_other(const std::string& path);

  const Counters& counters() const { return caller_.counters(); }

 private:
  bool read_from(const std::string& path, std::string operation,
                 Judgement (*judge)(const Answer& answer));
  // Tells of a read, and of what is used where it failed; true iff it is what is so now.
  bool tell_of_read(const std::string& path, bool is_live);
  void leave_note(const std::string& reference);
  // A create that is wanted, from its key on disk to what became of it.
  struct Wanted {
    std::string reference;
    StoredIntent stored;
    bool resumed = false;             // an earlier start of the program has begun it
    std::optional<OutcomeLine> line;  // once it is known, be it before anything was sent
    CallResult sent{};                // as an item of a batch
    TimePoint began{};
    milliseconds limit{};    // of the operation
    int attempts = 0;        // before it was taken up again
    TimePoint not_before{};  // as the vendor asked
  };
  Wanted want(int number);
  bool create(int number, milliseconds limit);
  bool wait_as_asked(const Wanted& wanted);
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
  TimePoint end_of_attempts(TimePoint deadline, milliseconds limit) const;
  bool renew_token();
  // What an earlier start of the program has done already, or may have.
  std::optional<OutcomeLine> find_resumed(const std::string& reference, TimePoint attempts_end);
  OutcomeLine send_and_settle(Wanted& wanted);
  CallResult send(const Wanted& wanted, TimePoint attempts_end, TimePoint deadline);
  Request request_for(const Intent& intent, int attempt);
  CallResult look_up(const std::string& reference, int max_attempts, TimePoint deadline);
  // Looks an unknown booking up; whether it is known now.
  bool find_out(const std::string& reference, std::optional<Success>& success, TimePoint deadline);
  bool may_resend(const std::string& reference, CallResult& result, TimePoint deadline);
  OutcomeLine settle(const std::string& reference, const CallResult& sent, bool resumed,
                     TimePoint deadline);

  Environment environment_;  // with the token as it is now
  Habits& habits_;
  Transport& transport_;
  Caller caller_;
  IntentStore intents_;
  OutcomeLog outcomes_;
  std::map<int, Wanted> pending_;  // to go on with
  DeadLetters dead_letters_;
  std::map<std::string, std::string> last_known_;  // by path: since when
};

}  // namespace booking
