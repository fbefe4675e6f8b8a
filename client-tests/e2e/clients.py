"""The clients of the table, and for each wrong one the check that it must fail."""

import shutil

PROMISE = ["attempt_timeout=1s", "deadline=12s", "max_attempts=5", "retries=declared"]

# switch -> (the check that it must fail, the checks that may fail with it because they follow).
WRONG = {
    "no-timeout": ("attempt_timeout_bounded", {"total_deadline_bounded", "bounded_attempts", "recovers_from_transient",
                                               "retry_after_robust", "outcome_truthful"}),
    "no-deadline": ("total_deadline_bounded", {"retry_after_robust", "bounded_attempts"}),
    "per-read-timeout-only": ("attempt_timeout_bounded", {"total_deadline_bounded", "recovers_from_transient"}),
    "leaks-connection": ("connection_released_after_timeout", {"attempt_timeout_bounded"}),  # it is seen to wait
    "no-connect-timeout": ("connect_timeout_bounded", {"attempt_timeout_bounded", "total_deadline_bounded", "bounded_attempts"}),
    "new-client-each-attempt": ("no_resource_leak", set()),
    "spins-while-waiting": ("no_busy_wait", set()),
    "never-retries": ("recovers_from_transient", set()),
    "retries-everything": ("no_retry_on_permanent_error", {"stops_on_permanent_after_transient"}),
    "classifies-once": ("stops_on_permanent_after_transient", {"no_retry_on_permanent_error"}),
    "blind-resend": ("no_blind_retry_of_unsafe", {"no_duplicate_effects", "invalid_response_rejected"}),
    "retries-forever": ("bounded_attempts", {"total_deadline_bounded", "retry_after_robust"}),
    "no-backoff": ("no_immediate_retry", {"retry_after_robust"}),
    "constant-delay": ("backoff_growth", set()),
    "uncapped": ("backoff_capped", set()),
    "no-jitter": ("jitter_present", {"no_thundering_herd"}),
    "same-seed": ("jitter_present", {"no_thundering_herd"}),
    "tiny-jitter": ("no_thundering_herd", {"jitter_present"}),
    "nested-retries": ("single_retry_layer", {"bounded_attempts", "retry_amplification"}),
    "retry-after-exact": ("retry_after_spread", set()),
    "ignores-retry-after": ("retry_after_honored", set()),
    "retry-after-jittered-around": ("retry_after_honored", set()),
    "retry-after-min": ("retry_after_honored", set()),
    "retry-after-seconds-only": ("retry_after_honored", set()),
    "retry-after-only-429": ("retry_after_honored", set()),
    "retry-after-crash": ("retry_after_robust", {"outcome_truthful", "recovers_from_transient", "exit_code_truthful",
                                                 "every_operation_accounted"}),
    "retry-after-wraps": ("retry_after_robust", {"total_deadline_bounded", "recovers_from_transient", "bounded_attempts",
                                                 "outcome_truthful", "every_operation_accounted"}),
    "fresh-key-resend": ("no_duplicate_effects", {"key_stable_across_attempts", "no_blind_retry_of_unsafe"}),
    "resends-whole-batch": ("retries_only_failed_items", {"no_duplicate_effects", "key_stable_across_attempts",
                                                          "no_blind_retry_of_unsafe"}),
    "key-only-on-retries": ("idempotency_key_present", {"no_duplicate_effects", "no_blind_retry_of_unsafe",
                                                        "key_stable_across_attempts"}),
    "new-key-after-lookup": ("key_stable_across_attempts", {"no_duplicate_effects"}),
    "looks-up-by-time": ("deduplicates_without_key", {"no_duplicate_effects", "no_blind_retry_of_unsafe"}),
    "fresh-id-upsert": ("deduplicates_without_key", {"no_duplicate_effects", "recovers_from_transient"}),
    "outlives-key": ("key_lifetime_respected", {"no_duplicate_effects"}),
    "falls-back": ("blocks_unsafe_fallback", set()),
    "one-key-for-all": ("key_fresh_per_operation", {"outcome_truthful", "baseline_healthy", "exit_code_truthful"}),
    "key-in-memory": ("key_persisted_before_call", {"key_stable_across_attempts", "resumes_from_checkpoint",
                                                    "no_duplicate_effects", "safe_replay"}),
    "starts-over": ("resumes_from_checkpoint", {"no_duplicate_effects", "key_stable_across_attempts", "safe_replay"}),
    "sleeps-through-sigterm": ("cancellation_stops_retries", set()),
    "trusts-any-2xx": ("invalid_response_rejected", {"outcome_truthful", "exit_code_truthful",
                                                     "recovers_from_transient", "no_lost_effects"}),
    "lost-is-failed": ("outcome_truthful", {"recovers_from_transient", "reconciles_unknown_outcome"}),
    "reuses-connection": ("retries_on_fresh_connection", {"connection_released_after_timeout", "attempt_timeout_bounded"}),
    "trusts-any-certificate": ("tls_verification_enforced", set()),
    "attempt-in-body": ("key_bound_to_payload", set()),
    "conflict-is-final": ("in_progress_conflict_handled", {"outcome_truthful", "reconciles_unknown_outcome"}),
    "looks-once": ("reconciles_unknown_outcome", {"outcome_truthful", "recovers_from_transient"}),
    "drops-exhausted": ("no_lost_effects", {"every_operation_accounted", "outcome_truthful", "exit_code_truthful",
                                            "retry_after_robust"}),
    "unknown-is-failed": ("unknown_reported_as_pending", {"outcome_truthful"}),
    "swallows-failures": ("every_operation_accounted", {"outcome_truthful", "retry_after_robust"}),
    "attempt-may-take-all": ("inner_timeout_below_budget", set()),
    "reports-beforehand": ("no_premature_success", {"invalid_response_rejected"}),
    "takes-any-booking": ("response_bound_to_request", {"invalid_response_rejected", "outcome_truthful"}),
    "reports-last-attempt": ("accounting_accurate", set()),
    "unlabelled-memory": ("stale_data_labelled", set()),
    "one-category": ("error_category_distinct", set()),
    "logs-token": ("no_secrets_in_logs", set()),
    "logs-token-encoded": ("no_secrets_in_logs", set()),
    "dumps-payload": ("no_sensitive_body_in_logs", set()),
    "logs-without-names": ("logs_correlate_attempts", set()),
    "counts-no-retries": ("telemetry_emitted", set()),
    "replays-under-new-keys": ("safe_replay", {"key_stable_across_attempts", "key_persisted_before_call",
                                               "no_duplicate_effects", "resumes_from_checkpoint"}),
    "leaves-it-pending": ("reconciles_unknown_outcome", set()),
    "forgets-dead-letters": ("dead_letter_complete", set()),
    "clears-input": ("input_preserved", {"safe_replay"}),
    "floods-log": ("log_volume_bounded", set()),
    "reads-everything": ("bounded_response_size", set()),
    "ignores-quota": ("rate_limit_respected", set()),
    "renews-for-ever": ("credential_refresh_once", {"no_retry_on_permanent_error", "no_immediate_retry"}),
    "keeps-people-waiting": ("interactive_response_time", set()),
    "never-trips": ("circuit_breaker_opens", set()),
    "half-open-floods": ("circuit_breaker_probes", set()),
    "stays-open": ("circuit_breaker_recovers", set()),
    "one-pool": ("bulkhead_isolated", set()),
    "throttled-alone": ("throttle_shared", set()),
    "spends-without-end": ("retry_budget", set()),
    "overdue-at-once": ("no_storm_after_recovery", {"bounded_attempts", "retry_amplification", "total_deadline_bounded",
                                                    "single_retry_layer", "no_thundering_herd", "jitter_present", "no_immediate_retry",
                                                    "backoff_growth"}),
    "key-from-reference": ("key_unpredictable", set()),
    "prints-answers": ("log_injection_safe", {"no_secrets_in_logs", "no_sensitive_body_in_logs"}),
    "follows-for-ever": ("redirects_bounded", {"total_deadline_bounded", "attempt_timeout_bounded"}),
    "forwards-credentials": ("no_credential_leak_on_redirect", set()),
    "always-zero": ("exit_code_truthful", set()),
    "wrong-path": ("baseline_healthy", set()),
    "never-ends": ("baseline_healthy", set()),
}


