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
    "one-key-for-all": ("key_fresh_per_operation", {"outcome_truthful", "baseline_healthy", "exit_code_truthful"}),
    "key-in-memory": ("key_persisted_before_call", {"key_stable_across_attempts", "resumes_from_checkpoint",
                                                    "no_duplicate_effects"}),
    "starts-over": ("resumes_from_checkpoint", {"no_duplicate_effects", "key_stable_across_attempts"}),
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
    "one-category": ("error_category_distinct", set()),
    "logs-token": ("no_secrets_in_logs", set()),
    "floods-log": ("log_volume_bounded", set()),
    "reads-everything": ("bounded_response_size", set()),
    "ignores-quota": ("rate_limit_respected", set()),
    "key-from-reference": ("key_unpredictable", set()),
    "prints-answers": ("log_injection_safe", set()),
    "follows-for-ever": ("redirects_bounded", {"total_deadline_bounded", "attempt_timeout_bounded"}),
    "forwards-credentials": ("no_credential_leak_on_redirect", set()),
    "always-zero": ("exit_code_truthful", set()),
    "wrong-path": ("baseline_healthy", set()),
    "never-ends": ("baseline_healthy", set()),
}


REDIRECTS = ("wire/redirect-loop wire/redirected-elsewhere wire/redirected-after-create answers/found-after-create "
             "answers/moved-create answers/temporary-redirect-create answers/permanent-redirect-create "
             "answers/redirect-told-to-wait")

# What they run; the core pack where nothing is said.
PACKS = {"right-plain": "no-keys", "right-wire": "wire", "right-answers": "answers", "right-rate-limit": "rate-limit",
         "right-idempotency": "idempotency", "right-tls": "tls", "trusts-any-certificate": "tls",
         "unknown-is-failed": "no-keys", "right-jobs": "jobs", "key-in-memory": "jobs", "starts-over": "jobs",
         "sleeps-through-sigterm": "jobs", "right-herd": "herd", "constant-delay": "herd", "uncapped": "herd",
         "no-jitter": "herd", "same-seed": "herd", "tiny-jitter": "herd", "nested-retries": "herd",
         "retry-after-exact": "herd", "right-logs": "logs", "reports-beforehand": "logs", "reports-last-attempt": "logs",
         "one-category": "logs", "logs-token": "logs", "floods-log": "logs", "takes-any-booking": "answers",
         "reads-everything": "wire/huge-answer-read wire/long-answer-read", "ignores-quota": "rate-limit",
         "key-from-reference": "herd", "prints-answers": "logs", "right-following": REDIRECTS, "follows-for-ever": REDIRECTS, "forwards-credentials": REDIRECTS,
         "right-timeouts": "timeouts", "attempt-may-take-all": "timeouts", "right-batch": "batch", "unbatched": "batch", "resends-whole-batch": "batch"}

# What single clients promise beside that.
PROMISES = {"uncapped": ["max_delay=1s"], "reads-everything": ["attempt_timeout=6s"], "attempt-may-take-all": ["attempt_timeout=4s", "deadline=4s"]}

# Waits that are long enough to be told apart from the noise of thirty processes.
LONG_WAITS = ["--base", "300ms"]

# How single wrong ones are set.
FLAGS = {"reads-everything": ["--attempt-timeout", "6s"],  # time enough for all of it
         "attempt-may-take-all": ["--deadline", "4s", "--attempt-timeout", "100ms"]}


def table(booking, folder, python):
    """name -> command. A client whose interpreter is missing is left out."""
    clients = {
        "right": [booking],
        "right-without-outcomes": [booking, "--no-outcomes"],
        "right-plain": [booking, "--plain-vendor"],
        "right-batch": [booking, "--batch"],
        "unbatched": [booking],
        "right-wire": [booking],
        "right-answers": [booking],
        "right-rate-limit": [booking],
        "right-idempotency": [booking],
        "right-tls": [booking],
        "right-jobs": [booking],
        "right-logs": [booking],
        "right-timeouts": [booking],
        "right-following": [booking, "--follow-redirects"],
        "right-herd": [booking, *LONG_WAITS],
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
    if shutil.which("java"):
        clients["url-connection"] = ["java", f"{folder}/UrlConnectionClient.java"]
    return clients
