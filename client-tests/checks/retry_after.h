#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client-tests/checks/check.h"

// The wait that an answer asked for (RFC 9110 section 10.2.3), as it was sent.
namespace mishap::client_tests {

struct RetryAfter {
  enum class Form {
    Seconds,  // 1*DIGIT
    Date,     // one of the three forms of RFC 9110 section 5.6.7
    Odd,      // anything else, or more than one field
  };
  Form form = Form::Odd;
  std::string text;  // the value; several joined by " | "
  // Asked from the instant of the answer's last write; below zero for a date that was past then.
  Duration wait{};
  Duration date{};  // since the epoch, for Date

  bool asks_to_wait() const { return form != Form::Odd && wait > Duration{}; }
};

// Nothing where the head with it did not reach the wire or there is no such field.
std::optional<RetryAfter> retry_after(const Recording& recording, const server::Exchange& exchange);

// Not a plain wait within `limit`: odd form, zero, past, or longer than any client should sleep.
bool is_unusual(const RetryAfter& asked, Duration limit);

// Seconds since the epoch; `now` decides the century of an RFC 850 date.
std::optional<Duration> parse_http_date(std::string_view text, Duration now);

}  // namespace mishap::client_tests
