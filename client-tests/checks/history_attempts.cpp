#include "client-tests/checks/history_attempts.h"

#include <algorithm>
#include <chrono>

namespace mishap::client_tests {

using server::Delivery;
using server::Departure;
using server::Ending;
using server::Exchange;
using server::Role;

namespace {

// A client that closes and comes back at once does both within this time, and the server may see
// the two in either order, since they are on two sockets.
constexpr Duration kSameMoment = std::chrono::milliseconds(5);

bool answered_completely(const Exchange& exchange) {
  return exchange.receipt.delivery == Delivery::Complete && exchange.receipt.last_write;
}

bool ended_by_us(const Exchange& exchange) {
  const Ending ending = exchange.receipt.ending;
  return ending == Ending::Closed || ending == Ending::Reset || ending == Ending::Failed ||
         ending == Ending::Finished;
}

// When nothing was owed any more: the last write of a complete answer, or our own end. Absent where
// an answer was owed until the client left or the run ended.
std::optional<Duration> owed_until(const Exchange& exchange) {
  if (answered_completely(exchange)) return exchange.receipt.last_write;
  if (ended_by_us(exchange)) {
    return exchange.receipt.ended ? exchange.receipt.ended : exchange.receipt.last_write;
  }
  return std::nullopt;
}

void keep_earliest(std::optional<Duration>& earliest, Duration candidate) {
  if (!earliest || candidate < *earliest) earliest = candidate;
}

// The client's FIN or RST while an answer was owed.
std::optional<Duration> departure_while_owed(const Exchange& exchange) {
  const auto& receipt = exchange.receipt;
  if (receipt.departure == Departure::None || !receipt.departed) return std::nullopt;
  const auto until = owed_until(exchange);
  if (until && *receipt.departed >= *until) return std::nullopt;
  return receipt.departed;
}

// Its word that it is done with the operation, given while this answer was owed.
std::optional<Duration> word_while_owed(const Exchange& exchange, const LastWords& last_words) {
  const auto word = std::ranges::lower_bound(last_words, exchange.first_byte);
  if (word == last_words.end()) return std::nullopt;
  const auto until = owed_until(exchange);
  return !until || *word < *until ? std::optional(*word) : std::nullopt;
}

// A close that the server noticed just after the next attempt is still a close before it: a hedging
// client drops the loser only when the winner has been answered.
bool closed_at_the_same_moment(const Exchange& exchange, const Exchange& next) {
  const auto departed = departure_while_owed(exchange);
  if (!departed || *departed < next.first_byte) return false;
  if (*departed > next.first_byte + kSameMoment) return false;
  return !next.receipt.first_write || *departed < *next.receipt.first_write;
}

// checks.md "Words", hedge: sent before the attempt before was answered or left.
bool is_hedge(const Attempt& before, const Attempt& attempt, const LastWords& last_words) {
  const Exchange& previous = *before.exchange;
  const Duration sent = attempt.exchange->first_byte;
  const auto until = owed_until(previous);
  if (until && *until <= sent) return false;
  const auto departed = departure_while_owed(previous);
  if (departed && *departed <= sent) return false;
  const auto word = word_while_owed(previous, last_words);
  if (word && *word <= sent) return false;
  return !closed_at_the_same_moment(previous, *attempt.exchange);
}

std::optional<Duration> abandoned_at(const Exchange& exchange, const Exchange* next,
                                     const LastWords& last_words) {
  std::optional<Duration> earliest = departure_while_owed(exchange);
  if (const auto word = word_while_owed(exchange, last_words)) keep_earliest(earliest, *word);
  if (next && !closed_at_the_same_moment(exchange, *next)) {
    const auto until = owed_until(exchange);
    if (!until || next->first_byte < *until) keep_earliest(earliest, next->first_byte);
  }
  return earliest;
}

bool has_retry_after(const Exchange& exchange) {
  static constexpr std::string_view kName = "retry-after";
  return std::any_of(
      exchange.answer.headers.begin(), exchange.answer.headers.end(), [](const NameValue& header) {
        return std::equal(header.name.begin(), header.name.end(), kName.begin(), kName.end(),
                          [](char a, char b) { return (a | 0x20) == b; });
      });
}

Result result_of_status(const Exchange& exchange) {
  const StatusCode status = exchange.answer.status;
  if (status / 100 == 2) return exchange.answer.healthy ? Result::Success : Result::Spoiled;
  if (status / 100 == 3) return Result::Redirect;
  if (status == 429) return Result::Throttled;
  if ((status == 413 || status == 503) && has_retry_after(exchange)) return Result::Throttled;
  return status / 100 == 4 ? Result::ClientError : Result::ServerError;
}

// A next attempt alone does not take an answer away from a client that still listens; a close or a
// last word does.
Result result_of(const Exchange& exchange, const Attempt& attempt, const LastWords& last_words) {
  const bool left = departure_while_owed(exchange) || word_while_owed(exchange, last_words);
  if (answered_completely(exchange)) {
    return left ? Result::Abandoned : result_of_status(exchange);
  }
  if (attempt.abandoned_at) return Result::Abandoned;
  return ended_by_us(exchange) ? Result::Broken : Result::Unanswered;
}

// 425 and 429 come before any processing, a 421 was for somebody else, and another 4xx refuses for
// good. 408 and 409 leave it open: the request may be half read, or be running right now. A 5xx,
// 503 included, can come from behind the effect.
Knowable knowable_of(const Attempt& attempt) {
  switch (attempt.result) {
    case Result::Success:
      // Sent again, or given up, before the answer came: it was not known then.
      return attempt.abandoned_at ? Knowable::Ambiguous : Knowable::Processed;
    case Result::Redirect:
      return Knowable::Processed;
    case Result::Throttled:
      return attempt.exchange->answer.status == 503 ? Knowable::Ambiguous : Knowable::NotProcessed;
    case Result::ClientError: {
      const StatusCode status = attempt.exchange->answer.status;
      return status == 408 || status == 409 ? Knowable::Ambiguous : Knowable::NotProcessed;
    }
    case Result::Spoiled:
    case Result::ServerError:
    case Result::Broken:
    case Result::Abandoned:
    case Result::Unanswered:
      return Knowable::Ambiguous;
  }
  return Knowable::Ambiguous;
}

std::optional<Duration> failed_at(const Attempt& attempt) {
  const auto& receipt = attempt.exchange->receipt;
  switch (attempt.result) {
    case Result::Spoiled:
    case Result::Throttled:
    case Result::ClientError:
    case Result::ServerError:
      return receipt.last_write;
    case Result::Broken:
      return receipt.ended ? receipt.ended : receipt.last_write;
    case Result::Abandoned:
      return attempt.abandoned_at;
    case Result::Success:
    case Result::Redirect:
    case Result::Unanswered:
      return std::nullopt;
  }
  return std::nullopt;
}

// `earlier_effect`: an attempt before this one of the same operation had an effect by then, so that
// a replayed answer tells of it.
Truth truth_of(const Attempt& attempt, const std::vector<Duration>& effects, bool earlier_effect) {
  if (!effects.empty()) {
    const Duration first = *std::min_element(effects.begin(), effects.end());
    return !attempt.failed_at || first <= *attempt.failed_at ? Truth::Effect : Truth::EffectLater;
  }
  if (attempt.exchange->upstream.in_doubt) return Truth::Unknown;
  if (attempt.exchange->answer.replayed && earlier_effect) return Truth::Effect;
  return attempt.exchange->request.complete ? Truth::NoEffect : Truth::NotReceived;
}

// It follows the redirect that the one before was answered with: no attempt of its own.
bool is_hop(const Attempt& before, const Attempt& attempt) {
  const Exchange& previous = *before.exchange;
  const Exchange& next = *attempt.exchange;
  return previous.answer.status / 100 == 3 && answered_completely(previous) &&
         (previous.request.path != next.request.path || previous.api != next.api);
}

void number_policy_attempts(std::vector<Attempt>& attempts) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    Attempt& attempt = attempts[i];
    attempt.transport_resend = attempt.exchange->role == Role::TransportResend;
    const bool is_the_same =
        attempt.transport_resend || (i > 0 && is_hop(attempts[i - 1], attempt));
    if (!is_the_same || number == 0) ++number;
    attempt.policy_number = number;
  }
}

