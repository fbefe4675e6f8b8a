#!/usr/bin/env python3
"""A pipeline's view of mishap: known findings, tags, shards, what is run again.

Usage: ci.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as tree

GIVEN = {}
# Two of the core pack that the wrong client fails, and one that it passes.
TARGETS = ("core/response-lost-after-create", "core/healthy", "core/unavailable-once-create")
# Runner variables of the machine that runs these tests are not theirs.
RUNNERS = ("TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", "TEST_SHARD_STATUS_FILE", "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS",
           "CI_NODE_INDEX", "CI_NODE_TOTAL", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", "BUILDKITE_PARALLEL_JOB",
           "BUILDKITE_PARALLEL_JOB_COUNT")
SCENARIO = """mishap: 1
scenario: {name}
api: any
tags: [{tag}]
faults:
  - {{on: GET /v1/x, when: {{request: 1}}, fault: {{kind: status, code: 503}}}}
expect: {{attempts: {attempts}}}
"""
# Tries until it gets its answer.
PATIENT = ["sh", "-c", "for i in 1 2 3 4 5 6; do curl -sf -o /dev/null $MISHAP_URL/v1/x && exit 0; sleep 0.3; done; exit 1"]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mishap-ci-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def mishap(self, *arguments, env=None):
        clean = {name: value for name, value in os.environ.items() if name not in RUNNERS}
        return subprocess.run([GIVEN["mishap"], *arguments], capture_output=True, text=True, timeout=200,
                              cwd=self.folder, env={**clean, **(env or {})})

    def path(self, *names):
        return pathlib.Path(self.folder, *names)

    def write(self, name, text):
        self.path(name).parent.mkdir(exist_ok=True)
        self.path(name).write_text(text, encoding="utf-8")

    def pack(self, count, wrong=()):
        """A folder of scenarios; those in `wrong` ask for what the patient client does not do."""
        for i in range(count):
            attempts = "9" if i in wrong else "2"
            self.write(f"pack/s{i}.yaml", SCENARIO.format(name=f"s{i}", tag=f"tag{i % 3}", attempts=attempts))

    def report(self, done, name="report.json"):
        found = re.search(r"^run    (.*)$", done.stdout, re.M)
        self.assertIsNotNone(found, done.stdout + done.stderr)
        return json.loads(self.path(found.group(1), name).read_text(encoding="utf-8"))

    def names(self, done):
        return sorted(case["scenario"] for case in self.report(done)["cases"])

    def expect(self, done, code):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done


class KnownFindings(Case):
    def run_wrong(self, *options):
        return self.mishap("test", *TARGETS, *options, "--promise", "attempt_timeout=1s", "--", GIVEN["booking"],
                           "--wrong", "fresh-key-resend")

    def known(self):
        return self.path("mishap-known.yaml").read_text(encoding="utf-8")

    def test_ci_goes_green_with_the_fails_written_down(self):
        self.expect(self.run_wrong(), 1)
        written = self.expect(self.run_wrong("--write-known"), 0)
        self.assertIn("give each a reason", written.stdout)
        self.assertIn("scenario: core/response-lost-after-create", self.known())
        done = self.expect(self.run_wrong(), 0)
        self.assertIn("not counted", done.stdout)
        report = self.report(done)
        self.assertEqual(report["verdict"], "pass")
        self.assertEqual(report["causes"], [])
        self.assertIn("known", [case["verdict"] for case in report["cases"]])
        # Written again it stays as it is.
        before = self.known()
        self.expect(self.run_wrong("--write-known"), 0)
        self.assertEqual(self.known(), before)
        self.check_forms(done)

    def check_forms(self, done):
        run = re.search(r"^run    (.*)$", done.stdout, re.M).group(1)
        again = self.expect(self.mishap("judge", run, "--format", "json"), 0)
        self.assertEqual(again.stdout, self.path(run, "verdict.json").read_text(encoding="utf-8"))
        self.assertEqual(again.stderr, "")
        root = tree.parse(self.path(run, "report.xml")).getroot()
        self.assertEqual(root.get("failures"), "0")
        skipped = [case.find("skipped").get("message") for case in root.iter("testcase") if case.find("skipped") is not None]
        self.assertTrue(any("known until" in message for message in skipped), skipped)

    def test_a_day_that_is_over_fails_and_says_so(self):
        self.expect(self.run_wrong("--write-known"), 0)
        text = re.sub(r"until: \S+", "until: 2020-02-29", self.known())
        self.write("mishap-known.yaml", text)
        done = self.expect(self.run_wrong(), 1)
        self.assertIn("known until 2020-02-29", done.stdout)
        self.assertIn("since 2020-03-01 it fails again", done.stdout)

    def test_what_is_not_met_any_more_is_told_and_fails_where_asked(self):
        self.write("mishap-known.yaml", "known: [{scenario: core/healthy, check: baseline_healthy, reason: old, "
                                        "until: 2099-01-01}]\n")
        arguments = ("test", "core/healthy", "--", GIVEN["booking"])
        done = self.expect(self.mishap(*arguments), 0)
        self.assertIn("not met any more", done.stdout)
        self.assertEqual(self.report(done)["stale"][0]["reason"], "old")
        strict = self.expect(self.mishap("test", "core/healthy", "--strict-known", "--", GIVEN["booking"]), 1)
        run = re.search(r"^run    (.*)$", strict.stdout, re.M).group(1)
        self.expect(self.mishap("judge", run), 1)
        self.assertEqual(tree.parse(self.path(run, "report.xml")).getroot().get("failures"), "1")

    def test_a_list_that_is_wrong_starts_nothing(self):
        self.write("mishap-known.yaml", "known: [{scenario: core/healthy, check: no_duplicates_effects, reason: r, "
                                        "until: 2099-01-01}]\n")
        done = self.expect(self.mishap("test", "core/healthy", "--", "false"), 3)
        self.assertIn('did you mean "no_duplicate_effects"', done.stderr)
        self.assertIn("mishap-known.yaml:1:", done.stderr)
        self.assertFalse(self.path("mishap-runs").exists())


class Choosing(Case):
    def test_by_tag(self):
        self.pack(4)
        done = self.expect(self.mishap("test", "pack", "--tag", "tag0", "--", *PATIENT), 0)
        self.assertEqual(self.names(done), ["s0", "s3"])
        done = self.expect(self.mishap("test", "pack", "--tag", "not:tag0", "--", *PATIENT), 0)
        self.assertEqual(self.names(done), ["s1", "s2"])
        slip = self.expect(self.mishap("test", "pack", "--tag", "tga0", "--", *PATIENT), 3)
        self.assertIn('did you mean "tag0"', slip.stderr)

    def test_last_failed_runs_what_the_line_says(self):
        self.pack(4, wrong=(2,))
        nothing = self.expect(self.mishap("test", "pack", "--last-failed", "--", *PATIENT), 3)
        self.assertIn("no run of pack is stored", nothing.stderr)
        done = self.expect(self.mishap("test", "pack", "--", *PATIENT), 1)
        again = re.search(r"^again  (.*)$", done.stdout, re.M).group(1)
        self.assertIn("--last-failed", again)
        self.assertEqual(self.names(self.expect(self.repeat(again), 1)), ["s2"])
        self.pack(4)
        self.assertEqual(self.names(self.expect(self.repeat(again), 0)), ["s2"])
        self.assertIn("nothing failed", self.expect(self.repeat(again), 0).stdout)

    def repeat(self, line):
        command = line.replace("mishap", GIVEN["mishap"], 1)
        return subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=200, cwd=self.folder,
                              env={name: value for name, value in os.environ.items() if name not in RUNNERS})

    def test_what_is_compared_comes_along(self):
        done = self.expect(self.mishap("test", "core/retry-after-seconds", "--out", "first", "--", GIVEN["booking"],
                                       "--wrong", "ignores-retry-after"), 1)
        again = self.mishap("test", "core/retry-after-seconds", "--last-failed=first", "--", GIVEN["booking"])
        self.assertEqual(self.names(self.expect(again, 0)), ["retry-after-seconds", "too-many-requests-bare"])
        self.assertNotIn("--last-failed", done.stdout)  # a run elsewhere is not found without its name


class Shards(Case):
    def shard(self, text, *options):
        return self.mishap("test", "pack", "--shard", text, "--seed", "7", *options, "--", *PATIENT)

    def test_cover_everything_exactly_once(self):
        self.pack(7)
        for total in range(1, 8):
            seen = []
            for index in range(1, total + 1):
                seen += self.names(self.expect(self.shard(f"{index}/{total}"), 0))
            self.assertEqual(sorted(seen), [f"s{i}" for i in range(7)], total)

    def test_an_empty_one_passes_and_is_part_of_the_whole(self):
        self.pack(1)
        folders = [f"part{i}" for i in (1, 2)]
        done = [self.expect(self.shard(f"{i}/2", "--out", f"part{i}"), 0) for i in (1, 2)]
        self.assertTrue(any("nothing to do" in one.stdout for one in done))
        self.expect(self.mishap("judge", *folders), 0)

    def test_become_one_report(self):
        import jsonschema
        self.pack(6, wrong=(1, 4))
        folders = [f"part{i}" for i in (1, 2, 3)]
        codes = {self.shard(f"{i}/3", "--out", f"part{i}").returncode for i in (1, 2, 3)}
        self.assertIn(1, codes)
        done = self.expect(self.mishap("judge", *folders, "--format", "json"), 1)
        self.assertEqual(done.stderr, "")
        report = json.loads(done.stdout)
        schema = json.loads(self.mishap("schema", "report").stdout)
        jsonschema.Draft7Validator({**schema, "$schema": "http://json-schema.org/draft-07/schema#"}).validate(report)
        self.assertEqual(sorted(case["scenario"] for case in report["cases"]), [f"s{i}" for i in range(6)])
        self.assertEqual(len(report["controls"]), 3)
        self.assertEqual(sorted(report["causes"][0]["scenarios"]), ["s1", "s4"])
        self.assertEqual(len(report["causes"]), 1)
        self.assertEqual(report["seed"], 7)
        junit = tree.fromstring(self.expect(self.mishap("report", *folders, "--format", "junit"), 0).stdout)
        self.assertEqual(junit.get("failures"), "2")
        self.assertEqual(len(list(junit.iter("testcase"))), 9)
        text = self.expect(self.mishap("report", *folders), 0).stdout
        self.assertIn("merged from 3 runs: part1, part2, part3", text)

    def test_a_missing_one_leaves_the_whole_open(self):
        self.pack(6)
        for i in (1, 3):
            self.expect(self.shard(f"{i}/3", "--out", f"part{i}"), 0)
        done = self.expect(self.mishap("judge", "part1", "part3"), 2)
        self.assertIn("only 2 of 3 shards are here (1, 3)", done.stdout)
        self.expect(self.mishap("judge", "part1"), 0)

    def test_are_taken_from_the_test_runner_and_said(self):
        self.pack(4)
        status = self.path("status")
        env = {"TEST_SHARD_INDEX": "1", "TEST_TOTAL_SHARDS": "2", "TEST_SHARD_STATUS_FILE": str(status)}
        done = self.expect(self.mishap("test", "pack", "--", *PATIENT, env=env), 0)
        self.assertIn("2/2 (TEST_SHARD_INDEX=1, TEST_TOTAL_SHARDS=2): 2 of 4 scenarios", done.stdout)
        self.assertIn("--shard 2/2", re.search(r"^again  (.*)$", done.stdout, re.M).group(1))
        self.assertTrue(status.exists())
        self.assertEqual(self.report(done)["shard"], "2/2")
        whole = self.expect(self.mishap("test", "pack", "--shard", "off", "--", *PATIENT, env=env), 0)
        self.assertEqual(len(self.names(whole)), 4)
        wrong = self.expect(self.mishap("test", "pack", "--", "false", env={"CI_NODE_TOTAL": "3"}), 3)
        self.assertIn("CI_NODE_INDEX=(not set)", wrong.stderr)


class Inconclusive(Case):
    """A client that makes the call in its control and, once, not in the scenario."""

    def setUp(self):
        super().setUp()
        self.write("pack/s0.yaml", SCENARIO.format(name="s0", tag="t", attempts="1.."))

    def client(self, times):
        # Holds itself back `times` times after the control: then no rule is met.
        script = f"""n=$(cat {self.folder}/count 2>/dev/null || echo 0); echo $((n+1)) > {self.folder}/count