REDIRECTS = ("wire/redirect-loop wire/redirected-elsewhere wire/redirected-after-create answers/found-after-create "
             "answers/moved-create answers/temporary-redirect-create answers/permanent-redirect-create "
             "answers/redirect-told-to-wait")
LISTED, UPSERT = "no-keys/lost-but-listed", "no-keys/lost-upsert"
LIFETIME, MEMORY = "idempotency/key-forgotten", "answers/unavailable-after-a-read"

MANY = {"right-breaker": "breaker/down-then-well", "never-trips": "breaker/down-then-well", "half-open-floods": "breaker/down-then-well",
        "stays-open": "breaker/down-then-well", "right-bulkhead": "breaker/one-route-stalls", "one-pool": "breaker/one-route-stalls",
        "right-retry": "retry", "spends-without-end": "retry/outage-without-end", "overdue-at-once": "retry/overdue-after-an-outage",
        "right-throttled": "rate-limit/throttled-among-siblings", "throttled-alone": "rate-limit/throttled-among-siblings"}

# What they run; the core pack where nothing is said.
PACKS = MANY | {"right-interactive": "timeouts", "right-renewing": "answers/token-expires-twice answers/token-expired", "renews-for-ever": "answers/token-expires-twice answers/token-expired", "keeps-people-waiting": "timeouts", "right-plain": "no-keys", "right-wire": "wire", "right-answers": "answers", "right-rate-limit": "rate-limit",
         "right-idempotency": "idempotency", "right-tls": "tls", "trusts-any-certificate": "tls",
         "unknown-is-failed": "no-keys", "right-jobs": "jobs", "key-in-memory": "jobs", "starts-over": "jobs",
         "sleeps-through-sigterm": "jobs", "right-herd": "herd", "constant-delay": "herd", "uncapped": "herd",
         "no-jitter": "herd", "same-seed": "herd", "tiny-jitter": "herd", "nested-retries": "herd",
         "retry-after-exact": "herd", "right-logs": "logs", "reports-beforehand": "logs", "reports-last-attempt": "logs",
         "one-category": "logs", "logs-token": "logs", "floods-log": "logs", "takes-any-booking": "answers",
         "reads-everything": "wire/huge-answer-read wire/long-answer-read", "ignores-quota": "rate-limit",
         "key-from-reference": "herd", "prints-answers": "logs", "right-following": REDIRECTS, "follows-for-ever": REDIRECTS, "forwards-credentials": REDIRECTS,
         "right-telling": "logs", "right-keeping": "jobs", "logs-token-encoded": "logs", "dumps-payload": "logs",
         "logs-without-names": "logs", "counts-no-retries": "logs", "replays-under-new-keys": "jobs",
         "leaves-it-pending": "jobs", "forgets-dead-letters": "jobs", "clears-input": "jobs",
         "right-timeouts": "timeouts", "attempt-may-take-all": "timeouts/stalls-after-a-failure", "right-many-timeouts": "timeouts/each-read-stalls-at-first",
         "new-client-each-attempt": "timeouts/each-read-stalls-at-first", "spins-while-waiting": "timeouts/told-to-wait-five-seconds",
         "no-connect-timeout": "wire/connect-unanswered", "right-batch": "batch", "unbatched": "batch", "resends-whole-batch": "batch",
         "right-looking": LISTED, "looks-up-by-time": LISTED, "right-upsert": UPSERT, "fresh-id-upsert": UPSERT,
         "right-lifetime": LIFETIME, "outlives-key": LIFETIME, "right-last-known": MEMORY, "unlabelled-memory": MEMORY,
         "falls-back": "answers/critical-create-unavailable"}

