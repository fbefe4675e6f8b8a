#!/usr/bin/env python3
"""What judges wrongly where nobody thinks of it (client-tests/checks/traps.md), as far as it takes a running mishap or
what is shipped.

Usage: traps.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import http.client
import os
import pathlib
import re
import subprocess
import sys

import behaviour
from behaviour import GIVEN, Case
from served import Served

ROOT = pathlib.Path(__file__).resolve().parents[2]
CANARY = "canary-4711"

# Two creates, each sent once, with the proxies that the environment names.
URLLIB = """
import os, urllib.request
for number in "12":
    urllib.request.urlopen(urllib.request.Request(os.environ["MISHAP_URL"] + "/v1/orders", b'{"n": %s}' % number.encode(),
                           {"Content-Type": "application/json"}), timeout=5).read()
"""


class Echo(Served):
    """A client that prints what the server says must not be blamed for a secret that the server gave back."""

    REQUESTS = [("GET", "/v1/bookings"), ("GET", "/v1/nowhere"), ("DELETE", "/v1/bookings"), ("PUT", "/v1/bookings/none"),
                ("GET", f"/v1/bookings?token={CANARY}"), ("GET", f"/v1/nowhere?api_key={CANARY}"), ("POST", "/v1/bookings"),
                ("PATCH", "/v1/bookings/none"), ("GET", "/v1/bookings/none"), ("OPTIONS", "/v1/bookings")]
    FIELDS = {"Authorization": f"Bearer {CANARY}", "Cookie": f"session={CANARY}", "X-Api-Key": CANARY}

    def test_no_answer_holds_what_came_as_a_secret(self):
        for url in self.serve("booking", "any").values():
            for method, target in self.REQUESTS:
                client = http.client.HTTPConnection(url.split("//")[1], timeout=10)
                self.addCleanup(client.close)
                client.request(method, target, "not JSON" if method in ("POST", "PUT", "PATCH") else None, self.FIELDS)
                answer = client.getresponse()
                said = str(answer.getheaders()).encode() + answer.read()
                self.assertNotIn(CANARY.encode(), said, f"{method} {target} answered {answer.status}")

    def test_nor_does_what_a_fault_says(self):
        kinds = ("html_page", "invalid_json", "wrong_shape", "empty_body")
        url, = self.serve("any", *(word for kind in kinds for word in ("--fault", f"GET /v1/{kind} {kind}"))).values()
        for kind in kinds:
            client = http.client.HTTPConnection(url.split("//")[1], timeout=10)
            self.addCleanup(client.close)
            client.request("GET", f"/v1/{kind}?token={CANARY}", None, self.FIELDS)
            self.assertNotIn(CANARY.encode(), client.getresponse().read(), kind)


class Surroundings(Case):
    def test_proxies_of_the_users_shell_do_not_lead_a_client_astray(self):
        nowhere = {name: "http://127.0.0.1:9" for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY")}
        done = subprocess.run([GIVEN["mishap"], "test", "core/healthy", "--out", self.path("run"), "--", sys.executable, "-c",
                               URLLIB], capture_output=True, text=True, timeout=60, cwd=self.folder,
                              env={**os.environ, **nowhere})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("POST /v1/orders", done.stdout)


class Shipped(Case):
    """What would make a right client look wrong stands in no scenario and in no example."""

    def texts(self, *patterns):
        for pattern in patterns:
            for path in sorted(ROOT.glob(pattern)):
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")

    def test_dates_to_wait_for_are_three_seconds_ahead_at_least(self):
        """Both sides truncate to seconds: of two little would be left."""
        found = [(name, int(seconds)) for name, text in self.texts("scenarios/library/**/*.yaml", "docs/*.md")
                 for seconds in re.findall(r"date\+(\d+)s", text)]
        self.assertGreater(len(found), 3)
        self.assertEqual([one for one in found if one[1] < 3], [])

    def test_no_wait_that_is_asked_for_is_what_clients_wait_anyway(self):
        """A second, or half of one, is the first wait of most: kept by chance it would prove nothing."""
        found = [(name, wait) for name, text in self.texts("scenarios/library/**/*.yaml")
                 if "/herd/" not in name  # where it is only asked how far apart they come back
                 for _, wait in re.findall(r"retry_after: (?P<quote>[\"']?)(\d+(?:\.\d+)?)(?P=quote)[,}\n]", text)]
        self.assertGreater(len(found), 5)
        allowed = {"0", "1.5"}  # ask for nothing: a past moment, and no value at all
        self.assertEqual([one for one in found if one[1] not in allowed and float(one[1]) < 2], [])

    def test_what_is_cut_without_a_length_is_json(self):
        """Text that ends early with the connection looks whole: a client that believes it is not wrong."""
        found = [(name, text) for name, text in self.texts("scenarios/library/**/*.yaml")
                 if re.search(r"content_length, how: missing", text) and re.search(r"do: close|truncated_body", text)]
        self.assertGreater(len(found), 1)
        self.assertEqual([name for name, text in found if "routes:" in text or "body:" in text], [])

    def test_curl_that_tries_again_writes_to_files(self):
        """7.88 cannot empty /dev/null before it tries again, and ends with 23."""
        for name, text in self.texts("docs/**/*.md", "README.md", "client-tests/clients/*.sh", "scripts/*"):
            for line in text.splitlines():
                self.assertFalse("--retry" in line and "/dev/null" in line, f"{name}: {line}")


class Table(Case):
    def test_every_test_that_the_table_names_is_there(self):
        text = (ROOT / "client-tests/checks/traps.md").read_text(encoding="utf-8")
        named = re.findall(r"`(\w+\.\w+)`", text)
        self.assertEqual({int(number) for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}, set(range(21, 40)))
        self.assertGreater(len(named), 25)
        there = set()
        for pattern in ("client-tests/**/*_test.cpp", "server/**/*_test.cpp", "client-tests/e2e/*.py"):
            for _, source in self.texts_of(pattern):
                there |= {".".join(found) for found in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", source, re.MULTILINE)}
                for suite, body in re.findall(r"^class (\w+)\(.*?\):\n(.*?)(?=^\S|\Z)", source, re.MULTILINE | re.DOTALL):
                    there |= {f"{suite}.{test}" for test in re.findall(r"def (test_\w+)", body)}
        self.assertEqual([one for one in named if one not in there], [])

    def texts_of(self, pattern):
        return [(path, path.read_text(encoding="utf-8")) for path in ROOT.glob(pattern)]


if __name__ == "__main__":
    behaviour.main()
