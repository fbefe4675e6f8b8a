#!/usr/bin/env python3
"""mishap.yaml, its promises and profiles.

Usage: project.py --mishap BIN [unittest arguments]
"""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess

import project_case
from project_case import GIVEN, PYTHON, Case, findings


class Precedence(Case):
    """Command line > scenario > mishap.yaml > what is shipped."""

    CLIENT = "client: {command: [/usr/bin/python3, sync.py], env: {VENDOR_URL: '{url}'}}\n"

    def test_promises(self):
        self.write("mishap.yaml", "mishap: 1\npromise: {profile: background, max_attempts: 7}\n" + self.CLIENT)
        self.write("own.yaml", "mishap: 1\nscenario: own\napi: any\npromise: {deadline: 33s}\n")
        self.run_test("core/healthy", "own.yaml", "--promise", "max_attempts=4", code=0)
        own = self.recording("own")["scenario"]["promise"]
        self.assertEqual((own["max_attempts"], own["deadline"], own["attempt_timeout"], own["profile"]),
                         (4, 33 * 10**9, 30 * 10**9, "background"))
        shipped = self.recording("healthy")["scenario"]["promise"]
        self.assertEqual((shipped["max_attempts"], shipped["deadline"]), (4, 300 * 10**9))

    def test_vendors(self):
        self.write("mishap.yaml", "mishap: 1\napi: booking\n" + self.CLIENT)
        self.write("bare.yaml", "mishap: 1\nscenario: bare\n")
        self.write("own.yaml", "mishap: 1\nscenario: own\napi: any\n")
        self.run_test("core/healthy", code=1)  # shipped: mishap.yaml's booking, which knows no orders
        self.run_test("bare.yaml", code=1)
        self.run_test("own.yaml", code=0)
        self.run_test("bare.yaml", "--api", "any", code=0)
        self.assertEqual(self.mishap("lint", "bare.yaml").returncode, 0)
        self.assertEqual(self.mishap("lint", "--no-project", "bare.yaml").returncode, 3)

    def test_clients_and_their_promises(self):
        self.write("mishap.yaml", "mishap: 1\npromise: b2b\nclients:\n"
                                  "  wrong: {command: [/usr/bin/false]}\n"
                                  "  sync: {command: [/usr/bin/python3, sync.py], env: {VENDOR_URL: '{url}'},"
                                  " promise: {max_attempts: 3}}\n")
        done, report = self.run_test("core/healthy", code=3)
        self.assertIsNone(report)
        self.assertIn("choose one with --client: wrong, sync", done.stderr)
        done, _ = self.run_test("core/healthy", "--client", "synk", code=3)
        self.assertIn('did you mean "sync"?', done.stderr)
        done, _ = self.run_test("core/healthy", "--client", "sync", code=0)
        self.assertIn("client sync", done.stdout.splitlines()[0])
        promise = self.recording("healthy")["scenario"]["promise"]
        self.assertEqual((promise["max_attempts"], promise["profile"]), (3, "b2b"))

    def test_several_vendors_give_way_to_one_that_is_named(self):
        self.write("mishap.yaml", "mishap: 1\napis: {pay: booking, crm: any}\n"
                                  f"client: {{command: [{PYTHON}, sync.py], env: {{VENDOR_URL: '{{url_crm}}'}}}}\n")
        done, _ = self.run_test("core/healthy", code=0)
        self.assertIn("2 apis", done.stdout.splitlines()[0])
        self.run_test("core/healthy", "--api", "any", "--env", "VENDOR_URL={url}", code=0)

    def test_known_findings(self):
        self.write("mishap.yaml", "mishap: 1\npromise: {attempt_timeout: 1s}\n" + self.CLIENT +
                   "known: [{scenario: 'response-lost-*', check: '*', reason: ticket 7, until: 2999-12-31}]\n")
        done, _ = self.run_test("core/response-lost-after-create", "core/healthy", code=0)
        self.assertIn("ticket 7", done.stdout)
        self.run_test("core/response-lost-after-create", "--no-project", "--env", "VENDOR_URL={url}", "--",
                      PYTHON, "sync.py", code=1)

    def test_targets_and_jobs(self):
        self.write("mishap.yaml", "mishap: 1\nscenarios: [core/healthy, ./mine]\njobs: 3\n" + self.CLIENT)
        self.write("mine/own.yaml", "mishap: 1\nscenario: own\napi: any\n")
        done, report = self.run_test(code=0)
        self.assertEqual([case["scenario"] for case in report["cases"]], ["healthy", "own"])
        self.assertIn("3 at once", done.stdout)
        done, report = self.run_test("core/healthy", "--jobs", "2", code=0)
        self.assertEqual([case["scenario"] for case in report["cases"]], ["healthy"])
        self.assertIn("2 at once", done.stdout)

    def test_folders(self):
        """mishap.yaml's client runs beside mishap.yaml, a command behind -- where it was typed."""
        os.mkdir(self.path(".git"))
        os.makedirs(self.path("deep/er"))
        self.write("mishap.yaml", "mishap: 1\n" + self.CLIENT)
        done, _ = self.run_test("core/healthy", cwd=self.path("deep/er"), code=0)
        self.assertIn("project   ../../mishap.yaml", done.stdout)
        self.assertEqual(set(self.starts()), {os.path.realpath(self.folder)})
        self.assertEqual(json.loads(self.read("run/suite.json"))["project"], "../../mishap.yaml")
        os.remove(self.path("starts"))
        self.run_test("core/healthy", "--env", "VENDOR_URL={url}", "--", PYTHON, "../../sync.py",
                      cwd=self.path("deep/er"), code=0)
        self.assertEqual(set(self.starts()), {os.path.realpath(self.path("deep/er"))})
        done, report = self.run_test("core/healthy", "--no-project", cwd=self.path("deep/er"), code=3)
        self.assertIn("no client given", done.stderr)
        self.run_test("core/healthy", "--project", "mishap.yaml", code=0)

    def test_what_a_client_is_told_does_not_hang_on_where_it_runs(self):
        """The folder of the run is named from where mishap was started, the client runs elsewhere."""
        told = ('curl -sf --json "{}" "$VENDOR_URL/v1/x" && cd / && touch "$MISHAP_STATE/s" "$TMPDIR/t" "{state}/s" && '
                'echo $(pwd) $MISHAP_STATE $TMPDIR $MISHAP_OUTCOMES >> "$STARTS" && '
                """echo '{"operation": "o-1", "outcome": "succeeded"}' >> "$MISHAP_OUTCOMES\"""")
        self.write("sub/mishap.yaml", "mishap: 1\nclient:\n  env: {VENDOR_URL: '{url}'}\n"
                                      f"  command: [sh, -c, {json.dumps(told)}]\n")
        done = self.mishap("test", "core/healthy", "--project", "sub/mishap.yaml", "--out", "run")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(json.loads(self.read("run/healthy/outcomes.jsonl"))["outcome"], "succeeded")
        for line in self.starts():
            self.assertTrue(all(word.startswith("/") for word in line.split()), line)

    def test_serve_plays_the_vendor_of_the_project(self):
        self.write("vendor.yaml", "mishap: 1\napi: vendor\nroutes: [{on: GET /hello, json: {from: project}}]\n")
        self.write("mishap.yaml", "mishap: 1\napi: ./vendor.yaml\n")
        process = subprocess.Popen([GIVEN["mishap"], "serve"], stdout=subprocess.PIPE, text=True, cwd=self.folder)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        found = None
        while found is None:
            line = process.stdout.readline()
            self.assertNotEqual(line, "")
            found = re.match(r"ready http://127\.0\.0\.1:(\d+)", line)
        connection = http.client.HTTPConnection("127.0.0.1", int(found.group(1)), timeout=10)
        self.addCleanup(connection.close)
        connection.request("GET", "/hello")
        self.assertEqual(json.loads(connection.getresponse().read()), {"from": "project"})
        process.send_signal(signal.SIGINT)

    def test_a_secret_of_the_file_reaches_no_stored_file(self):
        self.write("mishap.yaml", "mishap: 1\nclient: {command: [/usr/bin/python3, sync.py], "
                                  "env: {VENDOR_URL: '{url}', API_TOKEN: hush-7hush}}\n")
        self.run_test("core/healthy", code=0)
        self.run_free_of("hush-7hush")
        self.run_test("core/healthy", "--env", "API_TOKEN=typed-8typed", code=0)
        self.run_free_of("typed-8typed")

    def test_a_secret_that_is_typed_reaches_no_stored_file_though_the_client_says_it(self):
        words = ("--token", "hush-9hush", "--dsn=postgres://u:hush-1hush@db/x")
        done, _ = self.run_test("core/healthy", "--env", "VENDOR_URL={url}", "--", PYTHON, "-c",
                                "import runpy, sys; print(sys.argv); sys.argv = ['sync.py']; runpy.run_path('sync.py')", *words,
                                code=0)
        for secret in ("hush-9hush", "hush-1hush"):
            self.run_free_of(secret)
            self.assertNotIn(secret, done.stdout)

    def run_free_of(self, secret):
        files = [path for path in pathlib.Path(self.path("run")).rglob("*") if path.is_file()]
        self.assertGreater(len(files), 5)
        for path in files:
            self.assertNotIn(secret.encode(), path.read_bytes(), path)


