#!/usr/bin/env python3
"""Clients that people really use, honest ones that look wrong, and many runs at once.

Usage: real_clients.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import json
import pathlib

import behaviour
from behaviour import GIVEN, Case, mishap


class RealClients(Case):
    """Known habits of real clients come out of the evidence."""

    def failing(self, report, scenario):
        case = next(c for c in report["cases"] if c["scenario"] == scenario)
        return {f["check"]: f for f in case["findings"] if f["ruling"] == "fail"}

    def test_curl_resends_a_post_on_a_reused_connection(self):
        body = ["-s", "-H", "Content-Type: application/json", "-d", '{"a":1}', "-o", "{state}/x"]
        _, report = self.run_core("curl", *body, "{url}/v1/first", "--next", *body, "{url}/v1/second",
                                  targets=("core/response-lost-on-reused-connection",))
        failing = self.failing(report, "response-lost-on-reused-connection")
        self.assertIn("no_duplicate_effects", failing)
        case = next(c for c in report["cases"])
        self.assertIn("resen", json.dumps(case))

    def test_curl_retry_honours_seconds(self):
        _, report = self.run_core("curl", "-s", "--retry", "3", "-d", "a=1", "-o", "{state}/x", "{url}/v1/orders",
                                  targets=("core/retry-after-seconds",))
        self.assertEqual(self.failing(report, "retry-after-seconds"), {})

    def test_curl_retry_sleeps_for_ever_on_a_past_date(self):
        _, report = self.run_core("curl", "-s", "--retry", "3", "-d", "a=1", "-o", "{state}/x", "{url}/v1/orders",
                                  targets=("core/retry-after-past-date",),
                                  options=("--promise", "deadline=8s"))
        self.assertIn("retry_after_robust", self.failing(report, "retry-after-past-date"))

    def test_urllib3_throws_on_text(self):
        done, report = self.run_core("/usr/bin/python3", GIVEN["clients"] + "/requests_client.py", targets=("core/healthy",),
                                     options=("--fault", "GET /v1/products status code=429 retry_after=soon request=1",
                                              "--promise", "retries=declared"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("recovers_from_transient", self.failing(report, "healthy"))
        errors = next(pathlib.Path(self.path("run")).glob("*healthy*/*stderr.head")).read_text(encoding="utf-8")
        self.assertIn("InvalidHeader", errors)

    def test_the_client_of_text_c_stalls_on_an_hour(self):
        _, report = self.run_core("/usr/bin/python3", GIVEN["clients"] + "/text_c_client.py", "--base", "0.1",
                                  targets=("core/retry-after-hour",), options=("--promise", "deadline=6s"))
        self.assertTrue({"total_deadline_bounded", "retry_after_robust"} & set(self.failing(report, "retry-after-hour")))

    def test_http_url_connection_posts_twice(self):
        _, report = self.run_core("java", GIVEN["clients"] + "/UrlConnectionClient.java",
                                  targets=("core/response-lost-by-close",))
        self.assertIn("no_duplicate_effects", self.failing(report, "response-lost-by-close"))


class HonestClients(Case):
    def run_client(self, name):
        return self.run_core("/usr/bin/python3", f"{GIVEN['clients']}/{name}",
                             options=("--promise", "attempt_timeout=1s", "--promise", "deadline=12s"))

    def checks_failing(self, report):
        return {f["check"] for c in report["cases"] + report["controls"] for f in c["findings"] if f["ruling"] == "fail"}

    def test_a_poller_is_no_retrier(self):
        _, report = self.run_client("polling_client.py")
        self.assertFalse(self.checks_failing(report) & {"bounded_attempts", "no_immediate_retry", "no_duplicate_effects",
                                                        "baseline_healthy"})

    def test_two_equal_posts_on_purpose_are_two_operations(self):
        _, report = self.run_client("equal_posts_client.py")
        self.assertFalse(self.checks_failing(report) & {"no_duplicate_effects", "key_stable_across_attempts",
                                                        "key_fresh_per_operation"})

    def test_one_key_for_everything_is_caught(self):
        _, report = self.run_client("one_key_client.py")
        self.assertIn("key_fresh_per_operation", self.checks_failing(report))


class SideBySide(Case):
    def test_two_hundred_runs_at_once_judge_like_one_by_one(self):
        """Mixed pass and fail; no evidence crosses from one run into another."""
        folder = pathlib.Path(self.path("pack"))
        folder.mkdir()
        for number in range(200):
            attempts = 1 if number % 2 else 9
            (folder / f"s{number:03}.yaml").write_text(
                f"mishap: 1\nscenario: s{number:03}\napi: any\nfaults:\n"
                f"  - {{on: GET /v1/x, when: {{request: 1..{attempts}}}, fault: {{kind: status, code: 503}}}}\n"
                "expect: {attempts: 2..4}\n", encoding="utf-8")
        client = ("sh", "-c", "n=0; until curl -sf $MISHAP_URL/v1/x >/dev/null; do n=$((n+1)); [ $n -ge 6 ] && exit 1; sleep 0.06; done")
        done = mishap("test", str(folder), "--jobs", "64", "--out", self.path("many"), "--", *client, timeout=240)
        many = json.loads(pathlib.Path(self.path("many"), "report.json").read_text(encoding="utf-8"))
        self.assertEqual(len(many["cases"]), 200, done.stdout[-2000:])
        verdicts = {case["scenario"]: case["verdict"] for case in many["cases"]}
        wrong = {name: v for name, v in verdicts.items() if v != ("pass" if int(name[1:]) % 2 else "fail")}
        self.assertEqual(wrong, {})
        few = [str(folder / f"s{number:03}.yaml") for number in (0, 1, 98, 99, 198, 199)]
        mishap("test", *few, "--jobs", "1", "--out", self.path("few"), "--", *client)
        alone = json.loads(pathlib.Path(self.path("few"), "report.json").read_text(encoding="utf-8"))
        self.assertEqual({c["scenario"]: c["verdict"] for c in alone["cases"]},
                         {name: verdicts[name] for name in ("s000", "s001", "s098", "s099", "s198", "s199")})


if __name__ == "__main__":
    behaviour.main()
