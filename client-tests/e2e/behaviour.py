#!/usr/bin/env python3
"""mishap as its users run it: exit codes, what is left behind, stored runs, serve, lint.

Usage: behaviour.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
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
import time
import unittest

GIVEN = {}


def mishap(*arguments, timeout=120, cwd=None, env=None):
    return subprocess.run([GIVEN["mishap"], *arguments], capture_output=True, text=True, timeout=timeout, cwd=cwd,
                          env={**os.environ, **(env or {})})


def processes_with(text):
    """Pids whose command line holds the text."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mishap-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        pathlib.Path(self.path(name)).write_text(text, encoding="utf-8")
        return self.path(name)

    def run_core(self, *client, options=(), targets=("core",), timeout=120):
        done = mishap("test", *targets, *options, "--out", self.path("run"), "--", *client, timeout=timeout)
        report = pathlib.Path(self.path("run"), "report.json")
        return done, json.loads(report.read_text(encoding="utf-8")) if report.is_file() else None


class ExitCodes(Case):
    """Each ends by itself within 40 s and leaves nothing running."""

    def test_a_client_that_does_nothing_is_inconclusive(self):
        done, _ = self.run_core("true", timeout=40)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("sent no request", done.stdout)

    def test_a_client_that_fails_without_a_request_is_inconclusive(self):
        done, _ = self.run_core("false", timeout=40)
        self.assertEqual(done.returncode, 2, done.stdout)

    def test_a_client_that_is_not_there_is_a_usage_error(self):
        done, report = self.run_core("/no/such", timeout=40)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("/no/such", done.stderr)
        self.assertIsNone(report)

    def test_a_client_that_sleeps_is_inconclusive_and_said_never_to_end(self):
        done, _ = self.run_core("sleep", "1013", timeout=40)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("did not end", done.stdout)
        self.assertEqual(processes_with("sleep 1013"), [])

    def test_a_busy_loop_is_inconclusive(self):
        done, _ = self.run_core("sh", "-c", "while :; do :; done # 1014", timeout=40)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(processes_with("done # 1014"), [])

    def test_a_client_that_calls_and_never_ends_fails(self):
        done, _ = self.run_core("sh", "-c", "curl -s $MISHAP_URL/v1/x >/dev/null; sleep 1015", timeout=40)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("kind: service", done.stdout)
        self.assertEqual(processes_with("sleep 1015"), [])

    def test_a_grandchild_in_a_session_of_its_own_is_ended(self):
        done, _ = self.run_core("sh", "-c", "setsid sleep 1016 & exit 0", timeout=40)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(processes_with("sleep 1016"), [])

    def test_output_that_cannot_be_written_is_no_pass(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([GIVEN["mishap"], "list", "checks"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=20)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("could not be written", done.stderr)

    def test_a_reader_that_leaves_early_is_no_error(self):
        with subprocess.Popen([GIVEN["mishap"], "list", "scenarios"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as lists:
            lists.stdout.close()
            self.assertEqual(lists.stderr.read(), b"")
            self.assertIn(lists.wait(timeout=20), (0, -signal.SIGPIPE))

    def test_ctrl_c_and_a_closed_terminal_end_the_client_and_say_so(self):
        for how in (signal.SIGINT, signal.SIGHUP):
            with self.subTest(how=how):
                shutil.rmtree(self.path("run"), ignore_errors=True)
                self.interrupt(how)

    def interrupt(self, how):
        process = subprocess.Popen([GIVEN["mishap"], "test", "core", "--out", self.path("run"), "--", "sleep", "1017"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        # mishap's own command line holds the words as well.
        while not set(processes_with("sleep 1017")) - {process.pid} and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(how)
        out, _ = process.communicate(timeout=20)
        self.assertIn("interrupted", out)
        self.assertEqual(list(pathlib.Path(self.path("run")).glob("work-*")), [])
        self.assertNotEqual(process.returncode, 0)
        left = [pid for pid in processes_with("sleep 1017")]
        self.assertEqual(left, [])

    def test_a_folder_that_cannot_be_made_is_a_usage_error(self):
        file = self.write("file", "x")
        done = mishap("test", "core/healthy", "--out", file + "/run", "--", "true")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("--out", done.stderr)

    def test_no_client_is_a_usage_error(self):
        done = mishap("test", "core")
        self.assertEqual(done.returncode, 3)
        self.assertIn("--", done.stderr)


class Newcomer(Case):
    """What product.md promises to somebody who only has a client."""

    def test_a_client_that_goes_elsewhere_is_told_where(self):
        elsewhere = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(elsewhere.close)
        port = elsewhere.getsockname()[1]
        script = f"import socket, time; s = socket.create_connection(('127.0.0.1', {port})); time.sleep(1)"
        done, _ = self.run_core("/usr/bin/python3", "-c", script, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"127.0.0.1:{port}", done.stdout)

    def test_templates_reach_the_client(self):
        done, report = self.run_core("curl", "-s", "-o", "{state}/answer", "{url}/v1/things?copy={copy}&s={scenario}",
                                     targets=("core/healthy",))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(report["verdict"], "pass")

    def test_env_carries_the_url_under_another_name(self):
        done, _ = self.run_core("sh", "-c", 'curl -sf "$VENDOR_URL/v1/things" >/dev/null', targets=("core/healthy",),
                                options=("--env", "VENDOR_URL={url}"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_pack_can_be_aimed_at_another_vendor(self):
        aim = ("--api", "booking", "--set", "create=POST /v1/bookings", "--set", "read=GET /v1/products", "--jobs", "16")
        done, report = self.run_core(GIVEN["booking"], options=(*aim, "--promise", "attempt_timeout=1s", "--promise",
                                                                "deadline=12s", "--promise", "retries=declared"))
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        self.assertEqual({case["verdict"] for case in report["cases"]}, {"pass"})

    def test_a_parameter_that_no_scenario_has_is_refused(self):
        done, _ = self.run_core(GIVEN["booking"], options=("--set", "creat=POST /x"))
        self.assertEqual(done.returncode, 3)
        self.assertIn('did you mean "create"?', done.stderr)

    def test_what_cannot_be_is_refused_before_anything_runs(self):
        for options, says in ((("--seed", "-1"), "is no seed"), (("--seed", "99999999999999999999"), "is no seed"),
                              (("--report", "json=" + self.path("no/such/x.json")), "there is no folder"),
                              (("--report", "json="), "no file is named")):
            done, _ = self.run_core("touch", self.path("started"), options=options)
            self.assertEqual(done.returncode, 3, options)
            self.assertIn(says, done.stderr)
            self.assertFalse(pathlib.Path(self.path("started")).exists())

    def test_a_template_without_a_value_is_refused(self):
        done, _ = self.run_core("curl", "{ca}")
        self.assertEqual(done.returncode, 3)
        self.assertIn("{ca}", done.stderr)


class StoredRuns(Case):
    def setUp(self):
        super().setUp()
        self.done, self.report = self.run_core(
            GIVEN["booking"], "--wrong", "fresh-key-resend", targets=("core/response-lost-after-create", "core/healthy"),
            options=("--promise", "attempt_timeout=1s"))

    def test_the_wrong_client_failed(self):
        self.assertEqual(self.done.returncode, 1, self.done.stdout)
        self.assertIn("no_duplicate_effects", self.done.stdout)
        self.assertIn("Change:", self.done.stdout)

    def test_judge_is_byte_identical(self):
        again = mishap("judge", self.path("run"), "--format", "json")
        self.assertEqual(again.returncode, 1)
        self.assertEqual(again.stderr, "")
        self.assertEqual(again.stdout.encode(), pathlib.Path(self.path("run"), "verdict.json").read_bytes())

    def test_a_pipe_in_the_place_of_the_stored_verdict_is_not_waited_for(self):
        stored = pathlib.Path(self.path("run"), "verdict.json")
        stored.unlink()
        os.mkfifo(stored)
        self.assertEqual(mishap("judge", self.path("run"), timeout=20).returncode, 1)

    def test_the_report_keeps_its_schema(self):
        import jsonschema
        schema = json.loads(mishap("schema", "report").stdout)
        jsonschema.Draft7Validator({**schema, "$schema": "http://json-schema.org/draft-07/schema#"}).validate(self.report)

    def test_junit_counts_the_fail(self):
        import xml.etree.ElementTree as tree
        root = tree.parse(self.path("run") + "/report.xml").getroot()
        self.assertEqual(root.get("failures"), "1")
        self.assertEqual(len(root.findall(".//failure")), 1)

    def test_the_token_is_nowhere_in_the_folder(self):
        for path in pathlib.Path(self.path("run")).rglob("*"):
            if path.is_file():
                self.assertIsNone(re.search(rb"mishap_[A-Za-z0-9]{32}", path.read_bytes()), path)

    def test_a_damaged_run_is_refused_with_its_place(self):
        victim = next(pathlib.Path(self.path("run")).rglob("journal.jsonl"))
        victim.write_text("{broken\n", encoding="utf-8")
        done = mishap("judge", self.path("run"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("journal.jsonl", done.stderr)


class Serve(Case):
    def start(self, *arguments):
        self.process = subprocess.Popen([GIVEN["mishap"], "serve", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.process.kill)
        line = self.process.stdout.readline()
        found = re.match(r"ready http://127\.0\.0\.1:(\d+)", line)
        self.assertIsNotNone(found, line)
        self.connection = http.client.HTTPConnection("127.0.0.1", int(found.group(1)), timeout=10)
        return self.connection

    def stop(self):
        self.connection.close()
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=20)
        self.assertEqual(self.process.returncode, 0, err)
        return out

    def test_a_vendor_with_state(self):
        connection = self.start("booking")
        connection.request("POST", "/v1/bookings", json.dumps({"reference": "r-1", "product": "p"}),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        created = json.loads(answer.read())
        self.assertEqual(answer.status, 201)
        connection.request("GET", "/v1/bookings?reference=r-1")
        listed = json.loads(connection.getresponse().read())
        self.assertEqual([item["id"] for item in listed["items"]], [created["id"]])
        connection.request("GET", "/v1/bookngs")
        missing = connection.getresponse()
        self.assertEqual(missing.status, 404)
        self.assertIn("/v1/bookings", missing.read().decode())
        out = self.stop()
        self.assertIn("POST /v1/bookings", out)
        self.assertIn(created["id"], out)
        self.assertIn("1 effect\n", out)

    def test_a_quick_fault(self):
        connection = self.start("any", "--fault", "POST /orders response_lost attempt=1")
        connection.request("POST", "/orders", "{}", {"Content-Type": "application/json"})
        with self.assertRaises((ConnectionResetError, http.client.RemoteDisconnected)):
            connection.getresponse()
        self.assertIn("no byte of an answer", self.stop())

    def test_a_head_over_the_limit_is_refused_without_a_body(self):
        self.start("any")
        with socket.create_connection(("127.0.0.1", self.connection.port), timeout=10) as raw:
            raw.sendall(b"HEAD /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = b"".join(iter(lambda: raw.recv(4096), b""))
        self.assertTrue(answer.startswith(b"HTTP/1.1 414 "), answer[:80])
        self.assertEqual(answer.partition(b"\r\n\r\n")[2], b"")
        self.stop()

    def test_a_wrong_name_is_helped(self):
        done = mishap("serve", "bookng")
        self.assertEqual(done.returncode, 3)
        self.assertIn("booking", done.stderr)


class Catalogues(Case):
    def test_everything_listed_can_be_explained(self):
        for what in ("faults", "points", "checks", "scenarios", "apis", "profiles"):
            listed = mishap("list", what)
            self.assertEqual(listed.returncode, 0)
            names = [line.split()[0] for line in listed.stdout.splitlines()]
            self.assertGreater(len(names), 1)
            for name in names:
                explained = mishap("explain", name)
                self.assertEqual(explained.returncode, 0, name)
                self.assertGreater(len(explained.stdout), 50, name)

    def test_a_point_names_the_faults_that_can_be_there(self):
        explained = mishap("explain", "handshake").stdout
        faults = explained[explained.index("faults"):].split()[1:]
        self.assertIn("certificate,", faults)
        self.assertIn("do: close", explained)
        self.assertNotIn("garbage", explained)
        done = mishap("explain", "handshak")
        self.assertEqual(done.returncode, 3)
        self.assertIn('did you mean "handshake"?', done.stderr)

    def test_the_shipped_pack_is_clean(self):
        done = mishap("lint", "core")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("0 errors, 0 warnings", done.stdout)

    def test_the_schema_takes_every_shipped_scenario(self):
        import jsonschema
        import yaml
        schema = json.loads(mishap("schema", "scenario").stdout)
        validator = jsonschema.Draft202012Validator(schema)
        for line in mishap("list", "scenarios").stdout.splitlines():
            document = yaml.safe_load(mishap("explain", line.split()[0]).stdout)
            # YAML 1.1 readers turn `on` into true; mishap's own reader does not.
            self.assertEqual([e.message for e in validator.iter_errors(repair(document))], [], line)


def repair(value):
    if isinstance(value, dict):
        return {("on" if key is True else key): repair(member) for key, member in value.items()}
    return [repair(item) for item in value] if isinstance(value, list) else value


class Determinism(Case):
    def decisions(self, seed, name):
        """All that does not hang on the machine's speed: rules, draws, identities, bytes sent."""
        scenario = self.write("chance.yaml", "mishap: 1\nscenario: chance\napi: any\nfaults:\n"
                              "  - {on: any, when: {rate: 30%}, fault: {kind: status, code: 500}}\n")
        script = "for i in $(seq 1 200); do echo \"url = $MISHAP_URL/v1/things/$i\"; echo 'output = /dev/null'; done | curl -s -K -"
        done = mishap("test", scenario, "--seed", str(seed), "--out", self.path(name), "--", "sh", "-c", script)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        journal = next(p for p in pathlib.Path(self.path(name)).rglob("journal.jsonl") if "chance" in str(p.parent))
        kept = []
        for line in journal.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record.get("kind") == "exchange":
                kept.append((record["number"], record["rules"], record["identity"], record["answer"]["status"],
                             record["receipt"]["bytes_hash"]))
        return kept

    def test_equal_seed_equal_choices(self):
        first = self.decisions(11, "a")
        self.assertEqual(first, self.decisions(11, "b"))
        self.assertEqual(len(first), 200)
        spoiled = sum(1 for record in first if record[3] == 500)
        self.assertTrue(30 <= spoiled <= 90, spoiled)
        self.assertNotEqual(first, self.decisions(12, "c"))


def main():
    arguments = sys.argv[1:]
    for option in ("mishap", "booking", "clients"):
        at = arguments.index("--" + option)
        GIVEN[option] = arguments[at + 1]
        del arguments[at:at + 2]
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)


if __name__ == "__main__":
    main()
