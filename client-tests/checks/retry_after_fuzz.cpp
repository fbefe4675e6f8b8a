#include "client-tests/checks/retry_after.h"

#include <chrono>

#include "cmake/fuzz/fuzz.h"
#include "server/faults/http_date.h"

// A Retry-After field with any value, one for each line of the input: the wait that is read of it
// can be reckoned with, and a date that is read is the one that it would be written as.
namespace mishap::client_tests {
namespace {

using fuzz::hold;
using namespace std::chrono_literals;

constexpr Duration kNow = 784111777s;       // Sun, 06 Nov 1994 08:49:37 GMT
constexpr Duration kMost = 3'000'000'000s;  // longer waits are all alike

Recording answered_with(std::string_view values) {
  server::Exchange exchange;
  exchange.receipt.last_write = 1s;
  exchange.receipt.delivery = server::Delivery::Complete;
  while (!values.empty()) {
    const std::size_t end = std::min(values.find('\n'), values.size());
    exchange.answer.headers.push_back({"retry-after", std::string(values.substr(0, end))});
    values.remove_prefix(std::min(end + 1, values.size()));
  }
  Recording recording;
  recording.wall_start = kNow;
  recording.journal.exchanges.push_back(std::move(exchange));
  return recording;
}

void check_date(Duration date) {
  hold(date <= kMost + 24h && date >= -kMost, "a date is within bounds");
  const auto seconds = std::chrono::floor<std::chrono::seconds>(date);
  hold(seconds == date, "a date is of whole seconds");
  if (date >= kMost || date <= -kMost + 24h) return;  // cut there
  for (const auto form : {server::DateForm::Imf, server::DateForm::Asctime}) {
    const auto text = server::http_date(std::chrono::sys_seconds(seconds), form);
    hold(parse_http_date(text, kNow) == date, "a date reads as it is written");
  }
}

void check(std::string_view values) {
  const Recording recording = answered_with(values);
  const auto& exchange = recording.journal.exchanges.front();
  const auto asked = retry_after(recording, exchange);
  hold(asked.has_value() == !exchange.answer.headers.empty(), "a field is a field");
  if (!asked) return;
  hold(exchange.answer.headers.size() == 1 || asked->form == RetryAfter::Form::Odd,
       "several fields are odd");
  hold(asked->form != RetryAfter::Form::Odd || !asked->asks_to_wait(), "an odd one asks nothing");
  hold(asked->asks_to_wait() || is_unusual(*asked, 120s), "who asks nothing is unusual");
  if (asked->form == RetryAfter::Form::Date) check_date(asked->date);
  if (asked->form == RetryAfter::Form::Seconds) {
    hold(asked->wait >= 0s && asked->wait <= kMost, "a wait is within bounds");
  }
}

}  // namespace
}  // namespace mishap::client_tests

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mishap::client_tests::check(mishap::fuzz::text_of(data, size));
  return 0;
}