// The end of a process closes its connections, and its last attempt is nobody's to give up.
void note_life(const Lives& lives, Attempt& attempt) {
  const Duration sent = attempt.exchange->first_byte;
  attempt.life = lives.at(sent);
  const auto told = lives.ended_by_scenario(sent);
  if (!told || !attempt.abandoned_at || *attempt.abandoned_at + kSameMoment < *told) return;
  attempt.cut_by_signal = true;
  attempt.abandoned_at.reset();
}

void judge_gap(const Attempt& before, Attempt& attempt, const LastWords& last_words) {
  if (attempt.transport_resend || attempt.life != before.life) return;
  attempt.hedged = is_hedge(before, attempt, last_words);
  if (attempt.hedged || !before.failed_at) return;
  // Below zero only where a close and the attempt after it were seen in the wrong order.
  attempt.gap = std::max(Duration{}, attempt.exchange->first_byte - *before.failed_at);
}

}  // namespace

void judge_attempts(std::vector<Attempt>& attempts, const LastWords& last_words, const Lives& lives,
                    const EffectInstants& effects_of) {
  number_policy_attempts(attempts);
  std::optional<Duration> first_effect;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    Attempt& attempt = attempts[i];
    const Exchange& exchange = *attempt.exchange;
    const Exchange* next = i + 1 < attempts.size() ? attempts[i + 1].exchange : nullptr;
    attempt.abandoned_at = abandoned_at(exchange, next, last_words);
    note_life(lives, attempt);
    attempt.result =
        attempt.cut_by_signal ? Result::Unanswered : result_of(exchange, attempt, last_words);
    attempt.knowable = knowable_of(attempt);
    attempt.failed_at = failed_at(attempt);
    const auto effects = effects_of(exchange);
    const Duration end = exchange.receipt.last_write.value_or(Duration::max());
    attempt.truth = truth_of(attempt, effects, first_effect && *first_effect <= end);
    for (const Duration effect : effects) keep_earliest(first_effect, effect);
    if (i > 0) judge_gap(attempts[i - 1], attempt, last_words);
  }
}

}  // namespace mishap::client_tests
