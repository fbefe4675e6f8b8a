#!/usr/bin/env python3
"""`mishap serve --control`: runs that are begun, fed and ended over HTTP.

Usage: control_api.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import concurrent.futures
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

import jsonschema
import yaml

import behaviour
from served import LOST, Served, book, post

ROOT = pathlib.Path(__file__).resolve().parents[2]
STALLED = "POST /v1/bookings stall"


class ControlApi(Served):
    def setUp(self):
        super().setUp()
        self.headers = {}

    def call(self, method, path, body=None, headers=None, raw=False):
        connection = http.client.HTTPConnection(self.control.split("//")[1], timeout=60)
        self.addCleanup(connection.close)
        sent = {"Content-Type": "application/json", **self.headers, **(headers or {})}
        connection.request(method, path, body if isinstance(body, (str, bytes)) else body and json.dumps(body), sent)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, text if raw else (json.loads(text) if text else None)

    def begin(self, *faults, **request):
        status, run = self.call("POST", "/v1/runs", {"api": "booking", "faults": list(faults), **request})
        self.assertEqual(status, 201, run)
        return run

    def end(self, run, **how):
        status, report = self.call("POST", f"/v1/runs/{run['id']}/end", {"done": True, **how})
        self.assertEqual(status, 200, report)
        return report

    def test_a_run_from_begin_to_end(self):
        self.serve("--control")
        run = self.begin(LOST, name="mine")
        self.assertTrue(book(run["url"], key="k"))
        status, told = self.call("POST", f"/v1/runs/{run['id']}/outcomes", {"operation": "r-1", "outcome": "succeeded"})
        self.assertEqual((status, told["taken"]), (200, 1))
        _, view = self.call("GET", f"/v1/runs/{run['id']}")
        self.assertEqual((view["requests"], view["state"], view["outcomes"]), (2, "running", 1))
        report = self.end(run)
        self.assertEqual(report["verdict"], "pass", report["text"])
        self.assertEqual(report["cases"][0]["scenario"], "mine")
        schema = json.loads((ROOT / "docs/report.schema.json").read_text(encoding="utf-8"))
        jsonschema.validate(report, schema)
        self.assertEqual(self.end(run), report)
        self.assertEqual(post(run["url"], "/v1/bookings", {})[0], 0, "its port is closed")
        status, _ = self.call("POST", f"/v1/runs/{run['id']}/outcomes", {"operation": "r-1", "outcome": "failed"})
        self.assertEqual(status, 409)

    def test_wrong_clients_fail(self):
        self.serve("--control")
        run = self.begin(LOST)
        book(run["url"])
        report = self.end(run)
        self.assertEqual(report["verdict"], "fail")
        self.assertIn("2 bookings for one operation", report["text"])
        lied = self.begin(LOST)
        book(lied["url"], key="k")
        self.call("POST", f"/v1/runs/{lied['id']}/outcomes", {"operation": "r-1", "outcome": "failed"})
        self.assertIn("outcome_truthful", self.end(lied)["text"])
        gave_up = self.begin("POST /v1/bookings status code=503 attempt=1", promise={"retries": "declared"})
        book(gave_up["url"], key="k", attempts=1)
        self.assertEqual(self.end(gave_up)["verdict"], "fail")
        exited = self.begin("POST /v1/bookings status code=422")
        book(exited["url"], key="k", attempts=1)
        report = self.end(exited, exit_code=0)
        self.assertIn("exit_code_truthful", report["text"])

    def test_silence_proves_nothing_until_the_client_is_done(self):
        self.serve("--control")
        run = self.begin("POST /v1/bookings status code=503 attempt=1", promise={"retries": "declared"})
        book(run["url"], key="k", attempts=1)
        self.assertEqual(self.end(run, done=False)["verdict"], "inconclusive")

    def test_shipped_scenarios_and_parameters(self):
        self.serve("--control")
        status, run = self.call("POST", "/v1/runs", {"scenario": "core/response-lost-after-create", "seed": 5,
                                                     "set": {"create": "POST /v1/orders"}})
        self.assertEqual((status, run["seed"], run["name"]), (201, 5, "response-lost-after-create"))
        self.assertEqual(post(run["url"], "/v1/other", {"a": 1})[0], 201)
        self.assertEqual(post(run["url"], "/v1/orders", {"a": 1})[0], 0)

    def test_a_scenario_in_the_request_and_its_errors_have_a_place(self):
        self.serve("--control")
        text = f"mishap: 1\nscenario: mine\napi: booking\nfaults:\n  - on: POST /v1/bookings\n    fault: respons_lost\n"
        status, problem = self.call("POST", "/v1/runs", {"yaml": text})
        self.assertEqual(status, 422)
        error = problem["errors"][0]
        self.assertEqual((error["source"], error["line"], error["column"]), ("yaml", 6, 12))
        self.assertIn('did you mean "response_lost"?', error["detail"])
        status, run = self.call("POST", "/v1/runs", {"yaml": text.replace("respons_", "response_")})
        self.assertEqual((status, run["name"]), (201, "mine"))
        for wrong, says in (({"faults": ["nonsense"]}, "fault"), ({"scenario": "core/respnse-lost"}, "unknown scenario"),
                            ({"api": "bookng"}, 'did you mean "booking"?'), ({"require": ["no_duplicates"]}, "unknown check"),
                            ({"promise": {"max_attempts": "x"}}, "not a whole number"), ({"api": "any", "set": {"x": 1}}, "no params")):
            status, problem = self.call("POST", "/v1/runs", wrong)
            self.assertEqual(status, 422, wrong)
            self.assertIn(says, problem["detail"] + json.dumps(problem["errors"], ensure_ascii=False).replace('\\"', '"'))

    def test_files_are_opened_only_where_that_is_allowed(self):
        os.makedirs(self.path("open"))
        self.write("open/mine.yaml", "mishap: 1\nscenario: from-file\napi: booking\n")
        secret = self.write("secret.yaml", "mishap: 1\nscenario: s\nsecret-word\n")
        self.serve("--control")
        for request in ({"scenario": secret}, {"scenario": "./secret.yaml"}, {"api": secret},
                        {"yaml": f"mishap: 1\nscenario: t\napi: {secret}\n"}):
            status, problem = self.call("POST", "/v1/runs", request)
            self.assertIn(status, (403, 422), request)
            self.assertNotIn("secret-word", json.dumps(problem))
        self.close()
        self.serve("--control", "--allow-files", self.path("open"))
        status, run = self.call("POST", "/v1/runs", {"scenario": "mine.yaml"})
        self.assertEqual((status, run["name"]), (201, "from-file"))
        for name in (secret, "../secret.yaml"):
            status, problem = self.call("POST", "/v1/runs", {"scenario": name})
            self.assertEqual(status, 422)
            self.assertNotIn("secret-word", json.dumps(problem))

    def test_fifty_runs_at_once_and_each_sees_its_own_client(self):
        self.serve("--control")

        def one(number):
            run = self.begin(LOST, name=f"run-{number}")
            book(run["url"], key=f"k-{number}" if number % 2 else None)
            return number, self.end(run)

        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            reports = dict(pool.map(one, range(50)))
        for number, report in reports.items():
            self.assertEqual(report["verdict"], "pass" if number % 2 else "fail", report["text"])
            self.assertEqual(report["cases"][0]["scenario"], f"run-{number}")
        self.assertEqual(len(self.call("GET", "/v1/runs")[1]["runs"]), 50)

    def test_two_interleaved_tests_do_not_see_each_other(self):
        self.serve("--control")
        first, second = self.begin(LOST), self.begin(LOST)
        body = {"reference": "r-1", "product": "prod_1"}
        self.assertEqual(post(first["url"], "/v1/bookings", body, {"Idempotency-Key": "k"})[0], 0)
        self.assertEqual(post(second["url"], "/v1/bookings", body, {"Idempotency-Key": "k"})[0], 0)
        time.sleep(0.3)  # the client's own pause: at once would be hammering
        self.assertEqual(post(first["url"], "/v1/bookings", body, {"Idempotency-Key": "k"})[0], 201)
        self.assertEqual(post(second["url"], "/v1/bookings", body)[0], 201)
        self.call("POST", f"/v1/runs/{second['id']}/outcomes", {"operation": "r-1", "outcome": "succeeded"})
        self.assertEqual(self.end(first)["verdict"], "pass")
        self.assertEqual(self.end(second)["verdict"], "fail")

    def test_a_client_that_is_killed_in_mid_run_leaves_a_verdict(self):
        self.serve("--control")
        run = self.begin(STALLED)
        port = run["url"].rsplit(":", 1)[1]
        client = subprocess.Popen([sys.executable, "-c", "import http.client, sys\n"
                                   f"c = http.client.HTTPConnection('127.0.0.1', {port})\n"
                                   "c.request('POST', '/v1/bookings', '{\"reference\": \"r-1\", \"product\": \"p\"}',"
                                   " {'Content-Type': 'application/json'})\nc.getresponse()"])
        self.wait_for(lambda: self.call("GET", f"/v1/runs/{run['id']}")[1]["requests"] == 1)
        client.kill()
        client.wait()
        report = self.end(run)
        self.assertIn(report["verdict"], ("pass", "fail", "inconclusive"))
        self.assertEqual(self.call("GET", f"/v1/runs/{run['id']}")[1]["state"], "ended")
        again = self.begin(LOST)
        self.assertTrue(book(again["url"], key="k"))

    def wait_for(self, condition):
        deadline = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_a_healthy_run_is_the_control_of_another(self):
        self.serve("--control")
        healthy = self.begin()
        book(healthy["url"], key="k")
        run, other = self.begin(LOST), self.begin(LOST, api="any")
        book(run["url"], key="k")
        status, problem = self.call("POST", f"/v1/runs/{run['id']}/end", {"control": healthy["id"]})
        self.assertEqual(status, 422, "it has not ended")
        self.end(healthy)
        report = self.end(run, control=healthy["id"])
        self.assertEqual([c["verdict"] for c in report["controls"]], ["pass"])
        self.assertEqual(report["verdict"], "pass")
        status, problem = self.call("POST", f"/v1/runs/{other['id']}/end", {"control": healthy["id"]})
        self.assertEqual(status, 422)
        self.assertIn("another api", problem["detail"])
        status, _ = self.call("POST", f"/v1/runs/{other['id']}/end", {"control": run["id"]})
        self.assertEqual(status, 422, "that run had faults")
        self.assertEqual(self.call("GET", f"/v1/runs/{other['id']}")[1]["state"], "running")

    def test_ports_come_from_the_range_until_it_is_used_up(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            first = probe.getsockname()[1]
        self.serve("--control", "--ports", f"{first}-{first + 2}")
        runs = []
        for _ in range(4):
            status, run = self.call("POST", "/v1/runs", {"api": "booking"})
            if status != 201:
                break
            runs.append(run)
        self.assertEqual(status, 503)
        self.assertIn("every port of", run["detail"])
        for one in runs:
            self.assertIn(int(one["url"].rsplit(":", 1)[1]), range(first, first + 3))
        self.assertEqual(self.call("DELETE", f"/v1/runs/{runs[0]['id']}")[0], 204)
        self.assertEqual(self.call("POST", "/v1/runs", {"api": "booking"})[0], 201)

    def test_a_token_is_asked_for(self):
        self.serve("--control", env={"MISHAP_CONTROL_TOKEN": "s3cret-token"})
        self.assertEqual(self.call("GET", "/v1/health")[0], 200)
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "s3cret-token"}):
            for method, path in (("GET", "/v1/runs"), ("POST", "/v1/runs"), ("POST", "/v1/end")):
                self.assertEqual(self.call(method, path, headers=headers)[0], 401, (headers, path))
        self.headers = {"Authorization": "Bearer s3cret-token"}
        self.begin(LOST)
        self.assertNotIn("s3cret-token", self.stop())

    def test_pages_and_foreign_names_are_turned_away(self):
        self.serve("--control")
        for headers, status in (({"Host": "evil.example"}, 421), ({"Host": "127.0.0.1.evil.example"}, 421),
                                ({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403),
                                ({"Origin": self.control}, 201), ({"Host": "localhost"}, 201),
                                ({"Content-Type": "text/plain"}, 415)):
            got, _ = self.call("POST", "/v1/runs", {"api": "booking"}, headers=headers)
            self.assertEqual(got, status, headers)

    def test_hostile_callers_do_not_hurt_the_mock(self):
        self.serve("--control")
        run = self.begin()
        address = ("127.0.0.1", int(self.control.rsplit(":", 1)[1]))
        slow = []
        for _ in range(120):  # more than are answered or may wait
            one = socket.create_connection(address, timeout=10)
            one.sendall(b"POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le")
            slow.append(one)
        self.addCleanup(lambda: [one.close() for one in slow])
        took = []
        for number in range(20):
            began = time.monotonic()
            self.assertEqual(post(run["url"], "/v1/bookings", {"reference": f"r-{number}", "product": "p"})[0], 201)
            took.append(time.monotonic() - began)
        self.assertLess(sorted(took)[10], 1.0)
        # They are let go after ten seconds, and then it answers again.
        self.wait_for(lambda: self.health() == 200)
        for body in (b"{" * 900_000, b'{"faults": [' + b'"' + b"x" * 900_000 + b'"]}', b"\xff\xfe\x00", b"[" * 100_000 + b"]" * 100_000):
            self.assertIn(self.call("POST", "/v1/runs", body, raw=True)[0], (400, 422), body[:20])
        with socket.create_connection(address, timeout=20) as big:
            big.sendall(b"POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\n")
            self.assertTrue(big.recv(100).startswith(b"HTTP/1.1 413 "))
        with socket.create_connection(address, timeout=20) as chunks:
            chunks.sendall(b"POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n")
            self.assertTrue(chunks.recv(100).startswith(b"HTTP/1.1 411 "))
        self.assertEqual(self.end(run)["verdict"], "pass")

    def health(self):
        try:
            return self.call("GET", "/v1/health")[0]
        except (OSError, http.client.HTTPException):
            return 0

    def test_what_callers_say_does_not_reach_the_terminal_as_it_is(self):
        self.serve("--control")
        run = self.begin(LOST, name="\x1b]0;owned\x07\x1b[2J")
        book(run["url"])
        report = self.end(run)
        self.assertNotIn("\x1b", report["text"])
        self.assertNotIn("\x1b", self.stop())

    def test_outcomes_that_cannot_be_read_are_refused_and_said(self):
        self.serve("--control")
        run = self.begin(LOST)
        path = f"/v1/runs/{run['id']}/outcomes"
        status, problem = self.call("POST", path, '{"operation": "r-1", "outcome": "succeeded"}\n{"operation": "r-1", "outcome": "maybe"}\n')
        self.assertEqual(status, 422)
        self.assertIn("1 taken, 1 refused", problem["detail"])
        self.assertIn("succeeded, failed or pending", problem["errors"][0]["detail"])
        self.assertEqual(self.call("POST", path, [{"operation": "r-1", "outcome": "pending"}] * 3)[1]["taken"], 3)

    def test_targets_and_control_together_and_an_end_by_call(self):
        urls = self.serve("booking", "--fault", LOST, "--judge", "--control", "0", "--out", self.path("run"))
        book(urls["booking"])
        run = self.begin(LOST)
        self.assertEqual(self.call("POST", "/v1/end")[0], 202)
        out = self.ended()
        self.assertEqual(self.process.returncode, 1, out)
        self.assertEqual(post(run["url"], "/v1/bookings", {})[0], 0)

    def test_sigterm_ends_it_with_runs_under_way(self):
        self.serve("--control")
        run = self.begin(STALLED)
        held = threading.Thread(target=post, args=(run["url"], "/v1/bookings", {"reference": "r", "product": "p"}))
        held.start()
        self.wait_for(lambda: self.call("GET", f"/v1/runs/{run['id']}")[1]["requests"] == 1)
        self.stop(signal.SIGTERM)
        held.join(timeout=20)
        self.assertFalse(held.is_alive())
        self.assertEqual(self.process.returncode, 0)


class Compose(Served):
    """docs/ci/compose.yaml: no engine runs here, but what it says to mishap is tried."""

    def test_its_command_line_is_accepted(self):
        compose = yaml.safe_load((ROOT / "docs/ci/compose.yaml").read_text(encoding="utf-8"))
        service = compose["services"]["mishap"]
        words = service["command"]
        self.assertEqual(words[0], "serve")
        # The same words on loopback, so that nobody outside can call.
        words = ["127.0.0.1" if word == "0.0.0.0" else word for word in words[1:]]
        urls = self.serve(*words, env=service["environment"])
        self.assertEqual(urls, {})
        self.assertTrue(self.control.startswith("http://mishap:"), self.control)
        tests = compose["services"]["tests"]["environment"]
        self.assertEqual(tests["MISHAP_CONTROL_URL"], self.control)
        self.assertEqual(tests["MISHAP_CONTROL_TOKEN"], service["environment"]["MISHAP_CONTROL_TOKEN"])
        self.stop()


if __name__ == "__main__":
    behaviour.main()