if [ $n -ge 1 ] && [ $n -le {times} ]; then curl -sf -o /dev/null $MISHAP_URL/v1/other; exit 0; fi
{PATIENT[2]}"""
        return ["sh", "-c", script]

    def test_is_run_again_and_the_report_says_so(self):
        done = self.expect(self.mishap("test", "pack", "--", *self.client(1)), 0)
        self.assertIn("s0: inconclusive once, then pass", done.stdout)
        case = self.report(done)["cases"][0]
        self.assertEqual(case["verdict"], "pass")
        self.assertEqual(len(case["earlier"]), 1)
        run = re.search(r"^run    (.*)$", done.stdout, re.M).group(1)
        again = self.expect(self.mishap("judge", run, "--format", "json"), 0)
        self.assertEqual(again.stdout, self.path(run, "verdict.json").read_text(encoding="utf-8"))

    def test_not_where_that_is_not_wanted(self):
        done = self.expect(self.mishap("test", "pack", "--reruns", "0", "--", *self.client(1)), 2)
        self.assertEqual(self.report(done)["cases"][0]["earlier"], [])

    def test_what_says_the_same_twice_is_believed(self):
        done = self.expect(self.mishap("test", "pack", "--", *self.client(9)), 2)
        self.assertEqual(len(self.report(done)["cases"][0]["earlier"]), 1)

    def test_a_fail_is_never_run_again(self):
        self.pack(1, wrong=(0,))
        done = self.expect(self.mishap("test", "pack", "--", *PATIENT), 1)
        self.assertNotIn("run again", done.stdout)

    def test_ends_as_asked_for(self):
        self.write("pack/s1.yaml", "mishap: 1\nscenario: s1\napi: any\n")
        options = ("--reruns", "0", "--jobs", "1")
        for word, code in (("error", 2), ("fail", 1), ("warn", 0)):
            self.path("count").unlink(missing_ok=True)
            done = self.expect(self.mishap("test", "pack", *options, "--inconclusive", word, "--", *self.client(1)), code)
            run = re.search(r"^run    (.*)$", done.stdout, re.M).group(1)
            self.expect(self.mishap("judge", run, "--inconclusive", word), code)
        self.assertIn("warning:", done.stdout)
        nothing = self.mishap("test", "pack", "--inconclusive", "warn", "--", "true")
        self.expect(nothing, 2)
        self.assertIn("nothing was judged", nothing.stdout)
        self.expect(self.mishap("test", "pack", "--inconclusive", "maybe", "--", "true"), 3)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--mishap", "--booking", "--clients"):
        parser.add_argument(option, required=True)
    known, rest = parser.parse_known_args()
    GIVEN.update(vars(known))
    unittest.main(argv=[sys.argv[0], *rest])
