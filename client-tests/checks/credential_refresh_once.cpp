#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/control_habit.h"
#include "client-tests/checks/tally.h"

// An expired token is renewed once, not hammered.
namespace mishap::client_tests {

namespace {

constexpr StatusCode kUnauthorized = 401;

// Of one copy, in order of time.
struct Lane {
  std::vector<const Attempt*> refreshes;
  std::vector<const Attempt*> refused;       // attempts that were told 401
  std::vector<const Operation*> operations;  // with such an attempt
};

Duration sent_at(const Attempt* attempt) {
  return attempt->exchange->first_byte;
}

bool is_refresh(const Operation& operation, const std::string& refresh) {
  return operation.method + " " + operation.path == refresh;
}

// One that failed may be tried again, which is a matter of other checks.
bool was_given(const Attempt* refresh) {
  const server::Exchange& exchange = *refresh->exchange;
  return exchange.answer.success && exchange.receipt.delivery == server::Delivery::Complete;
}

bool was_refused(const Attempt& attempt) {
  return status_of(attempt) == kUnauthorized;
}

std::map<int, Lane> lanes_of(const History& history, const std::string& refresh) {
  std::map<int, Lane> lanes;
  for (const Operation& operation : history.operations) {
    Lane& lane = lanes[operation.lane];
    const std::size_t before = lane.refused.size();
    for (const Attempt& attempt : operation.attempts) {
      if (attempt.transport_resend) continue;
      if (is_refresh(operation, refresh)) {
        lane.refreshes.push_back(&attempt);
      } else if (was_refused(attempt)) {
        lane.refused.push_back(&attempt);
      }
    }
    if (lane.refused.size() > before) lane.operations.push_back(&operation);
  }
  for (auto& [number, lane] : lanes) {
    std::ranges::stable_sort(lane.refreshes, {}, sent_at);
    std::ranges::stable_sort(lane.refused, {}, sent_at);
  }
  return lanes;
}

// How often it logs in where nothing is refused: each process, worker or scope may have a token of
// its own.
std::size_t usual_logins(const Case& c, int lane, const std::string& refresh) {
  if (!c.control_history) return 0;
  const int usual = lane_in_control(c, lane);
  std::size_t logins = 0;
  for (const Operation& operation : c.control_history->operations) {
    const bool is_login = operation.lane == usual && is_refresh(operation, refresh);
    logins += is_login ? policy_attempts(operation).size() : 0;
  }
  return logins;
}

class Judge {
 public:
  // `logins`: that the copy makes anyway.
  Judge(const Lane& lane, std::size_t logins, Tally& tally)
      : lane_(lane), logins_(logins), tally_(tally) {}

  void judge() {
    for (std::size_t i = 1; i < lane_.refreshes.size(); ++i) look_at_refresh(i);
    for (Witness& surplus : surplus_) rule(surplus_.size() > logins_, std::move(surplus));
    for (const Operation* operation : lane_.operations) look_at(*operation);
  }

 private:
  void rule(bool is_hammered, Witness cited) {
    if (is_hammered) return tally_.broke(std::move(cited));
    tally_.open("it logs in on the good day as well: which renewal was whose is not known",
                std::move(cited));
  }

  // Another renewal is due when the token of the one before was refused: to a request that was sent
  // after that was answered.
  void look_at_refresh(std::size_t index) {
    const Attempt* before = lane_.refreshes[index - 1];
    const Attempt* again = lane_.refreshes[index];
    if (!was_given(before) || before->life != again->life || !is_asked_for(sent_at(again))) return;
    const auto sent =
        std::ranges::lower_bound(lane_.refused, *before->exchange->receipt.last_write, {}, sent_at);
    const bool is_due =
        sent != lane_.refused.end() && told_at(*sent).value_or(sent_at(again)) < sent_at(again);
    if (is_due) return;
    Witness cited = said(fmt::format(
        "#{} asks for a token {} after #{}, whose token was not refused", again->exchange->number,
        seconds(sent_at(again) - sent_at(before)), before->exchange->number));
    cited.exchanges = {before->exchange->number, again->exchange->number};
    surplus_.push_back(std::move(cited));
  }

  static std::optional<Duration> told_at(const Attempt* refused) {
    return refused->exchange->receipt.last_write;
  }

