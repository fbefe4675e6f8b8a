#include "client-tests/clients/booking_client/judgement.h"

#include <chrono>
#include <utility>

#include "client-tests/clients/booking_client/booking_api.h"
#include "client-tests/clients/booking_client/retry_after.h"

namespace booking {
namespace {

std::optional<Failure> failure_of_ending(Ending ending) {
  switch (ending) {
    case Ending::Answered:
      return std::nullopt;
    case Ending::NotConnected:
      return Failure{Category::Network, true, Effect::None, true, "no connection"};
    case Ending::NotTrusted:
      return Failure{Category::Permanent, false, Effect::None, true, "certificate refused"};
    case Ending::Lost:
      return Failure{Category::Network, true, Effect::Unknown, true, "connection lost"};
    case Ending::TimedOut:
      return Failure{Category::Timeout, true, Effect::Unknown, true, "no answer in time"};
    case Ending::CutShort:
      return invalid_response("answer cut short");
    case Ending::Malformed:
      return invalid_response("malformed answer");
  }
  return std::nullopt;
}

Failure throttled(std::string what) {
  return {Category::Throttling, true, Effect::None, false, std::move(what)};
}

Failure unavailable(std::string what) {
  return {Category::Unavailable, true, Effect::Unknown, false, std::move(what)};
}

Failure permanent(std::string what, Effect effect = Effect::None) {
  return {Category::Permanent, false, effect, false, std::move(what)};
}

Failure failure_of_status(const Answer& answer) {
  const std::string what = "status " + std::to_string(answer.status);
  switch (answer.status) {
    case 408:  // may come after the request was read in full
      return {Category::Timeout, true, Effect::Unknown, false, what};
    case 409:
      if (!says_in_progress(answer)) return permanent(what);
      return {Category::InProgress, true, Effect::Unknown, false, what};
    case 413:  // RFC 9110 15.5.14: temporary if it says when to come back
      if (!parse_retry_after(answer.retry_after, std::chrono::system_clock::now())) {
        return permanent(what);
      }
      return throttled(what);
    case 425:
    case 429:
      return throttled(what);
    case 500:
    case 502:
    case 503:
    case 504:
      return unavailable(what);
    case 501:
    case 505:
      return permanent(what);
    default:
      // A redirect or an unknown 5xx says nothing about whether the request was carried out.
      return permanent(what, answer.status / 100 == 4 ? Effect::None : Effect::Unknown);
  }
}

}  // namespace

const char* name_of(Category category) {
  switch (category) {
    case Category::Timeout:
      return "timeout";
    case Category::Network:
      return "network";
    case Category::Throttling:
      return "throttling";
    case Category::Unavailable:
      return "unavailable";
    case Category::InProgress:
      return "in_progress";
    case Category::Permanent:
      return "permanent";
    case Category::InvalidResponse:
      return "invalid_response";
    case Category::NotFoundYet:
      return "not_found_yet";
    case Category::CircuitOpen:
      return "circuit_open";
  }
  return "";
}

Failure invalid_response(std::string what) {
  // The request was carried out, perhaps: what came back cannot be trusted either way.
  return {Category::InvalidResponse, true, Effect::Unknown, false, std::move(what)};
}

std::optional<Failure> failure_of(const Answer& answer) {
  if (std::optional<Failure> failure = failure_of_ending(answer.ending)) return failure;
  if (answer.status / 100 == 2) return std::nullopt;
  return failure_of_status(answer);
}

}  // namespace booking
