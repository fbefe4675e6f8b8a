#include "client-tests/driver/rest.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "client-tests/checks/client_life.h"
#include "client-tests/checks/retry_after.h"
#include "mishap/history.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;

// A service that answers its caller first and does the rest then.
constexpr Duration kBreath = 1s;
constexpr Duration kLook = 200ms;
// Between the clock of a look and the signal; a window is never a hair too short.
constexpr Duration kMargin = 100ms;
// So often a service may meet the same answer to the same read before that is no news any more.
constexpr int kEnoughReads = 12;
// What asks for more is no wait that a test should sit out.
constexpr Duration kLongestWait = 30s;

bool is_delivered_success(const server::Exchange& exchange) {
  return exchange.answer.success && exchange.receipt.delivery == server::Delivery::Complete;
}

Duration last_instant(const server::Exchange& exchange) {
  Duration last = exchange.first_byte;
  for (const auto& instant :
       {exchange.receipt.last_write, exchange.receipt.ended, exchange.receipt.departed}) {
    if (instant) last = std::max(last, *instant);
  }
  return last;
}

bool went_well(const History& history) {
  const auto well = [](const Attempt& attempt) { return attempt.result == Result::Success; };
  return !history.operations.empty() && history.unmatched.empty() &&
         std::ranges::all_of(history.operations, [&](const Operation& operation) {
           return operation.attempts.size() == 1 && std::ranges::all_of(operation.attempts, well);
         });
}

}  // namespace

bool owes_an_answer(const server::Journal& journal) {
  return std::ranges::any_of(journal.exchanges, [](const server::Exchange& exchange) {
    return !exchange.receipt.ended && !exchange.receipt.departed;
  });
}

Duration last_news(const server::Journal& journal) {
  Duration last{};
  std::map<std::tuple<int, std::string, bool>, int> read;
  for (const auto& exchange : journal.exchanges) {
    const bool went_well = is_delivered_success(exchange);
    const int times = ++read[{exchange.lane, exchange.request.content_hash, went_well}];
    const int enough = went_well ? 1 : kEnoughReads;
    if (!exchange.safe || times <= enough) last = std::max(last, last_instant(exchange));
  }
  return last;
}

Duration silence_needed(const Recording& so_far) {
  const History history = make_history(so_far);
  if (went_well(history)) return {};
  Duration window{};
  for (int lane = 0; lane < std::max(1, so_far.scenario.copies); ++lane) {
    window = std::max(window, quiet_window(so_far, history, lane));
  }
  return window + kMargin;
}

Duration waits_over_at(const Recording& so_far) {
  Duration until{};
  const History history = make_history(so_far);
  for (const auto& operation : history.operations) {
    const Attempt& last = operation.attempts.back();
    const auto& answered = last.exchange->receipt.last_write;
    if (last.result == Result::Success || !answered) continue;
    const auto asked = retry_after(so_far, *last.exchange);
    if (!asked || !asked->asks_to_wait() || asked->wait > kLongestWait) continue;
    until = std::max(until, *answered + asked->wait + std::max<Duration>(1s, asked->wait / 10));
  }
  return until;
}

Rest::Rest(const server::Run& run, const scenarios::Client& client, const ScenarioFacts& scenario)
    : run_(run), asked_(client.until && client.until->quiet ? *client.until->quiet : kBreath) {
  so_far_.scenario = scenario;
}

bool Rest::is_over(Duration now, Duration since) {
  if (now - since < asked_ || now < next_look_) return false;
  next_look_ = now + kLook;
  so_far_.journal = run_.snapshot();
  if (owes_an_answer(so_far_.journal)) return false;
  const Duration silence = now - std::max(since, last_news(so_far_.journal));
  if (silence < asked_) return false;
  return silence >= silence_needed(so_far_) && now >= waits_over_at(so_far_);
}

}  // namespace mishap::client_tests
