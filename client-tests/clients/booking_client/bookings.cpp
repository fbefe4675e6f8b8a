#include "client-tests/clients/booking_client/bookings.h"

#include <algorithm>
#include <array>
#include <ctime>
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

std::optional<std::filesystem::path> file_in_state(const Environment& environment,
                                                   const std::string& name) {
  if (!environment.state || name.empty()) return std::nullopt;
  return *environment.state / name;
}

// RFC 3339.
std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
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

Bookings::Bookings(const Environment& environment, Habits& habits, Transport& transport, Gate* gate)
    : environment_(environment),
      habits_(habits),
      transport_(transport),
      caller_(habits, transport, gate),
      // Of many each would wait for the disk, and the rate would be the disk's.
      intents_(habits.stores_intents() && gate == nullptr ? environment.state : std::nullopt),
      outcomes_(habits.settings().writes_outcomes ? environment.outcomes : std::nullopt),
      dead_letters_(file_in_state(environment, habits.settings().dead_letters)) {
  if (!environment.state && gate == nullptr)
    log_note("no MISHAP_STATE: keys will not survive a crash");
}

bool Bookings::create(int number) {
  return create(number, habits_.settings().deadline);
}

bool Bookings::create_soon(int number) {
  return create(number, std::min(habits_.patience(), habits_.settings().deadline));
}

bool Bookings::create(int number, milliseconds limit) {
  Wanted wanted = want(number);
  wanted.limit = limit;
  if (habits_.reports_beforehand()) {
    outcomes_.append(line_of(wanted.reference, Outcome::Succeeded, "", ""));
  }
  if (!wanted.line) carry_out(wanted);
  const bool succeeded = tell(*wanted.line, wanted.began);
  if (wanted.line->outcome == Outcome::Pending) pending_.emplace(number, std::move(wanted));
  return succeeded;
}

// What was refused for good stays so: only what nobody knows is taken up again, under its key.
bool Bookings::go_on(int number) {
  const auto found = pending_.find(number);
  if (found == pending_.end()) return false;
  Wanted& wanted = found->second;
  wanted.attempts = wanted.line->attempts;
  wanted.limit = habits_.settings().deadline;
  wanted.resumed = true;
  if (!wait_as_asked(wanted)) return false;
  carry_out(wanted);
  return tell(*wanted.line, wanted.began);
}

// A word to whoever waits ends no wait that the vendor asked for. False: it stays pending.
bool Bookings::wait_as_asked(const Wanted& wanted) {
  const auto left = duration_cast<milliseconds>(wanted.not_before - steady_clock::now());
  if (left <= milliseconds(0)) return true;
  return left < wanted.limit && habits_.sleep(left + milliseconds(1));
}

void Bookings::refuse(int number, const std::string& why) {
  OutcomeLine line = line_of(reference_of(environment_, number), Outcome::Failed, "", why);
  line.category = "not_sent";
  tell(std::move(line), steady_clock::now());
}

bool Bookings::tell(OutcomeLine line, TimePoint began) {
  line.duration = duration_cast<milliseconds>(steady_clock::now() - began);
  if (line.outcome != Outcome::Succeeded) line.kept = intents_.file_of(line.operation);
  if (habits_.reports(line.outcome)) outcomes_.append(habits_.as_reported(line));
  log_note("op=" + habits_.name_in_log(line.operation) + " outcome=" + name_of(line.outcome) +
           (line.error.empty() ? "" : " error=\"" + line.error + '"'));
  return line.outcome == Outcome::Succeeded;
}

// Nothing is sent before the key that goes with it is on disk.
Bookings::Wanted Bookings::want(int number) {
  Wanted wanted;
  wanted.began = steady_clock::now();
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
  if (known && known->outcome == Outcome::Pending && !habits_.takes_up_what_is_pending()) {
    wanted.line = line_of(reference, Outcome::Pending, "", "pending since the last run");
    return wanted;
  }
  // What failed for certain is wanted anew, with a new key; all else goes on under its own.
  wanted.resumed = known && known->outcome != Outcome::Failed && habits_.goes_on_under_its_key();
  wanted.stored.intent =
      wanted.resumed
          ? known->intent
          : Intent{reference, new_uuid(), booking_body(reference, number, environment_.contact)};
  if (!intents_.save(wanted.stored)) {
    const Outcome outcome = wanted.resumed ? Outcome::Pending : Outcome::Failed;
    wanted.line = line_of(reference, outcome, "", "the key could not be stored, nothing sent");
  }
  return wanted;
}

void Bookings::carry_out(Wanted& wanted) {
  wanted.line = send_and_settle(wanted);
  keep(wanted);
  if (habits_.leaves_a_note(wanted.line->outcome)) leave_note(wanted.reference);
}

void Bookings::leave_note(const std::string& reference) {
  Call call;
  call.kind = CallKind::Create;
  call.operation = "note-" + reference;
  call.request = [&](int) { return note_request(environment_, reference, new_uuid()); };
  call.judge = judge_object;
  caller_.run(call, steady_clock::now() + habits_.settings().attempt_timeout);
}

