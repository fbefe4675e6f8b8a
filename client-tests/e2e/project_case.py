"""What the tests of projects share: a folder, a client in it, and `mishap` run there."""

import json
import os
import pathlib
import shutil
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


def main():
    arguments = sys.argv[1:]
    at = arguments.index("--mishap")
    GIVEN["mishap"] = arguments[at + 1]
    del arguments[at:at + 2]
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)
