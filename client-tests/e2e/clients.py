"""The clients of the table: how each is set, what it runs, and for each wrong one the check that it must fail."""

import dataclasses
import shutil


@dataclasses.dataclass(frozen=True)
class Setup:
    """What a right client and those that are wrong in one way have in common."""

    flags: list = dataclasses.field(default_factory=list)
    runs: str = "core"  # packs and scenarios, blanks between
    promises: list = dataclasses.field(default_factory=list)  # beside PROMISE
    keeps: str = ""  # what it keeps and where, as keys of a client in mishap.yaml


@dataclasses.dataclass(frozen=True)
class Client:
    setup: Setup
    fails: str = ""  # the check that it must fail; right if there is none
    follows: frozenset = frozenset()  # the checks that may fail with it
    program: tuple = ()  # the booking client where nothing is said


PROMISE = ["attempt_timeout=1s", "deadline=12s", "max_attempts=5", "retries=declared"]

# Two hundred workers of one process that begin forty creates a second.
CROWD = ["--workers", "200", "--rate", "40", "--creates", "480", "--reads", "0"]

CORE = Setup()
PLAIN = Setup(["--plain-vendor"], "no-keys")
WITHOUT_KEYS = Setup(runs="no-keys")
BATCH = Setup(["--batch"], "batch")
UNBATCHED = Setup(runs="batch")
LOOKING = Setup(["--no-keys"], "no-keys/lost-but-listed")
UPSERT = Setup(["--upsert"], "no-keys/lost-upsert")
LIFETIME = Setup(["--key-lifetime", "1s"], "idempotency/key-forgotten")
LAST_KNOWN = Setup(["--last-known"], "answers/unavailable-after-a-read")
CRITICAL = Setup(runs="answers/critical-create-unavailable")
ANSWERS = Setup(runs="answers")
RATE_LIMIT = Setup(runs="rate-limit")
TLS = Setup(runs="tls")
JOBS = Setup(runs="jobs")
KEEPING = Setup(["--dead-letters", "dead-letters.jsonl"], "jobs", keeps="dead_letters: dead-letters.jsonl")
LOGS = Setup(runs="logs")
TELLING = Setup(["--log-file", "client.log", "--log-json", "--telemetry", "telemetry.json", "--creates", "12"], "logs",
                keeps="logs: ['{state}/*.log'], log_format: json, telemetry: telemetry.json")
TIMEOUTS = Setup(runs="timeouts")
# As many calls as it takes to see whether timeouts leave something behind.
MANY_TIMEOUTS = Setup(["--reads", "60", "--attempt-timeout", "150ms"], "timeouts/each-read-stalls-at-first")
LONG_WAIT = Setup(runs="timeouts/told-to-wait-five-seconds")
UNCONNECTED = Setup(runs="wire/connect-unanswered")
SHARED_BUDGET = Setup(["--deadline", "4s", "--attempt-timeout", "100ms"], "timeouts/stalls-after-a-failure",
                      ["attempt_timeout=4s", "deadline=4s"])
LONG_ANSWERS = Setup(["--attempt-timeout", "6s"], "wire/huge-answer-read wire/long-answer-read", ["attempt_timeout=6s"])
REDIRECTS = ("wire/redirect-loop wire/redirected-elsewhere wire/redirected-after-create answers/found-after-create "
             "answers/moved-create answers/temporary-redirect-create answers/permanent-redirect-create "
             "answers/redirect-told-to-wait")
REDIRECTED = Setup(runs=REDIRECTS)
FOLLOWING = Setup(["--follow-redirects"], REDIRECTS)
# Waits that are long enough to be told apart from the noise of thirty processes.
HERD = Setup(["--base", "300ms"], "herd")
CAPPED = Setup(HERD.flags, "herd", ["max_delay=1s"])
# Open for longer than what is under way takes, and with calls to make for as long as one may take to close.
BREAKER = Setup([*CROWD, "--creates", "720", "--breaker", "2s"], "breaker/down-then-well", ["breaker=2s"])
BULKHEAD = Setup(["--workers", "16", "--rate", "40", "--creates", "200", "--reads", "200", "--bulkhead"],
                 "breaker/one-route-stalls")
