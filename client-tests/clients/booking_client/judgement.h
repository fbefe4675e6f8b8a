// What an answer means for the operation: a success that is proven, or a kind of failure.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "client-tests/clients/booking_client/transport.h"

namespace booking {

enum class Category {
  Timeout,
  Network,
  Throttling,       // 425, 429, and 413 with a time to come back
  Unavailable,      // the server says that it is at fault
  InProgress,       // 409: an earlier attempt with our key is still being worked on
  Permanent,        // asking again cannot help
  InvalidResponse,  // an answer that proves nothing
  NotFoundYet,      // a lookup that shows no such booking, which may still come
  CircuitOpen,      // not sent: most calls fail now
};

// What may have happened on the other side.
enum class Effect { None, Unknown };

struct Failure {
  Category category = Category::Network;
  bool retryable = false;
  Effect effect = Effect::Unknown;
  bool unanswered = false;  // no head of an answer arrived
  std::string what;         // own words and the status only: nothing that the server sent
};

struct Success {
  std::string id;  // of the booking; empty for a read
};

using Judgement = std::variant<Success, Failure>;

const char* name_of(Category category);

// The failure that an answer is by its ending and status alone. Nothing for a whole 2xx answer,
// whose body has to be looked at.
std::optional<Failure> failure_of(const Answer& answer);

Failure invalid_response(std::string what);

}  // namespace booking
