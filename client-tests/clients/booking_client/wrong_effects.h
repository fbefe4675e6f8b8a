// Wrong about keys, about what an answer proves, and about telling the truth.
#pragma once

#include <chrono>
#include <thread>

#include "client-tests/clients/booking_client/chance.h"
#include "client-tests/clients/booking_client/habits.h"

namespace booking {

class BlindResend : public Habits {
 public:
  using Habits::Habits;
  std::optional<std::string> key_for(const Intent&, int) override { return std::nullopt; }
};

class KeyFromReference : public Habits {
 public:
  using Habits::Habits;
  std::optional<std::string> key_for(const Intent& intent, int) override {
    return "booking-" + intent.reference;
  }
};

class FreshKeyResend : public Habits {
 public:
  using Habits::Habits;
  std::optional<std::string> key_for(const Intent& intent, int attempt) override {
    return attempt == 1 ? intent.key : new_uuid();
  }
};

// It builds its next batch from all that it wanted, as it built the first one.
class ResendsWholeBatch : public FreshKeyResend {
 public:
  explicit ResendsWholeBatch(const Settings& settings) : FreshKeyResend(in_a_batch(settings)) {}
  bool goes_along(bool /*is_settled*/) const override { return true; }

 private:
  static Settings in_a_batch(Settings settings) {
    settings.batch = true;
    return settings;
  }
};

class NewKeyAfterLookup : public FreshKeyResend {
 public:
  using FreshKeyResend::FreshKeyResend;
  bool looks_up_before_resending() const override { return true; }
};

class KeyOnlyOnRetries : public Habits {
 public:
  using Habits::Habits;
  std::optional<std::string> key_for(const Intent& intent, int attempt) override {
    return attempt == 1 ? std::nullopt : std::optional(intent.key);
  }
};

// With a vendor that takes no keys: what it looks for is a time, and another one each time.
class LooksUpByTime : public Habits {
 public:
  using Habits::Habits;
  std::string body_for(const Intent& intent, int /*attempt*/) const override {
    return intent.body.substr(0, intent.body.size() - 1) + ",\"sent_at\":\"" + now() + "\"}";
  }
  Filter lookup_filter(const std::string& /*reference*/) const override {
    return {"sent_at", now()};
  }

 private:
  static std::string now() {
    return std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
  }
};

// A new id for each attempt makes an upsert a create.
class FreshIdUpsert : public Habits {
 public:
  using Habits::Habits;
  std::string id_for(const Intent& /*intent*/, int /*attempt*/) const override {
    return new_uuid();
  }
};

class OutlivesKey : public Habits {
 public:
  using Habits::Habits;
  bool may_be_forgotten(milliseconds /*age*/) const override { return false; }
};

// It would rather do something than nothing.
class FallsBack : public Habits {
 public:
  using Habits::Habits;
  bool leaves_a_note(Outcome outcome) const override { return outcome != Outcome::Succeeded; }
};

class OneKeyForAll : public Habits {
 public:
  using Habits::Habits;
  std::optional<std::string> key_for(const Intent&, int) override { return key_; }

 private:
  const std::string key_ = new_uuid();
};

// What a crash takes with it.
class KeyInMemory : public Habits {
 public:
  using Habits::Habits;
  bool stores_intents() const override { return false; }
};

class StartsOver : public Habits {
 public:
  using Habits::Habits;
  bool remembers_what_is_done() const override { return false; }
};

class TrustsAny2xx : public Habits {
 public:
  using Habits::Habits;
  Judgement believe(const Answer& answer, Judgement judged) const override {
    const bool has_proof = std::holds_alternative<Success>(judged);
    const bool is_2xx = answer.status / 100 == 2 && answer.ending != Ending::TimedOut;
    return is_2xx && !has_proof ? Success{} : judged;
  }
};

class LostIsFailed : public Habits {
 public:
  using Habits::Habits;
  bool may_retry(CallKind kind, const std::vector<Failure>& failures) const override {
    const Failure& last = failures.back();
    const bool is_lost = last.unanswered && last.effect == Effect::Unknown;
    return !(kind == CallKind::Create && is_lost) && Habits::may_retry(kind, failures);
  }
  bool reconciles() const override { return false; }
};

class AlwaysZero : public Habits {
 public:
  using Habits::Habits;
  int exit_code(bool /*all_succeeded*/) const override { return 0; }
};

class WrongPath : public Habits {
 public:
  using Habits::Habits;
  Work work(const std::string& scenario) const override {
    Work work = Habits::work(scenario);
    work.extra_reads.push_back("/v1/bookings/no-such-id");
    return work;
  }
};

class AvoidsFaultedRoute : public Habits {
 public:
  using Habits::Habits;
  Work work(const std::string& scenario) const override {
    if (scenario.ends_with("control") || scenario.ends_with("healthy")) {
      return Habits::work(scenario);
    }
    return {};
  }
};

class NeverEnds : public Habits {
 public:
  using Habits::Habits;
  void after_work() override {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
};

}  // namespace booking
