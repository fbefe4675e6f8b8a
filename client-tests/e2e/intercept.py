#!/usr/bin/env python3
"""Clients whose base URL cannot be changed: they call https://api.vendor.example and reach the mock.

Usage: intercept.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import http.client
import json
import pathlib
import shutil
import signal
import ssl
import subprocess
import unittest
import urllib.request

import behaviour
from apis import failing, records
from behaviour import Case
from served import Served

HOST = "api.vendor.example"
URL = f"https://{HOST}/v1/orders"
# As people write them: no word of a proxy or of whom to trust.
URLLIB = f"""
import json, urllib.request
order = urllib.request.Request("{URL}", json.dumps({{"item": "x"}}).encode(), {{"Content-Type": "application/json"}})
attempts = 0
while True:
    attempts += 1
    try:
        print(urllib.request.urlopen(order, timeout=2).status)
        break
    except OSError:
        if attempts == 3:
            raise
"""
REQUESTS = f"""
import requests
requests.post("{URL}", json={{"item": "x"}}, timeout=2).raise_for_status()
"""


class Intercept(Case):
    def judged(self, *client, faults=(), hosts=(HOST,)):
        options = [word for host in hosts for word in ("--intercept", host)]
        options += [word for fault in faults for word in ("--fault", fault)]
        return self.run_core(*client, targets=(self.write("t.yaml", "mishap: 1\nscenario: t\napi: any\n"),),
                             options=options)

    def paths(self):
        return [r["request"]["path"] for r in records(self.path("run"), "t") if r["kind"] == "exchange"]

    def test_curl(self):
        done, report = self.judged("curl", "-sf", "--json", '{"item": "x"}', URL)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.paths(), ["/v1/orders"])
        connection = next(r for r in records(self.path("run"), "t") if r["kind"] == "connection")
        self.assertEqual(connection["asked_for"], f"{HOST}:443")
        self.assertEqual(connection["tls"]["server_name"], HOST)

    def test_requests_of_python(self):
        done, _ = self.judged("/usr/bin/python3", "-c", REQUESTS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_plain_http_goes_there_too(self):
        done, _ = self.judged("curl", "-sf", "--json", '{"item": "x"}', f"http://{HOST}/v1/orders")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.paths(), ["/v1/orders"])

    def test_a_create_that_is_sent_again_without_a_key_is_found_out(self):
        done, report = self.judged("/usr/bin/python3", "-c", URLLIB, faults=("POST /v1/orders response_lost request=1",))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("no_duplicate_effects", failing(report))

    def test_one_that_falls_back_to_plain_http_is_found_out(self):
        done, report = self.judged("sh", "-c", f"curl -sf {URL} || curl -sf {URL.replace('https', 'http')}; exit 0",
                                   faults=("any certificate",))
        self.assertEqual(failing(report), ["tls_verification_enforced"], done.stdout)

    def test_two_hosts_of_two_apis_over_plain_http(self):
        scenario = self.write("two.yaml", "mishap: 1\nscenario: two\napis:\n  x: {from: any, intercept: [a.vendor.example]}\n"
                                          "  y: {from: any, intercept: [b.vendor.example]}\n")
        done, _ = self.run_core("curl", "-sf", "http://a.vendor.example/v1/x", "http://b.vendor.example/v1/y",
                                targets=(scenario,))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        calls = [(r["api"], r["request"]["path"]) for r in records(self.path("run"), "two") if r["kind"] == "exchange"]
        self.assertEqual(calls, [("x", "/v1/x"), ("y", "/v1/y")])

    def test_connections_that_were_refused_behind_the_proxy_prove_nothing(self):
        done, _ = self.judged("curl", "-sf", URL, faults=("any refuse",))
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)

    def test_another_host_is_turned_away_and_named(self):
        done, _ = self.judged("sh", "-c", f"curl -s https://auth.vendor.example/token; curl -sf {URL}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("asked the proxy for auth.vendor.example:443", done.stdout + done.stderr)

    def test_where_it_wants_another_host_alone_nothing_came(self):
        done, _ = self.judged("curl", "-sf", "https://auth.vendor.example/token")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("auth.vendor.example:443, which nothing stands in for", done.stdout + done.stderr)

    def test_what_is_no_host_is_refused(self):
        done, _ = self.judged("true", hosts=("https://api.vendor.example/v1",))
        self.assertEqual(done.returncode, 3)
        self.assertIn("is no name of a host", done.stderr)
        for host, says in ((f"{HOST}:0", "has no port between"), (f"{HOST}:65536", "has no port between"),
                           (f"{HOST}:https", "has no port between"), ("999.1.1.1", "no IPv4 address")):
            done, _ = self.judged("true", hosts=(host,))
            self.assertEqual(done.returncode, 3, host)
            self.assertIn(says, done.stderr)

    def test_an_address_is_a_host_too(self):
        """The certificate names it as an address, which is what a client compares with."""
        for host, url in (("fd00::7", "https://[fd00::7]/v1/orders"), ("[fd00::7]:8443", "https://[fd00::7]:8443/v1/orders"),
                          ("192.0.2.7", "https://192.0.2.7/v1/orders")):
            shutil.rmtree(self.path("run"), ignore_errors=True)
            done, _ = self.judged("curl", "-sSfg", "--json", '{"item": "x"}', url, hosts=(host,))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(self.paths(), ["/v1/orders"], url)

    def test_one_host_leads_to_one_api(self):
        scenario = self.write("two.yaml", "mishap: 1\nscenario: two\napis:\n  x: {from: any, intercept: [a.vendor.example]}\n"
                                          "  y: any\n")
        done = behaviour.mishap("lint", scenario, "--intercept", "y=a.vendor.example")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn('"y" intercepts a.vendor.example, and so does "x"', done.stdout)
        self.assertIn("two.yaml:4:30", done.stdout)

    def test_a_proxy_of_the_users_own_is_told_in_both_spellings(self):
        seen = 'echo "$HTTPS_PROXY $https_proxy" > "$SEEN"'
        self.run_core("sh", "-c", seen, targets=("core/healthy",),
                      options=("--intercept", HOST, "--env", "HTTPS_PROXY=http://127.0.0.1:9",
                               "--env", "SEEN=" + self.path("seen")))
        self.assertEqual(pathlib.Path(self.path("seen")).read_text(encoding="utf-8").split(), ["http://127.0.0.1:9"] * 2)


class Elsewhere(Served):
    """A client that is not our child is told where the proxy is, and whom to trust."""

    def ask(self, proxy, ca):
        context = ssl.create_default_context(cadata=ca)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"https": proxy}),
                                             urllib.request.HTTPSHandler(context=context))
        with opener.open(URL, timeout=10) as answer:
            return answer.status

    def test_serve_says_so(self):
        self.serve("any", "--intercept", HOST, "--ca-out", self.path("ca.pem"))
        ca = pathlib.Path(self.path("ca.pem")).read_text(encoding="utf-8")
        self.assertNotIn("PRIVATE", ca)
        self.assertEqual(self.ask(self.urls[f"proxy to {HOST}"], ca), 200)

    def test_serve_tells_of_who_got_no_further(self):
        urls = self.serve("any", "--intercept", HOST, "--ca-out", self.path("ca.pem"))
        proxy = urls[f"proxy to {HOST}"]
        for url in (URL, "https://auth.vendor.example/token"):
            subprocess.run(["curl", "-s", "--proxy", proxy, url], timeout=20, check=False)
        self.process.send_signal(signal.SIGINT)
        out = self.ended()
        self.assertRegex(out, rf"c1  TLS for {HOST}  -> failed: .*alert")
        self.assertIn("c2  asked the proxy for auth.vendor.example:443  -> turned away", out)

    def test_the_control_api_says_so(self):
        self.serve("--control", "0")
        connection = http.client.HTTPConnection(self.control.split("//")[1], timeout=10)
        self.addCleanup(connection.close)
        scenario = f"mishap: 1\nscenario: t\napi: {{from: any, intercept: [{HOST}]}}\n"
        connection.request("POST", "/v1/runs", json.dumps({"yaml": scenario}), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        run = json.loads(answer.read())
        self.assertEqual(answer.status, 201, run)
        self.assertEqual(self.ask(run["proxies"][0], run["ca"]), 200)

    def test_what_is_no_certificate_is_not_written_over(self):
        there = self.write("notes.txt", "mine\n")
        process = behaviour.mishap("serve", "any", "--intercept", HOST, "--ca-out", there)
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertIn("it is not written over", process.stderr)
        self.assertEqual(pathlib.Path(there).read_text(encoding="utf-8"), "mine\n")
        nowhere = behaviour.mishap("serve", "any", "--intercept", HOST, "--ca-out", self.path("no/such/ca.pem"))
        self.assertEqual(nowhere.returncode, 3, nowhere.stderr)

    def test_an_authority_that_nobody_needs_is_not_written(self):
        process = behaviour.mishap("serve", "any", "--ca-out", self.path("ca.pem"))
        self.assertEqual(process.returncode, 3)
        self.assertIn("nothing here speaks TLS", process.stderr)
        self.assertFalse(pathlib.Path(self.path("ca.pem")).exists())


if __name__ == "__main__":
    behaviour.main()
