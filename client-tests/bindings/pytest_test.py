#!/usr/bin/python3
"""The pytest plugin, tried on test-suites with a client that is right and one that is wrong."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent

CLIENT = '''
import http.client, json, time, urllib.parse, urllib.request, urllib.error
LOST = "POST /v1/bookings response_lost attempt=1"

def book(url, reference, key=None, attempts=3):
    for attempt in range(attempts):
        if attempt:
            time.sleep(0.15 * 2 ** attempt)
        request = urllib.request.Request(url + "/v1/bookings", method="POST",
                                         data=json.dumps({"reference": reference, "product": "prod_1"}).encode())
        request.add_header("Content-Type", "application/json")
        if key:
            request.add_header("Idempotency-Key", key)
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            pass
'''


class Plugin(unittest.TestCase):
    def pytest(self, tests, *options, env=None, ini=""):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "conftest.py").write_text('pytest_plugins = ["mishap_pytest"]\n')
            (root / "pytest.ini").write_text("[pytest]\n" + ini)
            (root / "test_it.py").write_text("import pytest\n" + CLIENT + tests)
            return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options], cwd=root,
                                  env={**os.environ, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", **(env or {})},
                                  capture_output=True, text=True, timeout=120)

    def assert_counts(self, done, text):
        self.assertIn(text, done.stdout.splitlines()[-1], done.stdout + done.stderr)

    def test_a_right_client_passes(self):
        done = self.pytest('''
def test_books_once(mishap):
    with mishap.run(LOST, api="booking", require=["no_duplicate_effects"]) as api:
        booking = book(api.url, "r-1", "k-1")
        api.outcome("r-1", "succeeded", id=booking["id"])
        assert api.requests() == 2
    assert api.report["verdict"] == "pass"

@pytest.mark.mishap(LOST, api="booking")
def test_with_a_marker(mishap_api):
    book(mishap_api.url, "r-1", "k-1")
''')
        self.assert_counts(done, "2 passed")

    def test_a_wrong_client_fails_with_the_report(self):
        done = self.pytest('''
def test_books_twice(mishap):
    with mishap.run(LOST, api="booking") as api:
        book(api.url, "r-1")

def test_lies(mishap):
    with mishap.run(LOST, api="booking") as api:
        book(api.url, "r-1", "k-1")
        api.outcome("r-1", "failed")

@pytest.mark.mishap(LOST, api="booking")
def test_with_a_marker(mishap_api):
    book(mishap_api.url, "r-1")
''')
        self.assert_counts(done, "2 failed, 1 passed, 1 error")
        self.assertIn("2 bookings for one operation", done.stdout)
        self.assertIn("outcome_truthful", done.stdout)
        self.assertIn("test_books_twice", done.stdout)

    def test_a_client_that_gives_up_is_judged_by_its_silence(self):
        tests = '''
BUSY = "POST /v1/bookings status code=503 attempt=1"

def test_gives_up(mishap):
    with mishap.run(BUSY, api="booking", promise={"retries": "declared"}, background=%s) as api:
        assert book(api.url, "r-1", "k-1", attempts=1) is None
'''
        done = self.pytest(tests % False)
        self.assert_counts(done, "1 failed")
        self.assertIn("recovers_from_transient", done.stdout)
        done = self.pytest(tests % True)
        self.assertIn("inconclusive", done.stdout)
        self.assert_counts(done, "1 failed")

    def test_inconclusive_fails_by_default_and_as_the_project_says(self):
        tests = '''
def test_calls_nothing(mishap):
    with mishap.run(LOST, api="booking"):
        pass
'''
        done = self.pytest(tests)
        self.assert_counts(done, "1 failed")
        self.assertIn("no request came", done.stdout)
        self.assert_counts(self.pytest(tests, ini="mishap_inconclusive = skip\n"), "1 skipped")
        self.assert_counts(self.pytest(tests, ini="mishap_inconclusive = pass\n"), "1 passed")
        self.assertIn("mishap_inconclusive is", self.pytest(tests, ini="mishap_inconclusive = maybe\n").stdout)

    def test_checks_may_be_ignored_and_are_known_by_name(self):
        done = self.pytest('''
def test_ignores(mishap):
    with mishap.run(LOST, api="booking", ignore=["no_duplicate_effects", "no_blind_retry_of_unsafe"]) as api:
        book(api.url, "r-1")
        api.outcome("r-1", "succeeded")

def test_misspelt(mishap):
    with mishap.run(LOST, api="booking", ignore=["no_duplicate_efects"]) as api:
        pass
''')
        self.assert_counts(done, "1 failed, 1 passed")
        self.assertIn('did you mean "no_duplicate_effects"?', done.stdout)

    def test_a_healthy_run_is_a_control(self):
        done = self.pytest('''
def test_with_control(mishap):
    with mishap.run(api="booking") as healthy:
        book(healthy.url, "r-1", "k-1")
    with mishap.run(LOST, api="booking", control=healthy) as api:
        book(api.url, "r-1", "k-1")
    assert api.report["controls"][0]["verdict"] == "pass"
''')
        self.assert_counts(done, "1 passed")

    def test_an_error_of_the_test_stays_what_it_is(self):
        done = self.pytest('''
def test_breaks(mishap):
    with pytest.raises(KeyError) as caught:
        with mishap.run(LOST, api="booking") as api:
            book(api.url, "r-1")
            raise KeyError("mine")
    assert any("2 bookings" in note for note in getattr(caught.value, "__notes__", ["2 bookings"]))
''')
        self.assert_counts(done, "1 passed")

    def test_a_missing_binary_is_said(self):
        done = self.pytest("def test_x(mishap): pass\n", env={"MISHAP_BIN": "/no/such/mishap"})
        self.assert_counts(done, "1 error")
        self.assertIn("cannot start /no/such/mishap", done.stdout)

    def test_the_server_ends_with_pytest_however_that_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "conftest.py").write_text('pytest_plugins = ["mishap_pytest"]\n')
            (root / "test_it.py").write_text(
                "import pathlib, signal\n"
                "def test_hangs(mishap):\n"
                f"    pathlib.Path({str(root / 'url')!r}).write_text(mishap._control.url)\n"
                "    signal.pause()\n")
            process = subprocess.Popen([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=root,
                                       env={**os.environ, "PYTHONPATH": str(HERE)}, stdout=subprocess.DEVNULL)
            try:
                url = self.wait_for(lambda: (root / "url").is_file() and (root / "url").read_text())
                port = int(url.rsplit(":", 1)[1])
                self.assertTrue(listens(port))
                process.send_signal(signal.SIGKILL)
                process.wait()
                self.wait_for(lambda: not listens(port))
            finally:
                process.kill()
                process.wait()

    def wait_for(self, condition):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.02)
        self.fail("it did not come to be")


def listens(port):
    import socket
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    unittest.main(verbosity=2)