class BadFiles(Case):
    def test_it_is_told_where_and_nothing_is_started(self):
        self.write("mishap.yaml", "mishap: 1\nclient: {comand: [/usr/bin/python3, sync.py]}\njobs: 0\n")
        for command in (("test", "core/healthy"), ("test", "core/healthy", "--", PYTHON, "sync.py"), ("serve", "any")):
            done = self.mishap(*command)
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            self.assertIn('mishap.yaml:2:10: unknown key "comand"; did you mean "command"?', done.stderr)
            self.assertIn('mishap.yaml:3:7: "jobs" is between 1 and 64', done.stderr)
        done = self.mishap("lint")
        self.assertEqual(done.returncode, 3)
        self.assertIn("2 errors, 0 warnings in 1 file", done.stdout)
        self.assertEqual(self.starts(), [])

    def test_a_param_that_no_scenario_has(self):
        self.write("mishap.yaml", "mishap: 1\nparams: {creat: POST /v1/orders}\n" + Precedence.CLIENT)
        done, report = self.run_test("core/healthy", code=3)
        self.assertIn('mishap.yaml:2:10: unknown parameter "creat"; did you mean "create"?', done.stderr)
        self.assertIn('did you mean "create"?', self.mishap("lint").stdout)

    def test_a_file_that_is_not_there(self):
        done, _ = self.run_test("core/healthy", "--project", "no-such.yaml", code=3)
        self.assertIn("no-such.yaml", done.stderr)

    def test_a_promise_of_nothing(self):
        for word in ("deadline=0s", "max_attempts=0", "profile=b2c", "b2c", "deadline=5"):
            done, _ = self.run_test("core/healthy", "--promise", word, "--", "true", code=3)
            self.assertIn("--promise:1:", done.stderr, word)