void Bookings::keep(Wanted& wanted) {
  wanted.stored.outcome = wanted.line->outcome;
  wanted.stored.id = wanted.line->id;
  const bool is_done = wanted.line->outcome == Outcome::Succeeded;
  if (is_done) dead_letters_.settle(wanted.reference);
  if (wanted.line->outcome == Outcome::Failed && habits_.keeps_dead_letters()) {
    dead_letters_.keep({wanted.stored.intent, wanted.line->attempts, wanted.line->error});
  }
  if (is_done && !habits_.remembers_what_is_done()) return intents_.forget(wanted.reference);
  if (!is_done && !habits_.keeps_input()) return intents_.forget(wanted.reference);
  if (!intents_.save(wanted.stored)) {
    log_note("outcome of " + wanted.reference + " could not be stored");
  }
}

TimePoint Bookings::end_of_attempts(TimePoint deadline, milliseconds limit) const {
  return deadline - std::min(habits_.settings().attempt_timeout, limit / 4);
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

OutcomeLine Bookings::send_and_settle(Wanted& wanted) {
  const std::string& reference = wanted.stored.intent.reference;
  const TimePoint deadline = steady_clock::now() + wanted.limit;
  const TimePoint attempts_end = end_of_attempts(deadline, wanted.limit);
  std::optional<OutcomeLine> line;
  if (wanted.resumed) line = find_resumed(reference, attempts_end);
  if (!line) {
    const bool may_send = wanted.attempts < habits_.settings().max_attempts;
    const CallResult sent = may_send ? send(wanted, attempts_end, deadline) : CallResult();
    line = settle(reference, sent, wanted.resumed, deadline);
    wanted.not_before = sent.not_before;
  }
  line->attempts += wanted.attempts;
  return *line;
}

CallResult Bookings::send(const Wanted& wanted, TimePoint attempts_end, TimePoint deadline) {
  const Intent& intent = wanted.stored.intent;
  Call call;
  call.kind = CallKind::Create;
  call.operation = intent.reference;
  call.max_attempts = habits_.settings().max_attempts - wanted.attempts;
  const TimePoint first_used = steady_clock::now();
  call.request = [&](int attempt) { return request_for(intent, attempt); };
  call.judge = [&](const Answer& answer) {
    return judge_booking(answer, habits_.compares_reference() ? intent.reference : "");
  };
  call.renew_token = [this] { return renew_token(); };
  call.may_resend = [&](CallResult& result) {
    const auto age = duration_cast<milliseconds>(steady_clock::now() - first_used);
    const bool is_old = habits_.may_be_forgotten(age);
    if (!is_old && !habits_.looks_up_before_resending()) return true;
    return may_resend(intent.reference, result, deadline) && !is_old;
  };
  return caller_.run(call, attempts_end);
}

Request Bookings::request_for(const Intent& intent, int attempt) {
  Intent as_sent = intent;
  as_sent.body = habits_.body_for(intent, attempt);
  if (!habits_.settings().upserts) {
    return create_request(environment_, as_sent, habits_.key_for(intent, attempt));
  }
  return upsert_request(environment_, as_sent, habits_.id_for(intent, attempt));
}

bool Bookings::renew_token() {
  const Answer answer =
      transport_.exchange(token_request(environment_), habits_.settings().attempt_timeout);
  const auto token = token_of(answer);
  if (!token) return false;
  // With the one that was refused it would be refused again.
  const bool is_new = *token != environment_.token;
  environment_.token = *token;
  return is_new || habits_.renewals() > 1;
}

CallResult Bookings::look_up(const std::string& reference, int max_attempts, TimePoint deadline) {
  Call call;
  call.kind = CallKind::Lookup;
  call.operation = reference;
  call.max_attempts = max_attempts;
  call.request = [&](int) {
    const Filter by = habits_.lookup_filter(reference);
    return lookup_request(environment_, by.member, by.value);
  };
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
  const int page_number = habits_.settings().uses_last_known ? 1 : number;
  const std::string offset = std::to_string((page_number - 1) * kProductsAPage);
  const std::string page = "limit=" + std::to_string(kProductsAPage) + "&offset=" + offset;
  const std::string path = "/v1/products?" + page;
  const bool is_live = read_from(path, "read-" + std::to_string(number), judge_products);
  return habits_.settings().uses_last_known ? tell_of_read(path, is_live) : is_live;
}

bool Bookings::tell_of_read(const std::string& path, bool is_live) {
  const auto known = last_known_.find(path);
  const bool has_any = is_live || known != last_known_.end();
  OutcomeLine line = line_of("GET " + environment_.base_path + path,
                             has_any ? Outcome::Succeeded : Outcome::Failed, "", "");
  if (is_live) {
    last_known_[path] = utc_now();
  } else if (has_any) {
    line.as_of = known->second;
  }
  outcomes_.append(habits_.as_reported(line));
  return is_live;
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
  call.renew_token = [this] { return renew_token(); };
  return caller_.run(call, steady_clock::now() + habits_.settings().deadline).success.has_value();
}

}  // namespace booking