  // An operation was told 401 and had not been sent again: else it is a login of something new.
  bool is_asked_for(Duration instant) const {
    return std::ranges::any_of(lane_.operations, [&](const Operation* operation) {
      const auto attempts = policy_attempts(*operation);
      for (std::size_t i = 0; i + 1 < attempts.size(); ++i) {
        const auto told = told_at(attempts[i]);
        const bool is_between = told && *told <= instant && instant <= sent_at(attempts[i + 1]);
        if (was_refused(*attempts[i]) && is_between) return true;
      }
      return false;
    });
  }

  void look_at(const Operation& operation) {
    const auto attempts = policy_attempts(operation);
    std::size_t refusals = 0;
    std::size_t further = 0;  // behind the second
    for (const Attempt* attempt : attempts) {
      if (refusals >= 2) ++further;
      if (was_refused(*attempt)) ++refusals;
    }
    const std::size_t renewals = renewed_for(operation, attempts);
    if (renewals == 0) return;
    const bool kept = renewals <= 1 && further == 0;
    Witness cited = witness(
        operation,
        fmt::format("{}: {} for one expired token {} 1, {} behind a second 401 {} 0 ({})",
                    operation.name, counted(renewals, "renewal"), renewals <= 1 ? "<=" : ">",
                    counted(further, "attempt"), further == 0 ? "=" : ">", story_of(operation)));
    if (kept) return tally_.held(std::move(cited));
    rule(further > 0 || renewals > 1 + logins_, std::move(cited));
  }

  // Renewals between its first refusal and its last attempt.
  std::size_t renewed_for(const Operation& operation,
                          const std::vector<const Attempt*>& attempts) const {
    const auto first = std::ranges::find_if(
        attempts, [](const Attempt* attempt) { return was_refused(*attempt); });
    const Duration from = sent_at(*first);
    const Duration to = sent_at(attempts.back());
    const auto begin = std::ranges::lower_bound(lane_.refreshes, from, {}, sent_at);
    const auto end = std::ranges::upper_bound(lane_.refreshes, to, {}, sent_at);
    if (begin >= end) return 0;
    const auto count = static_cast<std::size_t>(std::count_if(begin, end, was_given));
    // Several at once may each have been told: then only the renewals themselves are compared.
    return others_refused(operation, from, to) ? std::min<std::size_t>(count, 1) : count;
  }

  bool others_refused(const Operation& operation, Duration from, Duration to) const {
    auto at = std::ranges::lower_bound(lane_.refused, from, {}, sent_at);
    for (; at != lane_.refused.end() && sent_at(*at) <= to; ++at) {
      if ((*at)->exchange->identity.operation != operation.number) return true;
    }
    return false;
  }

  const Lane& lane_;
  std::size_t logins_;
  Tally& tally_;
  std::vector<Witness> surplus_;
};

Finding evaluate(const Case& c, const Params& params) {
  if (!params.has("refresh")) {
    return not_applicable("the scenario names no call that renews a token");
  }
  const std::string& refresh = params.text("refresh");
  Tally tally;
  for (const auto& [number, lane] : lanes_of(c.history, refresh)) {
    Judge(lane, usual_logins(c, number, refresh), tally).judge();
  }
  return std::move(tally).settle(
      {.failed = "an expired token is renewed again and again",
       .reason = "One renewal and one repetition settle whether the credential is good.",
       .held = counted(tally.judged(), "operation") + " with one renewal",
       .none = "your client renews no token (" + refresh + ")"});
}

}  // namespace

const CheckDescriptor kCredentialRefreshOnce = {
    .name = "credential_refresh_once",
    .summary = "an expired token is renewed once, not hammered",
    .rule =
        "renewals between the first 401 of an operation and its last attempt <= 1, no attempt "
        "behind a second 401, and behind a 401 no renewal while the token of the one before has "
        "not been refused",
    .judged =
        "operations that were told 401 and for which the client renewed its token, where the "
        "scenario names that call",
    .why = "A dead credential that knocks in a loop locks the account, and the token service.",
    .change =
        "On 401 renew once, for all that wait, and repeat once; on a second 401 stop and report.",
    .source = "RFC 9110 section 15.5.2; RFC 6749 section 6 (refreshing an access token)",
    .since = "0.1",
    .params = {{.name = "refresh",
                .type = ParamType::Text,
                .help = "the call that renews a token, as in POST /oauth/token"}},
    .severity = 42,
    .families = {Family::Permanent},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
