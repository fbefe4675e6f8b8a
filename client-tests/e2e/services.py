#!/usr/bin/env python3
"""Services as clients: what docs/examples says, run as it stands there.
Usage: services.py --mishap FILE [unittest arguments]"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from behaviour import processes_with

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"
GIVEN = {}


def until(condition, patience=20):
    deadline = time.monotonic() + patience
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


class Example(unittest.TestCase):
    folder = None  # of docs/examples, or one of its own

    def setUp(self):
        self.runs = pathlib.Path(tempfile.mkdtemp(prefix="mishap-e2e-"))
        self.addCleanup(shutil.rmtree, self.runs, ignore_errors=True)

    def play(self, *arguments, timeout=120):
        done = subprocess.run([GIVEN["mishap"], "test", *arguments, "--out", str(self.runs / "run")], text=True,
                              cwd=EXAMPLES / self.folder, capture_output=True, timeout=timeout)
        report = self.runs / "run" / "report.json"
        return done, json.loads(report.read_text(encoding="utf-8")) if report.is_file() else None

    def verdicts(self, report):
        return {case["scenario"]: case["verdict"] for case in report["cases"]}

    def failed_checks(self, report):
        return {finding["check"] for case in report["cases"] for finding in case["findings"] if finding["ruling"] == "fail"}

    def write(self, name, text):
        (self.runs / name).write_text(text, encoding="utf-8")
        return str(self.runs / name)


class NodeService(Example):
    folder = "node-service"

    def setUp(self):
        super().setUp()
        self.assertIsNotNone(shutil.which("node"), "node is missing (scripts/setup test installs it)")

    def test_a_right_one_passes(self):
        done, report = self.play(".")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.verdicts(report), {"healthy": "pass", "lost-answer": "pass", "wait-two-seconds": "pass"})

    def test_one_without_keys_books_twice(self):
        done, report = self.play(".", "--env", "KEYS=off")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(self.verdicts(report)["lost-answer"], "fail")
        self.assertIn("no_duplicate_effects", self.failed_checks(report))

    def test_one_that_cannot_start_says_why(self):
        scenario = self.write("broken.yaml", "mishap: 1\nscenario: broken\napi: booking\nclient:\n  kind: service\n"
                              "  command: [node, no-such-file.js]\n  ready: port {free_port}\n  until: quiet 1s\n")
        done, _ = self.play(scenario)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("before it could act", done.stdout)
        self.assertIn("no-such-file.js", done.stdout)


class ExpressJest(Example):
    """The commonest service there is, driven by its own Jest suite: a copy of the example with what it is built on."""

    @classmethod
    def setUpClass(cls):
        assert shutil.which("npm"), "npm is missing (scripts/setup test installs it)"
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="mishap-express-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "express-jest", cls.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"], cwd=cls.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
        assert done.returncode == 0, done.stdout

    def test_a_right_one_passes(self):
        done, report = self.play()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.verdicts(report), {"healthy": "pass", "lost-answer": "pass", "busy": "pass", "refused": "pass"})

    def test_a_fresh_key_for_each_attempt_books_twice(self):
        done, report = self.play("--env", "KEYS=off")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(self.verdicts(report)["lost-answer"], "fail")
        self.assertIn("no_duplicate_effects", self.failed_checks(report))


class PythonWorker(Example):
    folder = "python-worker"

    def test_a_right_one_passes(self):
        done, report = self.play("lost-answer.yaml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.verdicts(report), {"lost-answer": "pass"})

    def test_one_without_keys_books_twice(self):
        done, report = self.play("lost-answer.yaml", "--env", "KEYS=off")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("no_duplicate_effects", self.failed_checks(report))


class CommandLine(Example):
    folder = "."

    def test_a_scenario_that_names_its_client_needs_none_behind_the_dashes(self):
        scenario = self.write("own.yaml", "mishap: 1\nscenario: own\napi: booking\n"
                              "client: {command: \"curl -sf $MISHAP_URL/v1/ping > /dev/null\"}\n")
        done, report = self.play(scenario)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(report["cases"][0]["verdict"], "pass")
        again = next(line for line in done.stdout.splitlines() if line.startswith("again"))
        self.assertNotIn(" --", again.replace(" --seed", ""))

    def test_a_mishap_that_is_killed_takes_its_client_along(self):
        process = subprocess.Popen([GIVEN["mishap"], "test", "core/healthy", "--out", str(self.runs / "run"), "--", "sleep", "1032"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        clients = lambda: set(processes_with("sleep 1032")) - {process.pid}
        self.assertTrue(until(clients), "the client was not started")
        process.kill()
        process.wait(timeout=20)
        self.assertTrue(until(lambda: not clients()), "the client runs on")

    def test_a_worker_may_start_slowly(self):
        """Longer than the silence that it is judged by: before its first request that means nothing."""
        worker = self.write("worker.py", "\n".join([
            "import os, time, urllib.request", "time.sleep(6)", "while True:",
            "    urllib.request.urlopen(os.environ['MISHAP_URL'] + '/jobs').read()", "    time.sleep(0.2)", ""]))
        scenario = self.write("slow.yaml", "mishap: 1\nscenario: slow\napi: any\n"
                              f"client: {{kind: service, command: python3 {worker}, until: quiet 1s}}\n")
        done, report = self.play(scenario)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.verdicts(report), {"slow": "pass"})

    def test_without_any_client_it_is_a_usage_error(self):
        done, _ = self.play("core/healthy")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no client given", done.stderr)

    def test_a_service_that_calls_nobody_is_stopped_after_the_control(self):
        """Whatever else it may call: one run of it, and no second."""
        count = self.runs / "count"
        scenario = "\n".join([
            "mishap: 1", "scenario: elsewhere", "api: booking", "client:", "  kind: service",
            f"  command: \"echo x >> {count}; echo up; exec sleep 1031\"", "  ready: log up", "  drive: 'true'", ""])
        first, second = self.write("a.yaml", scenario), self.write("b.yaml", scenario.replace("elsewhere", "other"))
        done, _ = self.play(first, second)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("the service sent no request", done.stdout)
        self.assertEqual(count.read_text(encoding="utf-8"), "x\n")


def main():
    arguments = sys.argv[1:]
    at = arguments.index("--mishap")
    GIVEN["mishap"] = os.path.abspath(arguments[at + 1])
    del arguments[at:at + 2]
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)


if __name__ == "__main__":
    main()
