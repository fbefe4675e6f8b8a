#include "client-tests/clients/booking_client/wrong_clients.h"

#include "client-tests/clients/booking_client/wrong_answers.h"
#include "client-tests/clients/booking_client/wrong_backoff.h"
#include "client-tests/clients/booking_client/wrong_connections.h"
#include "client-tests/clients/booking_client/wrong_effects.h"
#include "client-tests/clients/booking_client/wrong_reports.h"
#include "client-tests/clients/booking_client/wrong_retries.h"
#include "client-tests/clients/booking_client/wrong_waits.h"

namespace booking {
namespace {

template <typename T>
std::unique_ptr<Habits> make(Settings settings) {
  return std::make_unique<T>(settings);
}

constexpr WrongClient kWrongClients[] = {
    {"wrong-path", "baseline_healthy",
     "also reads a booking that does not exist and calls the run failed, even when all is well",
     make<WrongPath>},
    {"avoids-faulted-route", "fault_activated",
     "makes no call outside the control and healthy runs", make<AvoidsFaultedRoute>},
    {"no-timeout", "attempt_timeout_bounded", "an attempt may take for ever", make<NoTimeout>},
    {"no-deadline", "total_deadline_bounded",
     "no limit on an operation or on Retry-After: sleeps any wait out", make<NoDeadline>},
    {"per-read-timeout-only", "attempt_timeout_bounded",
     "the timeout starts anew with every byte, so a dribbling answer never ends",
     make<PerReadTimeoutOnly>},
    {"leaks-connection", "connection_released_after_timeout",
     "a timeout reports an error but leaves the request open in a thread behind it",
     make<LeaksConnection>},
    {"never-retries", "recovers_from_transient", "one attempt, whatever happens",
     make<NeverRetries>},
    {"retries-everything", "no_retry_on_permanent_error",
     "every answer but a success is retried, permanent errors included", make<RetriesEverything>},
    {"classifies-once", "stops_on_permanent_after_transient",
     "the first error of an operation decides whether all later ones are retried",
     make<ClassifiesOnce>},
    {"blind-resend", "no_blind_retry_of_unsafe",
     "creates carry no key and are sent again after a lost answer without looking",
     make<BlindResend>},
    {"retries-forever", "bounded_attempts", "neither attempts nor time are limited",
     make<RetriesForever>},
    {"no-backoff", "no_immediate_retry", "no wait between attempts, unless the server asks for one",
     make<NoBackoff>},
    {"constant-delay", "backoff_growth", "waits equally long after every failure",
     make<ConstantDelay>},
    {"uncapped", "backoff_capped", "doubles its waits without a longest one", make<Uncapped>},
    {"no-jitter", "jitter_present", "waits exactly 1, 2, 4 ... times its base", make<NoJitter>},
    {"same-seed", "jitter_present", "every copy draws the same waits", make<SameSeed>},
    {"tiny-jitter", "no_thundering_herd", "adds at most 25 ms to waits of seconds",
     make<TinyJitter>},
    {"nested-retries", "single_retry_layer", "three attempts inside three attempts",
     make<NestedRetries>},
    {"retry-after-exact", "retry_after_spread", "adds nothing of its own to Retry-After",
     make<AddsNothingToRetryAfter>},
    {"ignores-retry-after", "retry_after_honored", "does not read Retry-After",
     make<IgnoresRetryAfter>},
    {"retry-after-jittered-around", "retry_after_honored",
     "waits a fifth less or more than Retry-After asks", make<JittersAroundRetryAfter>},
    {"retry-after-min", "retry_after_honored",
     "waits for the shorter of its own backoff and Retry-After", make<TakesTheShorterWait>},
    {"retry-after-seconds-only", "retry_after_honored",
     "does not know the date form of Retry-After", make<ReadsSecondsOnly>},
    {"retry-after-only-429", "retry_after_honored", "reads Retry-After of a 429 only, not of a 503",
     make<HonoursRetryAfterOn429Only>},
    {"retry-after-crash", "retry_after_robust",
     "aborts on a Retry-After that is neither number nor date", make<CrashesOnOddRetryAfter>},
    {"retry-after-wraps", "retry_after_robust",
     "a past date or a negative number becomes a wait without end", make<WrapsNegativeRetryAfter>},
    {"fresh-key-resend", "no_duplicate_effects",
     "every attempt has a new key, and nothing is looked up before it", make<FreshKeyResend>},
    {"resends-whole-batch", "retries_only_failed_items",
     "one failed item, and the whole batch is built anew and sent again", make<ResendsWholeBatch>},
    {"key-only-on-retries", "idempotency_key_present",
     "the first attempt of a create carries no key", make<KeyOnlyOnRetries>},
    {"new-key-after-lookup", "key_stable_across_attempts",
     "every attempt has a new key, though only after a lookup that shows no booking",
     make<NewKeyAfterLookup>},
    {"one-key-for-all", "key_fresh_per_operation", "all creates of a run share one key",
     make<OneKeyForAll>},
    {"key-in-memory", "key_persisted_before_call",
     "keys and what is done are in memory only, so a crash takes them with it", make<KeyInMemory>},
    {"starts-over", "resumes_from_checkpoint",
     "forgets what is done as soon as it is done, and does it again after a crash",
     make<StartsOver>},
    {"sleeps-through-sigterm", "cancellation_stops_retries",
     "finishes its waits and attempts before it looks whether it was told to end",
     make<SleepsThroughSigterm>},
    {"trusts-any-2xx", "invalid_response_rejected", "a 2xx status is a success, whatever the body",
     make<TrustsAny2xx>},
    {"lost-is-failed", "outcome_truthful",
     "an unknown outcome is reported as failed, without another attempt or a lookup",
     make<LostIsFailed>},
    {"reuses-connection", "retries_on_fresh_connection",
     "after a timeout the next request goes out on the same connection", make<ReusesConnection>},
    {"follows-for-ever", "redirects_bounded", "follows redirects without a bound",
     make<FollowsForEver>},
    {"forwards-credentials", "no_credential_leak_on_redirect",
     "sends its token wherever a redirect leads", make<ForwardsCredentials>},
    {"reads-everything", "bounded_response_size", "takes an answer of any size into memory",
     make<ReadsEverything>},
    {"ignores-quota", "rate_limit_respected", "does not read RateLimit", make<IgnoresQuota>},
    {"key-from-reference", "key_unpredictable", "makes its keys from what others know",
     make<KeyFromReference>},
    {"prints-answers", "log_injection_safe", "prints what the server says, with its line ends",
     make<PrintsAnswers>},
    {"trusts-any-certificate", "tls_verification_enforced",
     "does not look at the certificate of the server", make<TrustsAnyCertificate>},
    {"attempt-in-body", "key_bound_to_payload",
     "the body carries the number of the attempt, so it changes under its key",
     make<AttemptInBody>},
    {"conflict-is-final", "in_progress_conflict_handled",
     "takes \"the first one is still running\" (409) for a refusal and reports failed",
     make<ConflictIsFinal>},
    {"looks-once", "reconciles_unknown_outcome",
     "does not repeat a lost create, looks once, and believes a list that does not show it yet",
     make<LooksOnce>},
    {"drops-exhausted", "no_lost_effects",
     "what failed after the last attempt is dropped: no outcome line, and exit code 0",
     make<DropsExhausted>},
    {"unknown-is-failed", "unknown_reported_as_pending",
     "with a vendor that takes no keys and lists nothing, no answer is reported as failed",
     make<UnknownIsFailed>},
    {"swallows-failures", "every_operation_accounted",
     "writes an outcome line for what succeeded only", make<SwallowsFailures>},
    {"attempt-may-take-all", "inner_timeout_below_budget",
     "an attempt may take all the time that the operation has", make<AttemptMayTakeAll>},
    {"reports-beforehand", "no_premature_success", "writes success before it makes the call",
     make<ReportsBeforehand>},
    {"takes-any-booking", "response_bound_to_request",
     "does not compare the reference in an answer with its own", make<TakesAnyBooking>},
    {"reports-last-attempt", "accounting_accurate", "counts and measures only the last attempt",
     make<ReportsLastAttemptOnly>},
    {"one-category", "error_category_distinct", "calls every failure the same", make<OneCategory>},
    {"logs-token", "no_secrets_in_logs", "prints the request with its token when it fails",
     make<LogsToken>},
    {"floods-log", "log_volume_bounded", "hundreds of lines for every failed attempt",
     make<FloodsLog>},
    {"always-zero", "exit_code_truthful", "ends with exit code 0 whatever happened",
     make<AlwaysZero>},
    {"never-ends", "baseline_healthy", "does its work and then does not end", make<NeverEnds>},
};

}  // namespace

std::span<const WrongClient> wrong_clients() {
  return kWrongClients;
}

std::unique_ptr<Habits> make_habits(const Settings& settings) {
  if (settings.wrong.empty()) return std::make_unique<Habits>(settings);
  for (const WrongClient& wrong : wrong_clients()) {
    if (settings.wrong == wrong.name) return wrong.make(settings);
  }
  return nullptr;
}

}  // namespace booking