# What single clients promise beside that.
PROMISES = {"right-breaker": ["breaker=1s"], "never-trips": ["breaker=1s"], "half-open-floods": ["breaker=1s"], "stays-open": ["breaker=1s"],
            "right-retry": ["retry_budget=2"], "spends-without-end": ["retry_budget=2"],
            "right-interactive": ["answer_within=2500ms"], "keeps-people-waiting": ["answer_within=2500ms"],
            "uncapped": ["max_delay=1s"], "reads-everything": ["attempt_timeout=6s"], "attempt-may-take-all": ["attempt_timeout=4s", "deadline=4s"]}

# What single clients say that they keep, as in mishap.yaml: (flags, keys of the client).
TELLING = ["--log-file", "client.log", "--log-json", "--telemetry", "telemetry.json", "--creates", "12"]
TOLD = "logs: ['{state}/*.log'], log_format: json, telemetry: telemetry.json"
KEEPING = ["--dead-letters", "dead-letters.jsonl"]
KEPT = "dead_letters: dead-letters.jsonl"
CLAIMS = {"right-telling": (TELLING, TOLD), "counts-no-retries": (TELLING, TOLD), "logs-token-encoded": (TELLING, TOLD),
          "right-keeping": (KEEPING, KEPT), "forgets-dead-letters": (KEEPING, KEPT)}

