#!/usr/bin/env python3
"""mishap observe: what it measures is what the client was told to do, and can be promised.

Usage: observe.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import json
import pathlib

import behaviour
from behaviour import GIVEN, Case, mishap


class Observing(Case):
    def observe(self, *client, timeout=240):
        done = mishap("observe", "--json", "--no-project", "--seed", "7", "--out", self.path("run"), "--", *client,
                      timeout=timeout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def attempts(self, seen):
        return {(row["failure"], row["method"]): row for row in seen["attempts"]}

    def most(self, seen):
        return {key: row["most"] for key, row in self.attempts(seen).items()}


class RightClient(Observing):
    """Its numbers are those of its flags; what it is seen to do, it keeps."""

    FLAGS = ["--max-attempts", "4", "--attempt-timeout", "700ms", "--base", "300ms", "--max-delay", "900ms"]

    def test_the_numbers_are_those_that_it_was_given(self):
        seen = self.observe(GIVEN["booking"], *self.FLAGS)
        most = self.most(seen)
        for failure in ("503", "429", "reset", "no answer"):
            for method in ("POST", "GET"):
                self.assertEqual(most[(failure, method)], 4, f"{failure} {method}: {seen['attempts']}")
        self.assertEqual(most[("400", "POST")], 1)
        self.assertEqual(most[("400", "GET")], 1)
        self.assertFalse(any(row["stopped"] or row["uncertain"] for row in seen["attempts"]))
        self.assertAlmostEqual(seen["attempt_timeout"]["median"], 0.7, delta=0.1)
        self.assertEqual(seen["backoff"]["calls"], 30)
        self.assertTrue(seen["backoff"]["jitter"])
        self.assertLessEqual(seen["backoff"]["longest"], 1.0)
        self.assertIsNone(seen["backoff"]["layers"])
        self.assertGreater(seen["retry_after"]["waited"], 0)
        self.assertEqual(seen["retry_after"]["early"], 0)
        self.assertEqual(seen["keys"]["with_key"], 3)
        self.assertEqual(seen["keys"]["stable"], seen["keys"]["repeated"])
        self.assertEqual(seen["refused"], {"connects": 20, "calls": 5})
        self.calibrated()
        self.promise_is_kept(seen)

    def calibrated(self):
        """Beside thirty copies of the client as many of the built-in one were seen to wait 250 ms each."""
        folder = next(pathlib.Path(self.path("run")).glob("many-creates*"))
        calibration = json.loads((folder / "recording.json").read_text(encoding="utf-8"))["calibration"]
        self.assertEqual(calibration["copies"], 30)
        self.assertEqual(len(calibration["gaps"]), 90)
        self.assertGreaterEqual(min(calibration["gaps"]), 240_000_000)

    def promise_is_kept(self, seen):
        command = json.dumps([GIVEN["booking"], *self.FLAGS])
        self.write("mishap.yaml", f"mishap: 1\nclient:\n  command: {command}\n{seen['promise']}")
        self.assertIn("max_attempts: 4", seen["promise"])
        linted = mishap("lint", cwd=self.folder)
        self.assertEqual(linted.returncode, 0, linted.stdout + linted.stderr)
        done = mishap("test", "core", "--reruns", "6", "--out", self.path("kept"), cwd=self.folder, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("4 attempts", done.stdout)

    def test_a_deadline_lies_between_what_was_seen(self):
        seen = self.observe(GIVEN["booking"], "--deadline", "8s", "--creates", "1", "--reads", "0")
        self.assertLessEqual(seen["deadline"]["at_least"], 8)
        self.assertGreaterEqual(seen["deadline"]["at_most"], 6)
        self.assertIn("deadline:", seen["promise"])
        self.assertNotIn(("503", "GET"), self.most(seen))


class Specimens(Observing):
    """Libraries as people use them."""

    def test_urllib3_retries_reads_alone(self):
        seen = self.observe("/usr/bin/python3", GIVEN["clients"] + "/requests_client.py", "--creates", "1", "--reads",
                            "1", "--retries", "3", "--backoff", "0.2", "--timeout", "0.5")
        most = self.most(seen)
        # Its first retry comes at once: on the connection that the create has used before, after a reset without a byte, that
        # is the transport's resend and no attempt of the policy.
        for failure, attempts in {"503": 4, "429": 4, "no answer": 4, "reset": 3}.items():
            self.assertEqual(most[(failure, "GET")], attempts, seen["attempts"])
            self.assertEqual(most[(failure, "POST")], 1, seen["attempts"])
        backoff = seen["backoff"]
        self.assertEqual(backoff["method"], "GET")
        self.assertTrue(backoff["first_at_once"])
        self.assertTrue(backoff["grows"])
        self.assertAlmostEqual(backoff["multiplier"], 2, delta=0.3)
        self.assertFalse(backoff["jitter"])
        self.assertEqual(seen["keys"]["with_key"], 0)
        self.assertEqual(seen["refused"]["connects"], 4)

    def test_curl_retries_what_it_was_told_and_waits_without_jitter(self):
        seen = self.observe("sh", GIVEN["clients"] + "/curl_client.sh", "--retry", "3")
        most = self.most(seen)
        self.assertEqual(most[("503", "POST")], 4, seen["attempts"])
        self.assertEqual(most[("429", "POST")], 4, seen["attempts"])
        self.assertEqual(most[("reset", "POST")], 1, seen["attempts"])
        self.assertEqual(most[("400", "POST")], 1, seen["attempts"])
        self.assertNotIn(("503", "GET"), most)
        backoff = seen["backoff"]
        self.assertAlmostEqual(backoff["multiplier"], 2, delta=0.2)
        self.assertFalse(backoff["jitter"])
        self.assertAlmostEqual(seen["attempt_timeout"]["median"], 2, delta=0.2)


class Little(Observing):
    """Where nothing can be seen nothing is said."""

    def test_a_client_without_a_timeout_is_ended_and_said_to_have_none(self):
        seen = self.observe("curl", "-s", "-o", "{state}/x", "{url}/v1/products")
        self.assertIsNone(seen["attempt_timeout"])
        self.assertGreater(seen["no_timeout_within"], 20)
        self.assertIn("# attempt_timeout: not seen", seen["promise"])
        self.assertIn("retries: none", seen["promise"])
        self.assertIsNone(seen["backoff"])
        self.assertEqual(seen["keys"]["creates"], 0)

    def test_a_client_that_sends_nothing_is_not_observed(self):
        done = mishap("observe", "--out", self.path("run"), "--", "true")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("nothing was observed", done.stderr)

    def test_a_client_that_is_killed_on_the_good_day_is_not_observed(self):
        done = mishap("observe", "--no-project", "--out", self.path("run"), "--", "sh", "-c",
                      "curl -s -o /dev/null $MISHAP_URL/v1/x; kill -9 $$")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("ended by signal 9", done.stdout)
        self.assertNotIn("attempts", done.stdout)
        self.assertIn("nothing was observed", done.stderr)

    def test_usage(self):
        self.assertEqual(mishap("observe").returncode, 3)
        self.assertEqual(mishap("observe", "--kill-after", "5", "--", "true").returncode, 3)
        self.assertEqual(mishap("observe", "--env", "X", "--", "true").returncode, 3)


if __name__ == "__main__":
    behaviour.main()