RETRY = Setup([*CROWD, "--retry-budget", "2"], "retry", ["retry_budget=2"])
OUTAGE = Setup(RETRY.flags, "retry/outage-without-end", RETRY.promises)
OVERDUE = Setup([*RETRY.flags, "--workers", "400"], "retry/overdue-after-an-outage")
THROTTLED = Setup([*CROWD, "--creates", "320", "--share-throttling"], "rate-limit/throttled-among-siblings")
INTERACTIVE = Setup(["--interactive", "2s"], "timeouts", ["answer_within=2500ms"])
RENEWING = Setup(["--renew-token"], "answers/token-expires-twice answers/token-expired")

RIGHT = {
    "right": CORE,
    "right-without-outcomes": Setup(["--no-outcomes"]),
    "right-plain": PLAIN,
    "right-batch": BATCH,
    "right-looking": LOOKING,
    "right-upsert": UPSERT,
    "right-lifetime": LIFETIME,
    "right-last-known": LAST_KNOWN,
    "right-wire": Setup(runs="wire"),
    "right-answers": ANSWERS,
    "right-rate-limit": RATE_LIMIT,
    "right-idempotency": Setup(runs="idempotency"),
    "right-tls": TLS,
    "right-jobs": JOBS,
    "right-keeping": KEEPING,
    "right-logs": LOGS,
    "right-telling": TELLING,
    "right-timeouts": TIMEOUTS,
    "right-many-timeouts": MANY_TIMEOUTS,
    "right-following": FOLLOWING,
    "right-herd": HERD,
    "right-breaker": BREAKER,
    "right-bulkhead": BULKHEAD,
    "right-retry": RETRY,
    "right-throttled": THROTTLED,
    "right-interactive": INTERACTIVE,
    "right-renewing": RENEWING,
}

