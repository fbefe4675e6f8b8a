#include "client-tests/clients/booking_client/bookings.h"

#include <algorithm>
#include <utility>

#include "client-tests/clients/booking_client/chance.h"
#include "client-tests/clients/booking_client/log.h"

namespace booking {
namespace {

using std::chrono::duration_cast;
using std::chrono::steady_clock;

constexpr int kProductsAPage = 20;

// "<scenario>-<copy>-<number>": the same after a restart, and different for every copy.
std::string reference_of(const Environment& environment, int number) {
  std::string name = environment.scenario.empty() ? "r" : environment.scenario;
  if (!environment.copy.empty()) name += '-' + environment.copy;
  name += '-' + std::to_string(number);
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !is_plain(c); }, '-');
  return name;
}

OutcomeLine line_of(const std::string& reference, Outcome outcome, std::string id,
                    std::string error) {
  OutcomeLine line;
  line.operation = reference;
  line.outcome = outcome;
  line.id = std::move(id);
  line.error = std::move(error);
  return line;
}

}  // namespace

Bookings::Bookings(const Environment& environment, Habits& habits, Transport& transport)
    : environment_(environment),
      habits_(habits),
      caller_(habits, transport),
      intents_(habits.stores_intents() ? environment.state : std::nullopt),
      outcomes_(habits.settings().writes_outcomes ? environment.outcomes : std::nullopt) {
  if (!environment.state) log_note("no MISHAP_STATE: keys will not survive a crash");
}

bool Bookings::create(int number) {
  const TimePoint began = steady_clock::now();
  Wanted wanted = want(number);
  if (habits_.reports_beforehand()) {
    outcomes_.append(line_of(wanted.reference, Outcome::Succeeded, "", ""));
  }
  if (!wanted.line) carry_out(wanted);
  return tell(*wanted.line, began);
}

bool Bookings::tell(OutcomeLine line, TimePoint began) {
  line.duration = duration_cast<milliseconds>(steady_clock::now() - began);
  if (habits_.reports(line.outcome)) outcomes_.append(habits_.as_reported(line));
  log_note("op=" + line.operation + " outcome=" + name_of(line.outcome) +
           (line.error.empty() ? "" : " error=\"" + line.error + '"'));
  return line.outcome == Outcome::Succeeded;
}

// Nothing is sent before the key that goes with it is on disk.
Bookings::Wanted Bookings::want(int number) {
  Wanted wanted;
  const std::string reference = wanted.reference = reference_of(environment_, number);
  const std::optional<StoredIntent> known = intents_.load(reference);
  if (!known && intents_.knows(reference)) {
    wanted.line =
        line_of(reference, Outcome::Pending, "", "its stored key is unreadable, nothing sent");
    return wanted;
  }
  if (known && known->outcome == Outcome::Succeeded) {
    wanted.line = line_of(reference, Outcome::Succeeded, known->id, "");
    return wanted;
  }
  // What failed for certain is wanted anew, with a new key; all else goes on under its own.
  wanted.resumed = known && known->outcome != Outcome::Failed;
  wanted.stored.intent = wanted.resumed
                             ? known->intent
                             : Intent{reference, new_uuid(), booking_body(reference, number)};
  if (!intents_.save(wanted.stored)) {
    const Outcome outcome = wanted.resumed ? Outcome::Pending : Outcome::Failed;
    wanted.line = line_of(reference, outcome, "", "the key could not be stored, nothing sent");
  }
  return wanted;
}

void Bookings::carry_out(Wanted& wanted) {
  wanted.line = send_and_settle(wanted.stored, wanted.resumed);
  keep(wanted);
}

void Bookings::keep(Wanted& wanted) {
  wanted.stored.outcome = wanted.line->outcome;
  wanted.stored.id = wanted.line->id;
  const bool is_done = wanted.line->outcome == Outcome::Succeeded;
  if (is_done && !habits_.remembers_what_is_done()) return intents_.forget(wanted.reference);
  if (!intents_.save(wanted.stored)) {
    log_note("outcome of " + wanted.reference + " could not be stored");
  }
}

TimePoint Bookings::end_of_attempts(TimePoint deadline) const {
  const Settings& settings = habits_.settings();
  return deadline - std::min(settings.attempt_timeout, settings.deadline / 4);
}

std::optional<OutcomeLine> Bookings::find_resumed(const std::string& reference,
                                                  TimePoint attempts_end) {
  if (habits_.settings().plain_vendor) {
    return line_of(reference, Outcome::Pending, "", "may be done since the last run, not sent");
  }
  // The vendor may have forgotten the key since it was used: look first.
  const CallResult found = look_up(reference, 1, attempts_end);
  if (!found.success) return std::nullopt;
  return line_of(reference, Outcome::Succeeded, found.success->id, "");
}

