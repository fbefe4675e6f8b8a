"""What the tests of `mishap serve` share: one that was started, and a client that books."""

import http.client
import json
import os
import re
import signal
import subprocess
import time

from behaviour import GIVEN, Case

LOST = "POST /v1/bookings response_lost attempt=1"


def post(url, path, body, headers=None, timeout=10):
    """(status, body), or (0, b"") where no answer came."""
    host = url.split("//")[1]
    connection = http.client.HTTPConnection(host, timeout=timeout)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()


def book(url, reference="r-1", key=None, attempts=3):
    """A client: tries again with backoff; with one key it is right."""
    for attempt in range(attempts):
        if attempt:
            time.sleep(0.15 * 2 ** attempt)
        status, _ = post(url, "/v1/bookings", {"reference": reference, "product": "prod_1"},
                         {"Idempotency-Key": key} if key else {})
        if status == 201:
            return True
    return False


class Served(Case):
    """One `mishap serve`, its ready lines read from the descriptor that is made for them."""

    def serve(self, *arguments, env=None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
        ours, theirs = os.pipe()
        self.process = subprocess.Popen([GIVEN["mishap"], "serve", *arguments, "--ready-fd", str(theirs)], pass_fds=[theirs],
                                        stdout=stdout, stderr=subprocess.PIPE, stdin=stdin, cwd=self.folder,
                                        env={**os.environ, **(env or {})}, text=True)
        os.close(theirs)
        self.addCleanup(self.close)
        with os.fdopen(ours) as ready:
            lines = ready.read().splitlines()
        self.urls = {}
        for line in lines:
            found = re.match(r"ready (https?://\S+)  (.+)$", line)
            control = re.match(r"ready control (http://\S+)$", line)
            self.assertTrue(found or control, line)
            if control:
                self.control = control.group(1)
            else:
                self.urls[found.group(2)] = found.group(1)
        return self.urls

    def close(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr, self.process.stdin):
            if stream:
                stream.close()

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        return self.ended()

    def ended(self, timeout=40):
        out, err = self.process.communicate(timeout=timeout)
        self.assertEqual(err, "")
        return out
