// The decisions of a careful client, one function each. A client that is wrong in one way overrides
// the one function that decides it (wrong_clients.h); everything else it shares with the right one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client-tests/clients/booking_client/booking_api.h"
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
  virtual bool looks_up_before_resending() const { return false; }  // no need to, with one key
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
