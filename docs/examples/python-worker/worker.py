"""A worker: looks for jobs in a folder, books each with a vendor, puts it away.

It needs nothing but Python. VENDOR_URL is the vendor, QUEUE the folder; a job is NAME.json with a
product in it. KEYS=off makes it wrong in one way: no idempotency key.
"""
import http.client
import json
import os
import pathlib
import random
import signal
import sys
import time
import urllib.parse

VENDOR = urllib.parse.urlsplit(os.environ["VENDOR_URL"])
QUEUE = pathlib.Path(os.environ["QUEUE"])
WITH_KEYS = os.environ.get("KEYS") != "off"
ATTEMPTS = 5
ATTEMPT_TIMEOUT = 2.0
DEADLINE = 20.0
POLL = 0.1
RETRYABLE = {408, 425, 429, 500, 502, 503, 504}


def attempt(body, headers):
    """One attempt on a connection of its own: (status, Retry-After, booking's id or None)."""
    connection = http.client.HTTPConnection(VENDOR.hostname, VENDOR.port, timeout=ATTEMPT_TIMEOUT)
    try:
        connection.request("POST", "/v1/bookings", body, headers)
        answer = connection.getresponse()
        text = answer.read()
        identifier = json.loads(text).get("id") if answer.status == 201 else None
        return answer.status, answer.headers.get("Retry-After"), identifier
    except (OSError, http.client.HTTPException, ValueError):
        return None, None, None
    finally:
        connection.close()


def pause(number, retry_after):
    own = min(0.2 * 2 ** (number - 1), 3.0) * random.uniform(0.75, 1.25)
    if retry_after is not None and retry_after.isdigit():
        return int(retry_after) + own / 10
    return own


def book(job):
    """The job's name is its reference and its key: every attempt, of any run, carries the same."""
    body = json.dumps({"reference": job.stem, "product": json.loads(job.read_text())["product"]})
    headers = {"Content-Type": "application/json"}
    if WITH_KEYS:
        headers["Idempotency-Key"] = job.stem
    deadline = time.monotonic() + DEADLINE
    for number in range(1, ATTEMPTS + 1):
        status, retry_after, booking = attempt(body, headers)
        if booking is not None:
            return booking
        if status is not None and status >= 400 and status not in RETRYABLE:
            return None
        wait = pause(number, retry_after)
        if number == ATTEMPTS or time.monotonic() + wait > deadline:
            return None
        time.sleep(wait)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    for name in ("done", "failed"):
        (QUEUE / name).mkdir(exist_ok=True)
    print("waiting for jobs", flush=True)
    while True:
        for job in sorted(QUEUE.glob("*.json")):
            booking = book(job)
            job.rename(QUEUE / ("done" if booking else "failed") / job.name)
            print(job.name, booking or "not booked", flush=True)
        time.sleep(POLL)


if __name__ == "__main__":
    main()