OutcomeLine Bookings::send_and_settle(const StoredIntent& stored, bool resumed) {
  const std::string& reference = stored.intent.reference;
  const TimePoint deadline = steady_clock::now() + habits_.settings().deadline;
  const TimePoint attempts_end = end_of_attempts(deadline);
  if (resumed) {
    if (const auto line = find_resumed(reference, attempts_end)) return *line;
  }
  return settle(reference, send(stored.intent, attempts_end, deadline), resumed, deadline);
}

CallResult Bookings::send(const Intent& intent, TimePoint attempts_end, TimePoint deadline) {
  Call call;
  call.kind = CallKind::Create;
  call.operation = intent.reference;
  call.max_attempts = habits_.settings().max_attempts;
  call.request = [&](int attempt) {
    Intent as_sent = intent;
    as_sent.body = habits_.body_for(intent, attempt);
    return create_request(environment_, as_sent, habits_.key_for(intent, attempt));
  };
  call.judge = [&](const Answer& answer) {
    return judge_booking(answer, habits_.compares_reference() ? intent.reference : "");
  };
  if (habits_.looks_up_before_resending()) {
    call.may_resend = [&](CallResult& result) {
      return may_resend(intent.reference, result, deadline);
    };
  }
  return caller_.run(call, attempts_end);
}

CallResult Bookings::look_up(const std::string& reference, int max_attempts, TimePoint deadline) {
  Call call;
  call.kind = CallKind::Lookup;
  call.operation = reference;
  call.max_attempts = max_attempts;
  call.request = [&](int) { return lookup_request(environment_, reference); };
  call.judge = [&](const Answer& answer) { return judge_lookup(answer, reference); };
  return caller_.run(call, deadline);
}

bool Bookings::may_resend(const std::string& reference, CallResult& result, TimePoint deadline) {
  const CallResult found = look_up(reference, 1, deadline);
  result.success = found.success;
  const bool is_absent =
      !found.failures.empty() && found.failures.back().category == Category::NotFoundYet;
  return !found.success && is_absent;
}

// Absence proves nothing, since the effect may come late: it is looked for more than once, and a
// booking that does not show stays unknown.
bool Bookings::find_out(const std::string& reference, std::optional<Success>& success,
                        TimePoint deadline) {
  if (habits_.lookups() == 0) return false;
  const CallResult found = look_up(reference, habits_.lookups(), deadline);
  success = found.success;
  const bool is_absent =
      !found.failures.empty() && found.failures.back().category == Category::NotFoundYet;
  return success.has_value() || (is_absent && habits_.believes_absence());
}

// Not confirmed is not the same as failed: it failed only if no attempt can have had an effect,
// those before a restart included.
OutcomeLine Bookings::settle(const std::string& reference, const CallResult& sent, bool resumed,
                             TimePoint deadline) {
  std::optional<Success> success = sent.success;
  const bool is_settled = !sent.failures.empty() && habits_.is_last_word(sent.failures.back());
  bool is_unknown = !success && !is_settled && (resumed || sent.may_have_had_effect());
  const bool may_ask = habits_.reconciles() && !habits_.is_cancelled();
  if (is_unknown && may_ask) is_unknown = !find_out(reference, success, deadline);
  OutcomeLine line = line_of(reference, Outcome::Failed, success ? success->id : "", "");
  if (is_unknown && habits_.reconciles()) line.outcome = Outcome::Pending;
  if (success) line.outcome = Outcome::Succeeded;
  line.attempts = sent.attempts;
  if (!sent.failures.empty()) {
    line.category = name_of(sent.failures.back().category);
    line.error = sent.failures.back().what;
  }
  return line;
}

bool Bookings::read(int number) {
  const std::string offset = std::to_string((number - 1) * kProductsAPage);
  const std::string page = "limit=" + std::to_string(kProductsAPage) + "&offset=" + offset;
  return read_from("/v1/products?" + page, "read-" + std::to_string(number), judge_products);
}

bool Bookings::read_other(const std::string& path) {
  return read_from(path, "read" + path, judge_object);
}

bool Bookings::read_from(const std::string& path, std::string operation,
                         Judgement (*judge)(const Answer& answer)) {
  Call call;
  call.kind = CallKind::Read;
  call.operation = std::move(operation);
  call.max_attempts = habits_.settings().max_attempts;
  call.request = [&](int) { return get_request(environment_, path); };
  call.judge = judge;
  return caller_.run(call, steady_clock::now() + habits_.settings().deadline).success.has_value();
}

}  // namespace booking