# switch of the booking client -> (how it is set, the check that it must fail, the checks that follow from it).
WRONG = {
    # Waiting without end.
    "no-timeout": (CORE, "attempt_timeout_bounded", {"total_deadline_bounded", "bounded_attempts", "recovers_from_transient",
                                                     "retry_after_robust", "outcome_truthful"}),
    "no-deadline": (CORE, "total_deadline_bounded", {"retry_after_robust", "bounded_attempts"}),
    "per-read-timeout-only": (CORE, "attempt_timeout_bounded", {"total_deadline_bounded", "recovers_from_transient"}),
    "leaks-connection": (CORE, "connection_released_after_timeout", {"attempt_timeout_bounded"}),  # it is seen to wait
    "no-connect-timeout": (UNCONNECTED, "connect_timeout_bounded", {"attempt_timeout_bounded", "total_deadline_bounded",
                                                                    "bounded_attempts"}),
    "attempt-may-take-all": (SHARED_BUDGET, "inner_timeout_below_budget", set()),
    "new-client-each-attempt": (MANY_TIMEOUTS, "no_resource_leak", set()),
    "spins-while-waiting": (LONG_WAIT, "no_busy_wait", set()),
    "keeps-people-waiting": (INTERACTIVE, "interactive_response_time", set()),
    "sleeps-through-sigterm": (JOBS, "cancellation_stops_retries", set()),
    # What is tried again, and how often.
    "never-retries": (CORE, "recovers_from_transient", set()),
    "retries-everything": (CORE, "no_retry_on_permanent_error", {"stops_on_permanent_after_transient"}),
    "classifies-once": (CORE, "stops_on_permanent_after_transient", {"no_retry_on_permanent_error"}),
    "blind-resend": (CORE, "no_blind_retry_of_unsafe", {"no_duplicate_effects", "invalid_response_rejected"}),
    "retries-forever": (CORE, "bounded_attempts", {"total_deadline_bounded", "retry_after_robust"}),
    "nested-retries": (HERD, "single_retry_layer", {"bounded_attempts", "retry_amplification"}),
    "renews-for-ever": (RENEWING, "credential_refresh_once", {"no_retry_on_permanent_error", "no_immediate_retry"}),
    # When it is tried again.
    "no-backoff": (CORE, "no_immediate_retry", {"retry_after_robust"}),
    "constant-delay": (HERD, "backoff_growth", set()),
    "uncapped": (CAPPED, "backoff_capped", set()),
    "no-jitter": (HERD, "jitter_present", {"no_thundering_herd"}),
    "same-seed": (HERD, "jitter_present", {"no_thundering_herd"}),
    "tiny-jitter": (HERD, "no_thundering_herd", {"jitter_present"}),
    "retry-after-exact": (HERD, "retry_after_spread", set()),
    "ignores-retry-after": (CORE, "retry_after_honored", set()),
    "retry-after-jittered-around": (CORE, "retry_after_honored", set()),
    "retry-after-min": (CORE, "retry_after_honored", set()),
    "retry-after-seconds-only": (CORE, "retry_after_honored", set()),
    "retry-after-only-429": (CORE, "retry_after_honored", set()),
    "retry-after-crash": (CORE, "retry_after_robust", {"outcome_truthful", "recovers_from_transient", "exit_code_truthful",
                                                       "every_operation_accounted"}),
    "retry-after-wraps": (CORE, "retry_after_robust", {"total_deadline_bounded", "recovers_from_transient", "bounded_attempts",
                                                       "outcome_truthful", "every_operation_accounted"}),
    "ignores-quota": (RATE_LIMIT, "rate_limit_respected", set()),
    # What many do together.
    "never-trips": (BREAKER, "circuit_breaker_opens", set()),
    "half-open-floods": (BREAKER, "circuit_breaker_probes", set()),
    "stays-open": (BREAKER, "circuit_breaker_recovers", set()),
    "one-pool": (BULKHEAD, "bulkhead_isolated", set()),
    "throttled-alone": (THROTTLED, "throttle_shared", set()),
    "spends-without-end": (OUTAGE, "retry_budget", set()),
    "overdue-at-once": (OVERDUE, "no_storm_after_recovery", {
        "bounded_attempts", "retry_amplification", "total_deadline_bounded", "single_retry_layer", "no_thundering_herd",
        "jitter_present", "no_immediate_retry", "backoff_growth"}),
    # Effects, and the keys that stand for them.
    "fresh-key-resend": (CORE, "no_duplicate_effects", {"key_stable_across_attempts", "no_blind_retry_of_unsafe"}),
    "resends-whole-batch": (UNBATCHED, "retries_only_failed_items", {"no_duplicate_effects", "key_stable_across_attempts",
                                                                     "no_blind_retry_of_unsafe"}),
    "key-only-on-retries": (CORE, "idempotency_key_present", {"no_duplicate_effects", "no_blind_retry_of_unsafe",
                                                              "key_stable_across_attempts"}),
    "new-key-after-lookup": (CORE, "key_stable_across_attempts", {"no_duplicate_effects"}),
    "looks-up-by-time": (LOOKING, "deduplicates_without_key", {"no_duplicate_effects", "no_blind_retry_of_unsafe"}),
    "fresh-id-upsert": (UPSERT, "deduplicates_without_key", {"no_duplicate_effects", "recovers_from_transient"}),
    "outlives-key": (LIFETIME, "key_lifetime_respected", {"no_duplicate_effects"}),
    "one-key-for-all": (CORE, "key_fresh_per_operation", {"outcome_truthful", "baseline_healthy", "exit_code_truthful"}),
    "key-in-memory": (JOBS, "key_persisted_before_call", {"key_stable_across_attempts", "resumes_from_checkpoint",
                                                          "no_duplicate_effects", "safe_replay"}),
    "key-from-reference": (HERD, "key_unpredictable", set()),
    "attempt-in-body": (CORE, "key_bound_to_payload", set()),
    "conflict-is-final": (CORE, "in_progress_conflict_handled", {"outcome_truthful", "reconciles_unknown_outcome"}),
    "starts-over": (JOBS, "resumes_from_checkpoint", {"no_duplicate_effects", "key_stable_across_attempts", "safe_replay"}),
    "replays-under-new-keys": (JOBS, "safe_replay", {"key_stable_across_attempts", "key_persisted_before_call",
                                                     "no_duplicate_effects", "resumes_from_checkpoint"}),
    "leaves-it-pending": (JOBS, "reconciles_unknown_outcome", set()),
    "looks-once": (CORE, "reconciles_unknown_outcome", {"outcome_truthful", "recovers_from_transient"}),
    "drops-exhausted": (CORE, "no_lost_effects", {"every_operation_accounted", "outcome_truthful", "exit_code_truthful",
                                                  "retry_after_robust"}),
    "forgets-dead-letters": (KEEPING, "dead_letter_complete", set()),
    "clears-input": (JOBS, "input_preserved", {"safe_replay"}),
    # What it believes.
    "trusts-any-2xx": (CORE, "invalid_response_rejected", {"outcome_truthful", "exit_code_truthful", "recovers_from_transient",
                                                           "no_lost_effects"}),
    "takes-any-booking": (ANSWERS, "response_bound_to_request", {"invalid_response_rejected", "outcome_truthful"}),
    "reads-everything": (LONG_ANSWERS, "bounded_response_size", set()),
    "falls-back": (CRITICAL, "blocks_unsafe_fallback", set()),
    "reuses-connection": (CORE, "retries_on_fresh_connection", {"connection_released_after_timeout",
                                                                "attempt_timeout_bounded"}),
    "trusts-any-certificate": (TLS, "tls_verification_enforced", set()),
    "follows-for-ever": (REDIRECTED, "redirects_bounded", {"total_deadline_bounded", "attempt_timeout_bounded"}),
    "forwards-credentials": (REDIRECTED, "no_credential_leak_on_redirect", set()),
    # What it tells.
    "lost-is-failed": (CORE, "outcome_truthful", {"recovers_from_transient", "reconciles_unknown_outcome"}),
    "unknown-is-failed": (WITHOUT_KEYS, "unknown_reported_as_pending", {"outcome_truthful"}),
    "swallows-failures": (CORE, "every_operation_accounted", {"outcome_truthful", "retry_after_robust"}),
    "reports-beforehand": (LOGS, "no_premature_success", {"invalid_response_rejected"}),
    "reports-last-attempt": (LOGS, "accounting_accurate", set()),
    "unlabelled-memory": (LAST_KNOWN, "stale_data_labelled", set()),
    "one-category": (LOGS, "error_category_distinct", set()),
    "always-zero": (CORE, "exit_code_truthful", set()),
    "wrong-path": (CORE, "baseline_healthy", set()),
    "never-ends": (CORE, "baseline_healthy", set()),
    # What it writes down.
    "logs-token": (LOGS, "no_secrets_in_logs", set()),
    "logs-token-encoded": (TELLING, "no_secrets_in_logs", set()),
    "dumps-payload": (LOGS, "no_sensitive_body_in_logs", set()),
    "logs-without-names": (LOGS, "logs_correlate_attempts", set()),
    "counts-no-retries": (TELLING, "telemetry_emitted", set()),
    "floods-log": (LOGS, "log_volume_bounded", set()),
    "prints-answers": (LOGS, "log_injection_safe", {"no_secrets_in_logs", "no_sensitive_body_in_logs"}),
}


