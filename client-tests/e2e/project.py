#!/usr/bin/env python3
"""mishap.yaml, profiles, init, and what is said when the healthy control is not healthy.

Usage: project.py --mishap BIN [unittest arguments]
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

GIVEN = {}
PYTHON = "/usr/bin/python3"

# Posts to a path of its own, reads its own variable, tries again; with a key or without.
SYNC = '''
import json, os, random, socket, sys, time, urllib.error, urllib.request

BASE = os.environ["VENDOR_URL"]
TIMEOUT = float(os.environ.get("SYNC_TIMEOUT", "1"))
KEY = {"Idempotency-Key": f"k-{random.getrandbits(64):x}"} if "--key" in sys.argv else {}

with open(os.environ.get("STARTS", os.devnull), "a") as starts:
    starts.write(os.getcwd() + "\\n")
print("token", os.environ.get("API_TOKEN"), file=sys.stderr)


def post():
    request = urllib.request.Request(BASE + "/v1/orders", json.dumps({"external_id": "o-1", "amount": 2}).encode(),
                                     {"Content-Type": "application/json", **KEY})
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        return json.loads(answer.read())["id"]


for attempt in range(3):
    try:
        print("made", post())
        sys.exit(0)
    except urllib.error.HTTPError as error:
        print("refused", error.code, file=sys.stderr)
        if error.code < 500 and error.code != 429:
            sys.exit(1)
    except (OSError, ValueError, KeyError) as error:
        print("failed", type(error).__name__, file=sys.stderr)
    time.sleep(0.2 + random.random() * 0.2 * (attempt + 1))
sys.exit(1)
'''


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mishap-project-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.write("sync.py", SYNC)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        path = pathlib.Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def read(self, name):
        return pathlib.Path(self.path(name)).read_text(encoding="utf-8")

    def mishap(self, *arguments, cwd=None, env=None, timeout=200):
        clean = {name: value for name, value in os.environ.items() if "URL" not in name}
        return subprocess.run([GIVEN["mishap"], *arguments], capture_output=True, text=True, timeout=timeout,
                              cwd=cwd or self.folder, env={**clean, "STARTS": self.path("starts"), **(env or {})})

    def run_test(self, *arguments, code=None, **options):
        """`mishap test` into the folder "run"; what it printed, and the report."""
        shutil.rmtree(self.path("run"), ignore_errors=True)
        before = [word for word in arguments]
        at = before.index("--") if "--" in before else len(before)
        before[at:at] = ["--out", self.path("run")]
        done = self.mishap("test", *before, **options)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout[-3000:] + done.stderr)
        report = pathlib.Path(self.path("run"), "report.json")
        return done, json.loads(report.read_text(encoding="utf-8")) if report.is_file() else None

    def recording(self, scenario):
        return json.loads(self.read(f"run/{scenario}/recording.json"))

    def starts(self):
        path = pathlib.Path(self.path("starts"))
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def findings(report, scenario):
    case = next(case for case in report["cases"] if case["scenario"] == scenario)
    return {finding["check"]: finding["ruling"] for finding in case["findings"]}


class Init(Case):
    def init(self, *arguments, code=0, **options):
        done = self.mishap("init", *arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_from_init_to_a_true_verdict(self):
        self.init("--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py")
        self.assertEqual(len(self.starts()), 1)
        written = self.read("mishap.yaml")
        for text in ("sync.py", "VENDOR_URL: \"{url}\"", "POST /v1/orders", "no idempotency key", "# promise: b2b",
                     "external_id", "exit code 0"):
            self.assertIn(text, written)
        linted = self.mishap("lint")
        self.assertEqual(linted.returncode, 0, linted.stdout)
        self.assertIn("0 errors, 0 warnings in 1 file", linted.stdout)
        # Without an argument it runs the core pack with this client.
        done, report = self.run_test("--jobs", "16", "--promise", "attempt_timeout=1s", code=1)
        self.assertGreater(len(report["cases"]), 40)
        self.assertTrue(done.stdout.startswith("project   mishap.yaml"), done.stdout[:200])
        self.assertEqual(findings(report, "response-lost-after-create")["no_duplicate_effects"], "fail")
        # The same client with a key is right where it was wrong.
        self.init("--force", "--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py", "--key")
        self.assertIn("an idempotency key came with 1 of 1", self.read("mishap.yaml"))
        _, report = self.run_test("core/response-lost-after-create", "core/healthy", "core/reset-before-effect",
                                  "--promise", "attempt_timeout=1s", code=0)
        self.assertEqual(findings(report, "response-lost-after-create")["no_duplicate_effects"], "pass")

    def test_the_written_file_fits_the_schema(self):
        import jsonschema
        import yaml
        self.init("--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py", "--note", "a: b # c\n'\"{x}")
        schema = json.loads(self.mishap("schema", "project").stdout)
        document = yaml.safe_load(self.read("mishap.yaml"))
        self.assertEqual([error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document)], [])
        self.assertEqual(document["client"]["command"][-1], "a: b # c\n'\"{x}")

    def test_a_file_that_is_there_is_kept(self):
        self.write("mishap.yaml", "mishap: 1\n")
        done = self.init("--", PYTHON, "sync.py", code=3)
        self.assertIn("--force", done.stderr)
        self.assertEqual(self.read("mishap.yaml"), "mishap: 1\n")
        self.assertEqual(self.starts(), [])

    def test_a_client_that_goes_elsewhere_is_told_where_its_url_may_be(self):
        env = {"VENDOR_URL": "http://ann:pa55word@127.0.0.1:9/v1?key=s3cret"}
        done = self.init("--", PYTHON, "sync.py", "--copy=http://bob:pa55word@127.0.0.1:9/x", code=2, env=env)
        self.assertIn("--env VENDOR_URL={url}", done.stdout)
        self.assertIn("--copy=http://127.0.0.1:9", done.stdout)
        self.assertNotIn("pa55word", done.stdout + done.stderr)
        self.assertNotIn("s3cret", done.stdout + done.stderr)
        self.assertFalse(os.path.exists(self.path("mishap.yaml")))
        self.assertEqual(len(self.starts()), 1)

    def test_a_secret_is_not_written(self):
        done = self.init("--env", "VENDOR_URL={url}", "--env", "API_TOKEN=abc123def", "--", PYTHON, "sync.py")
        self.assertNotIn("abc123def", self.read("mishap.yaml") + done.stdout + done.stderr)
        self.assertIn("API_TOKEN", self.read("mishap.yaml"))
        refused = self.init("--force", "--env", "API_TOKEN=abc123def", "--", PYTHON, "sync.py", "abc123def", code=3)
        self.assertNotIn("abc123def", refused.stdout + refused.stderr)

    def test_an_unhealthy_run_gets_a_vendor_to_go_on_with(self):
        done = self.init("--api", "booking", "--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py", code=2)
        self.assertIn("no route for POST /v1/orders", done.stdout)
        self.assertIn("refused 404", done.stdout)
        self.assertIn("./api.yaml", self.read("mishap.yaml"))
        linted = self.mishap("lint", "mishap.yaml", "api.yaml")
        self.assertEqual(linted.returncode, 0, linted.stdout)
        self.assertIn("0 errors, 0 warnings in 2 files", linted.stdout)
        self.run_test("core/healthy", code=0)

    def test_a_client_that_lives_on_is_written_as_a_service(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.write("live.py", "import os, socket, sys, urllib.request\n"
                              "server = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
                              "urllib.request.urlopen(os.environ['MISHAP_URL'] + '/v1/jobs').read()\n"
                              "while True:\n"
                              "    server.accept()[0].close()\n")
        done = self.init("--kill-after", "4s", "--", PYTHON, "live.py", str(port))
        written = self.read("mishap.yaml")
        self.assertIn("kind: service", written)
        self.assertIn(f"ready: port {port} ", written)
        self.assertIn("until: quiet 3s", written)
        self.assertIn("did not end by itself", done.stdout)
        self.assertEqual(self.mishap("lint").returncode, 0)
        # As it is written it can be judged.
        self.run_test("core/healthy", code=0)


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


class Unhealthy(Case):
    def test_the_starter_makes_the_control_well(self):
        client = ("--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py")
        done, _ = self.run_test("core/healthy", "--api", "booking", *client, code=1)
        self.assertIn("POST /v1/orders -> 404", done.stdout)
        self.assertIn("no route for POST /v1/orders; there are GET /v1/ping", done.stdout)
        self.assertIn("refused 404", done.stdout)
        starter = self.path("run/api.yaml")
        self.assertIn("mishap test core/healthy --env 'VENDOR_URL={url}' --api " + starter, done.stdout)
        self.assertEqual(self.mishap("lint", starter).returncode, 0)
        text = pathlib.Path(starter).read_text(encoding="utf-8")
        self.assertIn("external_id: {type: string}", text)
        self.assertNotIn("o-1", text, "no value of a body")
        shutil.copy(starter, self.path("api.yaml"))
        self.run_test("core/healthy", "--api", "api.yaml", *client, code=0)

    def test_a_refusal_is_told_with_its_reason(self):
        self.write("strict.yaml", "mishap: 1\napi: strict\nresources:\n  orders:\n    path: /v1/orders\n"
                                  "    schema: {type: object, required: [sku]}\n")
        self.write("closed.yaml", "mishap: 1\napi: closed\nany_path: true\nauth: {bearer: required}\n")
        client = ("--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py")
        done, _ = self.run_test("core/healthy", "--api", "strict.yaml", *client, code=1)
        self.assertRegex(done.stdout, r"-> 422\n\s+.*sku")
        done, _ = self.run_test("core/healthy", "--api", "closed.yaml", *client, code=1)
        self.assertRegex(done.stdout, r"-> 401\n\s+a bearer token is needed")

    def test_a_wrong_base_url_lets_one_run_leave(self):
        """Whatever the options: where no request arrives, the client was started once."""
        elsewhere = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(elsewhere.close)
        url = f"http://127.0.0.1:{elsewhere.getsockname()[1]}"
        client = ("--", PYTHON, "sync.py")
        runs = [("core", "--jobs", "8", "--env", f"VENDOR_URL={url}", *client),
                ("core", "--jobs", "1", "--env", f"VENDOR_URL={url}", *client),
                ("core", "--jobs", "8")]
        self.write("mishap.yaml", "mishap: 1\njobs: 8\npromise: b2b\n"
                                  f"client: {{command: [{PYTHON}, sync.py], env: {{VENDOR_URL: '{url}'}}}}\n")
        for number, run in enumerate(runs, 1):
            extra = () if "--" not in run else ("--no-project",)
            done, _ = self.run_test(*extra, *run, code=2)
            self.assertEqual(len(self.starts()), number, run)
            self.assertIn("sent no request", done.stdout)
            self.assertIn("--env VENDOR_URL={url}", done.stdout)


def main():
    arguments = sys.argv[1:]
    at = arguments.index("--mishap")
    GIVEN["mishap"] = arguments[at + 1]
    del arguments[at:at + 2]
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)


if __name__ == "__main__":
    main()