# Waits that are long enough to be told apart from the noise of thirty processes.
LONG_WAITS = ["--base", "300ms"]

# As many calls as it takes to see whether timeouts leave something behind.
MANY_READS = ["--reads", "60", "--attempt-timeout", "150ms"]

# Two hundred workers of one process that begin forty creates a second.
CROWD = ["--workers", "200", "--rate", "40", "--creates", "480", "--reads", "0"]
BREAKER = [*CROWD, "--breaker", "1s"]
BULKHEAD = ["--workers", "16", "--rate", "40", "--creates", "200", "--reads", "200", "--bulkhead"]
RETRY = [*CROWD, "--retry-budget", "2"]
THROTTLED = [*CROWD, "--creates", "320", "--share-throttling"]
INTERACTIVE = ["--interactive", "2s"]

# How single wrong ones are set.
FLAGS = {"new-client-each-attempt": MANY_READS,
         "never-trips": BREAKER, "half-open-floods": BREAKER, "stays-open": BREAKER, "one-pool": BULKHEAD, "throttled-alone": THROTTLED,
         "spends-without-end": RETRY, "overdue-at-once": [*RETRY, "--workers", "400"], "keeps-people-waiting": INTERACTIVE, "renews-for-ever": ["--renew-token"],
         "reads-everything": ["--attempt-timeout", "6s"],  # time enough for all of it
         "looks-up-by-time": ["--no-keys"], "fresh-id-upsert": ["--upsert"],
         "outlives-key": ["--key-lifetime", "1s"], "unlabelled-memory": ["--last-known"],
         "attempt-may-take-all": ["--deadline", "4s", "--attempt-timeout", "100ms"]}


def table(booking, folder, python):
    """name -> command. A client whose interpreter is missing is left out."""
    clients = {
        "right": [booking],
        "right-without-outcomes": [booking, "--no-outcomes"],
        "right-plain": [booking, "--plain-vendor"],
        "right-batch": [booking, "--batch"],
        "right-looking": [booking, "--no-keys"],
        "right-upsert": [booking, "--upsert"],
        "right-lifetime": [booking, "--key-lifetime", "1s"],
        "right-last-known": [booking, "--last-known"],
        "unbatched": [booking],
        "right-wire": [booking],
        "right-answers": [booking],
        "right-rate-limit": [booking],
        "right-idempotency": [booking],
        "right-tls": [booking],
        "right-jobs": [booking],
        "right-logs": [booking],
        "right-timeouts": [booking],
        "right-many-timeouts": [booking, *MANY_READS],
        "right-following": [booking, "--follow-redirects"],
        "right-herd": [booking, *LONG_WAITS],
        "right-breaker": [booking, *BREAKER],
        "right-bulkhead": [booking, *BULKHEAD],
        "right-retry": [booking, *RETRY],
        "right-throttled": [booking, *THROTTLED],
        "right-interactive": [booking, *INTERACTIVE],
        "right-renewing": [booking, "--renew-token"],
        "redelivering": [python, f"{folder}/redelivering_client.py"],
        "avoids-faulted-route": [booking, "--wrong", "avoids-faulted-route"],
        "curl": ["sh", f"{folder}/curl_client.sh"],
        "requests": [python, f"{folder}/requests_client.py"],
        "text-c": [python, f"{folder}/text_c_client.py", "--base", "0.3"],
        "polling": [python, f"{folder}/polling_client.py"],
        "equal-posts": [python, f"{folder}/equal_posts_client.py"],
        "one-key": [python, f"{folder}/one_key_client.py"],
    }
    for switch in WRONG:
        waits = LONG_WAITS if PACKS.get(switch) == "herd" else []
        clients[switch] = [booking, "--wrong", switch, *waits, *FLAGS.get(switch, [])]
    for name in ("right-telling", "right-keeping"):
        clients[name] = [booking]
    for name, (flags, _) in CLAIMS.items():
        clients[name] = [*clients[name], *flags]
    if shutil.which("java"):
        clients["url-connection"] = ["java", f"{folder}/UrlConnectionClient.java"]
    return clients