def others(folder, python):
    """Programs that others might have written, and one that shows what a check cannot see."""
    made = {
        "unbatched": Client(UNBATCHED),
        "avoids-faulted-route": Client(Setup(["--wrong", "avoids-faulted-route"])),
        "curl": Client(CORE, program=("sh", f"{folder}/curl_client.sh")),
        "text-c": Client(Setup(["--base", "0.3"]), program=(python, f"{folder}/text_c_client.py")),
    }
    for name in ("redelivering", "requests", "polling", "equal-posts", "one-key"):
        made[name] = Client(CORE, program=(python, f"{folder}/{name.replace('-', '_')}_client.py"))
    if shutil.which("java"):  # one whose interpreter is missing is left out
        made["url-connection"] = Client(CORE, program=("java", f"{folder}/UrlConnectionClient.java"))
    return made


def table(folder="", python=""):
    """name -> Client"""
    made = {name: Client(setup) for name, setup in RIGHT.items()}
    made |= others(folder, python)
    for switch, (setup, fails, follows) in WRONG.items():
        flags = ["--wrong", switch, *setup.flags]
        made[switch] = Client(dataclasses.replace(setup, flags=flags), fails, frozenset(follows))
    return made


def judged_by_time():
    """Names of those whose waits or whose use of the processor are measured."""
    crowds = [HERD.runs, LONG_WAIT.runs]
    return [name for name, client in table().items() if client.setup.runs in crowds or "--workers" in client.setup.flags]


def command(client, booking):
    return [*(client.program or (booking,)), *client.setup.flags]


def told(client, booking, folder):
    """What `mishap test` is told of it, the scenarios apart: what it promises, and what it keeps where."""
    arguments = []
    for claim in PROMISE + client.setup.promises:
        arguments += ["--promise", claim]
    if client.setup.keeps:
        folder.mkdir(exist_ok=True)
        project = folder / "mishap.yaml"
        program = command(client, booking)[0]
        project.write_text(f"mishap: 1\nclients:\n  it: {{command: {program}, {client.setup.keeps}}}\n", encoding="utf-8")
        arguments += ["--project", str(project), "--client", "it"]
    return arguments
