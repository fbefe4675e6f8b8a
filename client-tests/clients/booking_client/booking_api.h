// The vendor's API: what is sent, and what an answer must look like to be believed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client-tests/clients/booking_client/environment.h"
#include "client-tests/clients/booking_client/judgement.h"
#include "client-tests/clients/booking_client/transport.h"

namespace booking {

// One booking that is wanted. Made once, stored, and sent with the same bytes every time.
struct Intent {
  std::string reference;  // ours: names the booking in lookups and in the outcome file
  std::string key;        // Idempotency-Key, without quotes
  std::string body;       // JSON
};

// `contact` is left out where it is empty.
std::string booking_body(const std::string& reference, int number, const std::string& contact = "");

Request create_request(const Environment& environment, const Intent& intent,
                       const std::optional<std::string>& key);

// Many in one request; each with its own key, where it has one.
struct KeyedIntent {
  Intent intent;
  std::optional<std::string> key;
};
Request batch_request(const Environment& environment, const std::vector<KeyedIntent>& intents);

Request token_request(const Environment& environment);
// The new token; nothing where the answer holds none.
std::optional<std::string> token_of(const Answer& answer);

// The bookings of which this member has this value.
Request lookup_request(const Environment& environment, const std::string& member,
                       const std::string& value);
// The same booking under an id of our own, whatever is there already.
Request upsert_request(const Environment& environment, const Intent& intent, const std::string& id);
// The same data in a place that is none of a booking's: a note for a person to act on.
Request note_request(const Environment& environment, const std::string& reference,
                     const std::string& key);
Request get_request(const Environment& environment, const std::string& path);

// A success only with a whole 2xx answer that names our own reference and an id.
Judgement judge_booking(const Answer& answer, const std::string& reference);
// The answer to each of so many items, as if it had been sent alone; nothing where the answer to
// the batch is not what was agreed.
std::optional<std::vector<Answer>> answers_to_items(const Answer& answer, std::size_t items);
// A success with the id if a booking of that reference is listed; NotFoundYet if none is.
Judgement judge_lookup(const Answer& answer, const std::string& reference);
Judgement judge_products(const Answer& answer);
// A success with any JSON object.
Judgement judge_object(const Answer& answer);

// The problem type of the Idempotency-Key draft for "your earlier attempt is still running". Other
// 409s are real conflicts: the status alone cannot tell.
bool says_in_progress(const Answer& answer);

}  // namespace booking