class Profiles(Case):
    def test_one_client_under_two_profiles(self):
        """It waits 5 s for an answer: a job may, a person will not."""
        client = ("--", PYTHON, "sync.py", "--key")
        options = ("--env", "VENDOR_URL={url}", "--env", "SYNC_TIMEOUT=5")
        scenario = "core/response-lost-by-stall"
        _, patient = self.run_test(scenario, *options, "--promise", "background", *client, code=0)
        self.assertEqual(findings(patient, "response-lost-by-stall")["attempt_timeout_bounded"], "pass")
        _, quick = self.run_test(scenario, *options, "--promise", "interactive", *client, code=1)
        self.assertEqual(findings(quick, "response-lost-by-stall")["attempt_timeout_bounded"], "fail")
        # A single number wins over the profile beside it.
        _, mixed = self.run_test(scenario, *options, "--promise", "interactive", "--promise", "attempt_timeout=6s",
                                 "--promise", "deadline=30s", *client, code=0)
        self.assertEqual(findings(mixed, "response-lost-by-stall")["attempt_timeout_bounded"], "pass")

    def test_profiles_are_listed_and_explained(self):
        listed = self.mishap("list", "profiles").stdout
        for name in ("b2b", "interactive", "background", "strict"):
            self.assertIn(name, listed)
            self.assertIn("attempt_timeout", self.mishap("explain", name).stdout)


if __name__ == "__main__":
    project_case.main()
