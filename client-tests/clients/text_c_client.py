#!/usr/bin/env python3
"""A sync job written to the worked example of a well-known kind of backoff guide (docs/mission.md,
rows C23 to C26): five attempts, base 1 s, cap 30 s, full jitter, Retry-After as a floor.

It does what such an example says and no more, and that is what it is here to show: no key, no
total budget, no limit on Retry-After, timeouts per read, a lost connection not caught, and
"failed" for what is merely unknown. Only the standard library; nothing of mishap's.
"""
import argparse
import datetime
import email.utils
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
import uuid


class TransientError(Exception):
    """Worth another attempt; `retry_after` is in seconds where the server gave one."""

    def __init__(self, message, retry_after=None):
        super().__init__(message)
        self.retry_after = retry_after


def seconds_of(header):
    """Retry-After as seconds from now: a number or a date; None for anything else."""
    if header is None:
        return None
    if header.isdigit():
        return int(header)
    try:
        date = email.utils.parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    if date.tzinfo is None:  # one of the three forms names no zone; all mean GMT
        date = date.replace(tzinfo=datetime.timezone.utc)
    return date.timestamp() - time.time()


def with_backoff(call, attempts, base, cap):
    for attempt in range(1, attempts + 1):
        try:
            return call(), attempt
        except TransientError as error:
            if attempt == attempts:
                raise
            delay = random.uniform(0, min(cap, base * 2 ** (attempt - 1)))
            if error.retry_after is not None:
                delay = max(delay, error.retry_after)
            print(f"attempt {attempt}: {error}; again in {delay:.2f} s", file=sys.stderr)
            time.sleep(delay)


def send(request, timeout):
    """One attempt. Timeouts, 429 and 5xx are transient; every other error goes straight out."""
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        if error.code == 429 or error.code >= 500:
            retry_after = seconds_of(error.headers.get("Retry-After"))
            raise TransientError(f"status {error.code}", retry_after) from error
        raise
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise TransientError("timeout") from error
        raise
    except TimeoutError as error:
        raise TransientError("timeout") from error


def create_request(reference, key):
    body = {"reference": reference, "product": "harbour-tour", "guests": 2, "date": "2031-06-14"}
    request = urllib.request.Request(
        os.environ["MISHAP_URL"].rstrip("/") + "/v1/bookings",
        data=json.dumps(body).encode(),
        method="POST",
        headers={
            "Content-Type": "application/json",
            "Authorization": "Bearer " + os.environ.get("MISHAP_TOKEN", ""),
        },
    )
    if key:
        request.add_header("Idempotency-Key", f'"{key}"')
    return request


def report(operation, outcome, **more):
    path = os.environ.get("MISHAP_OUTCOMES")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"operation": operation, "outcome": outcome, **more}) + "\n")


def create(reference, options):
    request = create_request(reference, str(uuid.uuid4()) if options.with_key else None)
    try:
        booking, attempts = with_backoff(
            lambda: send(request, options.timeout), options.attempts, options.base, options.cap
        )
        report(reference, "succeeded", id=booking["id"], attempts=attempts)
        return True
    except Exception as error:  # the job goes on with the next record
        print(f"{reference} failed: {type(error).__name__}: {error}", file=sys.stderr)
        report(reference, "failed", error=type(error).__name__)
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--creates", type=int, default=3)
    parser.add_argument("--attempts", type=int, default=5)
    parser.add_argument("--base", type=float, default=1.0, help="seconds")
    parser.add_argument("--cap", type=float, default=30.0, help="seconds")
    parser.add_argument("--timeout", type=float, default=1.0, help="seconds, per read")
    parser.add_argument("--with-key", action="store_true", help="send an Idempotency-Key")
    options = parser.parse_args()
    prefix = f"c-{os.environ.get('MISHAP_SCENARIO', 'r')}-{os.environ.get('MISHAP_COPY', '0')}"
    results = [create(f"{prefix}-{n}", options) for n in range(1, options.creates + 1)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
