#!/usr/bin/env python3
"""Several APIs at once, and APIs whose answers come from a real upstream, as users run them.

Usage: apis.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import http.client
import http.server
import json
import os
import re
import signal
import subprocess
import threading

import behaviour
from behaviour import GIVEN, Case, mishap

TWO_APIS = """mishap: 1
scenario: paid-and-noted
apis: {pay: any, crm: ./crm.yaml}
faults:
  - {on: pay POST /v1/charges, when: {attempt: 1}, fault: response_lost}
expect:
  no_duplicate_effects: required
  effects: {pay /v1/charges: 2, crm /v1/charges: 2, /v1/charges: 4}
  calls:
    - {on: crm POST /v1/charges, count: 2, after: pay POST /v1/charges}
    - {on: pay POST /v1/charges, count: 4}
"""


def failing(report):
    return sorted(f["check"] for case in report["cases"] for f in case["findings"]
                  if f["ruling"] == "fail" and not f["advisory"])


def records(run, scenario):
    with open(os.path.join(run, scenario, "journal.jsonl"), encoding="utf-8") as lines:
        return list(map(json.loads, lines))


class SeveralApis(Case):
    def setUp(self):
        super().setUp()
        self.write("crm.yaml", "mishap: 1\napi: crm\nfrom: any\n")
        self.scenario = self.write("paid.yaml", TWO_APIS)
        self.client = ("/usr/bin/python3", os.path.join(GIVEN["clients"], "two_api_client.py"))

    def test_one_leg_is_spoiled_and_the_right_client_passes(self):
        done, report = self.run_core(*self.client, targets=(self.scenario,))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(failing(report), [])
        seen = [r for r in records(self.path("run"), "paid-and-noted") if r["kind"] == "exchange"]
        operations = {api: {e["identity"]["operation"] for e in seen if e["api"] == api} for api in ("pay", "crm")}
        self.assertEqual([len(operations["pay"]), len(operations["crm"])], [2, 2])
        self.assertEqual(operations["pay"] & operations["crm"], set(), "equal bytes to two APIs are two operations")
        self.assertEqual({e["api"] for e in seen if e.get("rules")}, {"pay"})

    def test_a_leg_with_a_key_for_each_attempt_is_charged_twice(self):
        done, report = self.run_core(*self.client, "--fresh-key", targets=(self.scenario,))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("no_duplicate_effects", failing(report))
        self.assertIn("effects on pay /v1/charges: 4 is not in 2", done.stdout + json.dumps(report))

    def test_the_wrong_order_is_seen(self):
        done, report = self.run_core(*self.client, "--notes-first", targets=(self.scenario,))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(failing(report), ["as_expected"])
        self.assertRegex(json.dumps(report), "crm POST /v1/charges at [0-9.]+ s < pay POST /v1/charges answered at")

    def test_placeholders_name_the_apis(self):
        done, _ = self.run_core(*self.client, "--pay", "{url_pay}", "--crm={url_crm}", targets=(self.scenario,),
                                options=("--env", "MISHAP_URL_PAY=", "--env", "MISHAP_URL_CRM="))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = mishap("test", self.scenario, "--env", "LEDGER={url_ledger}", "--", "true")
        self.assertEqual(done.returncode, 3)
        self.assertIn("{url_pay}, {url_crm}", done.stderr)

    def test_two_apis_may_not_share_a_variable(self):
        text = TWO_APIS.replace("{pay: any, crm: ./crm.yaml}", "{pay: any, crm-eu: any, crm_eu: any}")
        done = mishap("lint", self.write("shared.yaml", text))
        self.assertEqual(done.returncode, 3)
        self.assertIn("MISHAP_URL_CRM_EU", done.stdout)

    def test_serve_gives_each_its_ready_line_and_a_quick_fault_means_one(self):
        spoiled = "pay POST /v1/orders response_lost attempt=1"
        process = subprocess.Popen([GIVEN["mishap"], "serve", self.scenario, "--fault", spoiled],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        lines = [process.stdout.readline() for _ in range(2)]
        ports = dict(re.match(r"ready http://127\.0\.0\.1:(\d+)  (\w+)", line).groups()[::-1] for line in lines)
        self.assertEqual(list(ports), ["pay", "crm"])
        for api in ("crm", "pay"):
            connection = http.client.HTTPConnection("127.0.0.1", int(ports[api]), timeout=10)
            connection.request("POST", "/v1/orders", "{}", {"Content-Type": "application/json"})
            if api == "crm":
                self.assertEqual(connection.getresponse().status, 201)
            else:
                with self.assertRaises((ConnectionResetError, http.client.RemoteDisconnected)):
                    connection.getresponse()
            connection.close()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("2 effects", out)


class QuickFaults(Case):
    """--fault on test: alone, and over what is named."""

    def client(self):
        return ("/usr/bin/python3", os.path.join(GIVEN["clients"], "equal_posts_client.py"))

    def test_alone_it_is_a_scenario_of_its_own(self):
        done, report = self.run_core(*self.client(), targets=(),
                                     options=("--fault", "any status code=503 attempt=1"))
        self.assertEqual([case["scenario"] for case in report["cases"]], ["quick-faults"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_over_a_pack_it_is_in_every_scenario(self):
        scenarios = ("healthy", "unavailable-once-create")
        done, _ = self.run_core(*self.client(), targets=[f"core/{name}" for name in scenarios],
                                options=("--fault", "any latency for=20ms at=accept"))
        self.assertEqual(done.returncode, 0, done.stdout)
        for name in scenarios:
            fired = {hit["fault"] for r in records(self.path("run"), name) for hit in r.get("rules", []) if hit["fired"]}
            self.assertEqual(fired, {"latency"} | ({"status"} if name != "healthy" else set()))

    def test_a_scenario_that_it_leaves_nothing_to_is_inconclusive(self):
        done, report = self.run_core(*self.client(), targets=("core/unavailable-once-create",),
                                     options=("--fault", "any latency for=20ms at=before_effect"))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(failing(report), [])

    def test_help_tells_what_it_means(self):
        self.assertIn("in every scenario that is named", " ".join(mishap("test", "--help").stdout.split()))


class Sandbox(http.server.BaseHTTPRequestHandler):
    """A real API of somebody else's: creates charges, once for each key, and counts what it did."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        key = self.headers.get("Idempotency-Key")
        server = self.server
        with server.lock:
            if key is None or key not in server.by_key:
                server.created += 1
                server.by_key[key] = f"ch_{server.created}"
            made = server.by_key[key]
        body = json.dumps({"id": made}).encode()
        self.send_response(201)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Upstream(Case):
    def setUp(self):
        super().setUp()
        self.sandbox = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sandbox)
        self.sandbox.lock, self.sandbox.by_key, self.sandbox.created = threading.Lock(), {}, 0
        threading.Thread(target=self.sandbox.serve_forever, daemon=True).start()
        self.addCleanup(self.sandbox.server_close)
        self.addCleanup(self.sandbox.shutdown)
        self.client = ("/usr/bin/python3", os.path.join(GIVEN["clients"], "two_api_client.py"),
                       "--pay", "{url}", "--crm", "{url}")

    def scenario(self, url, name="lost"):
        return self.write(f"{name}.yaml", f"mishap: 1\nscenario: {name}\napi: {{upstream: '{url}'}}\nfaults:\n"
                                          "  - {on: POST /v1/charges, when: {attempt: 1}, fault: response_lost}\n")

    def url(self):
        return f"http://127.0.0.1:{self.sandbox.server_address[1]}"

    def test_an_answer_that_was_lost_was_executed_by_the_sandbox(self):
        done, report = self.run_core(*self.client, targets=(self.scenario(self.url()),))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(report["cases"][0]["verdict"], "pass")
        # Four charges in the control, four under the fault: no retry made another one.
        self.assertEqual(self.sandbox.created, 8)

    def test_a_client_without_a_key_is_caught_by_what_the_sandbox_did(self):
        done, report = self.run_core(*self.client, "--no-key", targets=(self.scenario(self.url()),))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("no_duplicate_effects", failing(report))

    def test_a_sandbox_that_is_down_is_nobodys_fault(self):
        url = self.url()
        self.sandbox.shutdown()
        self.sandbox.server_close()
        done, report = self.run_core(*self.client, targets=(self.scenario(url),))
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("Connection refused", done.stdout)
        self.assertEqual(failing(report), [])
        self.assertEqual(report["cases"], [], "not one more request goes where nobody answers")

    def test_lint_and_serve_say_that_requests_leave_the_machine(self):
        outside = self.scenario("https://sandbox.example.com/v2", "outside")
        self.assertIn("requests leave this machine", mishap("lint", outside).stdout)
        process = subprocess.Popen([GIVEN["mishap"], "serve", outside], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertIn("ready", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        self.assertIn("https://sandbox.example.com/v2", err)

    def test_a_pack_over_an_upstream_says_it_once(self):
        api = self.write("sandbox.yaml", "mishap: 1\nupstream: 'https://sandbox.example.com'\n")
        done = mishap("test", "core", "--api", api, "--", "/no/such/client")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count("requests leave this machine"), 1, done.stderr)


if __name__ == "__main__":
    behaviour.main()
