"""One careful call for the small honest clients beside this file: a timeout for the whole attempt,
bounded attempts, jittered backoff, Retry-After as a floor, answers looked at before they count.
Only the standard library; nothing of mishap's.
"""
import datetime
import email.utils
import http.client
import json
import os
import random
import re
import socket
import sys
import threading
import time
import urllib.parse

ATTEMPTS = 5
ATTEMPT_TIMEOUT = 1.0
DEADLINE = 12.0
BASE, CAP, LEAST_DELAY = 0.1, 2.0, 0.05
LONGEST_RETRY_AFTER = 10.0
RETRYABLE = {408, 425, 429, 500, 502, 503, 504}


class Gone(Exception):
    """No whole answer came; what the request did is unknown."""


class Connection:
    """A kept-alive connection whose every exchange ends in time, however slowly the bytes come."""

    def __init__(self, url=None):
        self._url = urllib.parse.urlsplit(url or os.environ["MISHAP_URL"])
        self._http = None

    def exchange(self, method, path, body, headers, timeout):
        """(status, Retry-After or None, body as bytes); raises Gone."""
        if self._http is None:
            self._http = http.client.HTTPConnection(self._url.hostname, self._url.port)
        link, cut = self._http, threading.Event()
        link.timeout = timeout
        token = os.environ.get("MISHAP_TOKEN")
        every = {"Authorization": f"Bearer {token}"} if token else {}
        timer = threading.Timer(timeout, lambda: (cut.set(), _shut(link)))
        try:
            timer.start()
            link.request(method, self._url.path.rstrip("/") + path, body, {**every, **headers})
            answer = link.getresponse()
            content = answer.read()
            waits = answer.headers.get_all("Retry-After") or []
        except (OSError, http.client.HTTPException) as error:
            self.drop()
            raise Gone(type(error).__name__) from error
        finally:
            timer.cancel()
        if cut.is_set():  # a body that ends with its connection only looks whole
            self.drop()
            raise Gone("cut")
        return answer.status, waits[0] if len(waits) == 1 else None, content

    def drop(self):
        if self._http is not None:
            self._http.close()
        self._http = None


def _shut(link):
    try:
        if link.sock is not None:
            link.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def asked_wait(field):
    """Seconds that Retry-After asks for: 1*DIGIT or a date; 0 for anything else."""
    if field is None:
        return 0.0
    if re.fullmatch("[0-9]+", field):
        return float(field)
    try:
        date = email.utils.parsedate_to_datetime(field)
        if date.tzinfo is None:  # the asctime form
            date = date.replace(tzinfo=datetime.timezone.utc)
        return max(0.0, date.timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return 0.0


def call(connection, method, path, body=None, key=None, is_good=lambda answer: True):
    """The JSON object of a good 2xx answer, or None. A POST without a key has no place here.

    A key that is a function is asked anew for each attempt, which only a wrong client does.
    """
    headers = {"Content-Type": "application/json"} if body is not None else {}
    end = time.monotonic() + DEADLINE
    for attempt in range(1, ATTEMPTS + 1):
        floor = 0.0
        if key is not None:
            headers["Idempotency-Key"] = f'"{key() if callable(key) else key}"'
        try:
            timeout = max(0.001, min(ATTEMPT_TIMEOUT, end - time.monotonic()))
            status, field, content = connection.exchange(method, path, body, headers, timeout)
            answer = _parsed(content)
            if status // 100 == 2 and isinstance(answer, dict) and is_good(answer):
                return answer
            print(f"{method} attempt {attempt}: status {status}", file=sys.stderr)
            if status // 100 != 2 and status not in RETRYABLE:
                return None
            floor = asked_wait(field)
            connection.drop()
        except Gone as gone:
            print(f"{method} attempt {attempt}: {gone}", file=sys.stderr)
        ceiling = max(LEAST_DELAY, min(CAP, BASE * 2 ** (attempt - 1)))
        wait = floor + random.uniform(LEAST_DELAY, ceiling)
        if attempt == ATTEMPTS or floor > LONGEST_RETRY_AFTER or time.monotonic() + wait >= end:
            return None
        time.sleep(wait)
    return None


def _parsed(content):
    try:
        return json.loads(content)
    except ValueError:
        return None
