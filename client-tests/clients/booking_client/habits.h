// The decisions of a careful client, one function each. A client that is wrong in one way overrides
// the one function that decides it (wrong_clients.h); everything else it shares with the right one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client-tests/clients/booking_client/booking_api.h"
#include "client-tests/clients/booking_client/counters.h"
#include "client-tests/clients/booking_client/judgement.h"
#include "client-tests/clients/booking_client/outcome_log.h"
#include "client-tests/clients/booking_client/redirecting_transport.h"
#include "client-tests/clients/booking_client/settings.h"
#include "client-tests/clients/booking_client/transport.h"

namespace booking {

enum class CallKind { Create, Read, Lookup };

const char* name_of(CallKind kind);

// What the program does in this run.
struct Work {
  int creates = 0;
  int reads = 0;
  std::vector<std::string> extra_reads;  // paths
  bool batch = false;                    // the creates in one request
};

struct Filter {
  std::string member;
  std::string value;
};

class Habits {
 public:
  explicit Habits(const Settings& settings);
  virtual ~Habits() = default;
  Habits(const Habits&) = delete;
  Habits& operator=(const Habits&) = delete;

  const Settings& settings() const { return settings_; }

  virtual Work work(const std::string& scenario) const;
  virtual std::unique_ptr<Transport> make_transport(const std::string& origin);
  virtual RedirectPolicy redirect_policy() const { return {}; }  // where redirects are followed

  // Time for one attempt: never more than what is left for the operation.
  virtual milliseconds attempt_limit(milliseconds remaining) const;

  // `judged` is what the answer means if it is looked at properly.
  virtual Judgement believe(const Answer& answer, Judgement judged) const;

  // After these failures of one call, the last of them just now; attempts and time apart.
  virtual bool may_retry(CallKind kind, const std::vector<Failure>& failures) const;

  // What the server asks us to wait, whatever the status: RFC 9110 10.2.3 ties it to none.
  virtual std::optional<milliseconds> asked_wait(const Answer& answer) const;
  // Nothing is left of the quota: a pause is better than the refusal, unless it is absurdly long.
  virtual std::optional<milliseconds> quota_pause(const Answer& answer) const;
  virtual milliseconds backoff(int failed_attempts) const;
  virtual std::optional<milliseconds> plan_wait(milliseconds backoff,
                                                std::optional<milliseconds> asked,
                                                milliseconds remaining);

  // Told to end (SIGTERM): nothing more is sent, and no wait is finished.
  virtual bool is_cancelled() const;
  virtual bool sleep(milliseconds length);  // false: told to end meanwhile

  // What survives the program: the key of what is under way, and what is done.
  virtual bool stores_intents() const { return true; }
  virtual bool remembers_what_is_done() const { return true; }

  // The same key for every attempt of one intent: the server can then tell a repetition.
  virtual std::optional<std::string> key_for(const Intent& intent, int attempt);
  virtual bool looks_up_before_resending() const;  // no need to, with one key
  // What a booking is looked for by: something of it that never changes.
  virtual Filter lookup_filter(const std::string& reference) const {
    return {"reference", reference};
  }
  // The id under which an upsert puts it: the same for every attempt.
  virtual std::string id_for(const Intent& intent, int /*attempt*/) const {
    return intent.reference;
  }
  // The vendor may have forgotten a key that was first used so long ago.
  virtual bool may_be_forgotten(milliseconds age) const { return age >= settings_.key_lifetime; }
  // What cannot be booked is left somewhere else. It is no booking, and may be acted upon besides.
  virtual bool leaves_a_note(Outcome /*outcome*/) const { return false; }
  // The same bytes for every attempt: the server compares them with the first.
  virtual std::string body_for(const Intent& intent, int attempt) const;

  // A booking in an answer is ours only if it has our reference.
  virtual bool compares_reference() const { return true; }

  // Of a batch: whether an item goes along with the next attempt. What is done is not sent again.
  virtual bool goes_along(bool is_settled) const { return !is_settled; }

  // Whether an unknown outcome is looked up at the end, and is pending as long as it stays unknown.
  virtual bool reconciles() const { return true; }
  // How often at most; and whether a list that does not show it proves that it is not there.
  virtual int lookups() const;
  virtual bool believes_absence() const { return false; }
  // A last refusal that settles the operation, whatever became of the attempts before.
  virtual bool is_last_word(const Failure& /*failure*/) const { return false; }

  // How often a call that is told 401 gets a new token and goes on.
  virtual int renewals() const { return settings_.renews_token ? 1 : 0; }

  // How long somebody waits for the word on a create before it goes on without them.
  virtual milliseconds patience() const { return settings_.interactive; }

  // Of many workers, where the settings ask for it (gate.h, crowd.h). A circuit breaker looks at
  // the latest so many calls, and stays open until a probe that ends well closes it.
  virtual std::size_t breaker_calls() const { return 20; }
  virtual bool trips(std::size_t calls, std::size_t failures) const;
  virtual int probes() const { return 1; }
  virtual milliseconds stays_open() const { return settings_.breaker; }
  virtual bool tells_siblings() const { return true; }    // when one is told to wait
  virtual bool spends_tokens() const { return true; }     // for a retry
  virtual bool separates_routes() const { return true; }  // one that stalls takes its own workers
  // By which the operation is found in the log.
  virtual std::string name_in_log(const std::string& operation) const { return operation; }

  // What an earlier run left open goes on under its own key, and is asked about.
  virtual bool goes_on_under_its_key() const { return true; }
  virtual bool takes_up_what_is_pending() const { return true; }
  // What is not done keeps its input; what was given up is kept with all that a replay needs.
  virtual bool keeps_input() const { return true; }
  virtual bool keeps_dead_letters() const { return true; }
  virtual Counters as_told(Counters counters) const { return counters; }

  virtual bool reports(Outcome /*outcome*/) const { return true; }
  // Success is written when it is confirmed, and as it was.
  virtual bool reports_beforehand() const { return false; }
  virtual OutcomeLine as_reported(OutcomeLine line) const { return line; }
  virtual void after_work() {}
  virtual int exit_code(bool all_succeeded) const { return all_succeeded ? 0 : 1; }

 private:
  Settings settings_;
};

}  // namespace booking
