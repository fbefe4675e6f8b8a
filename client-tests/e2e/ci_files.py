#!/usr/bin/env python3
"""Runs the shell parts of docs/ci as the runners would: the GitHub action's steps, the GitLab job's script.

Usage: ci_files.py --mishap BIN --booking BIN [unittest arguments]
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CI = ROOT / "docs" / "ci"
GIVEN = {}
PROMISE = "--promise attempt_timeout=1s --promise deadline=12s --promise max_attempts=5 --promise retries=declared"
SMALL = "core/healthy core/response-lost-after-create"  # enough to tell right from wrong


def loaded(name):
    return yaml.safe_load((CI / name).read_text(encoding="utf-8"))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mishap-ci-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.tarball = self.folder / "given.tar.gz"
        with tarfile.open(self.tarball, "w:gz") as archive:
            archive.add(GIVEN["mishap"], "mishap-0-linux/bin/mishap")
        self.sum = hashlib.sha256(self.tarball.read_bytes()).hexdigest()

    def bash(self, script, environment):
        return subprocess.run(["bash", "-c", script], cwd=self.folder, env={**os.environ, **environment}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)


class GitHubAction(Case):
    def run_steps(self, **given):
        """Every step that is a script, as a composite action runs it; (code, output, summary)."""
        action = loaded("action/action.yml")
        inputs = {name: str(spec.get("default", "")) for name, spec in action["inputs"].items()}
        inputs.update(given)
        path, summary = self.folder / "path", self.folder / "summary"
        path.touch(), summary.touch()
        output, code = "", 0
        for step in action["runs"]["steps"]:
            if "run" not in step:
                continue
            filled = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: inputs[m.group(1)], value)
                      for name, value in step["env"].items()}
            extra = path.read_text(encoding="utf-8").strip().replace("\n", ":")
            done = self.bash(step["run"], {**filled, "RUNNER_TEMP": str(self.folder), "GITHUB_PATH": str(path),
                                           "GITHUB_STEP_SUMMARY": str(summary),
                                           "PATH": extra + ":" + os.environ["PATH"]})
            output, code = output + done.stdout, done.returncode
            if code != 0:
                break
        return code, output, summary.read_text(encoding="utf-8")

    def test_a_right_client_passes_and_leaves_its_reports(self):
        code, output, summary = self.run_steps(tarball=str(self.tarball), sha256=self.sum, client=GIVEN["booking"],
                                               scenarios=SMALL, options=PROMISE)
        self.assertEqual(code, 0, output)
        report = json.loads((self.folder / "mishap-report" / "report.json").read_text(encoding="utf-8"))
        self.assertEqual(report["verdict"], "pass")
        self.assertIn("2 pass", summary)
        self.assertTrue((self.folder / "mishap-report" / "report.xml").is_file())

    def test_a_wrong_client_fails_the_step_and_the_summary_says_why(self):
        code, output, summary = self.run_steps(tarball=str(self.tarball), scenarios=SMALL, options=PROMISE,
                                               client=GIVEN["booking"] + " --wrong fresh-key-resend")
        self.assertEqual(code, 1, output)
        self.assertIn("no_duplicate_effects", summary)

    def test_a_tarball_with_another_sum_is_not_run(self):
        code, output, summary = self.run_steps(tarball=str(self.tarball), sha256="0" * 64, client=GIVEN["booking"])
        self.assertNotEqual(code, 0, output)
        self.assertFalse((self.folder / "mishap-report").exists())
        self.assertEqual(summary, "")


class GitLabJob(Case):
    def run_job(self, **variables):
        job = loaded("gitlab.yml")["mishap"]
        script = "\n".join(["set -e", *job["before_script"], *job["script"]])
        return self.bash(script, {**job["variables"], **variables})

    def test_a_right_client_passes(self):
        done = self.run_job(MISHAP_TARBALL=str(self.tarball), MISHAP_SHA256=self.sum, MISHAP_OPTIONS=PROMISE,
                            MISHAP_CLIENT=GIVEN["booking"])
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue((self.folder / "mishap-report" / "report.xml").is_file())

    def test_a_wrong_client_fails_the_job(self):
        done = self.run_job(MISHAP_TARBALL=str(self.tarball), MISHAP_OPTIONS=PROMISE,
                            MISHAP_CLIENT=GIVEN["booking"] + " --wrong fresh-key-resend")
        self.assertEqual(done.returncode, 1, done.stdout)

    def test_two_jobs_share_the_pack(self):
        names = []
        for node in ("1", "2"):
            shutil.rmtree(self.folder / "mishap-report", ignore_errors=True)
            done = self.run_job(MISHAP_TARBALL=str(self.tarball), MISHAP_OPTIONS=PROMISE,
                                MISHAP_CLIENT=GIVEN["booking"], CI_NODE_INDEX=node, CI_NODE_TOTAL="2")
            self.assertEqual(done.returncode, 0, done.stdout)
            report = json.loads((self.folder / "mishap-report" / "report.json").read_text(encoding="utf-8"))
            names += [case["scenario"] for case in report["cases"]]
        self.assertEqual(len(names), len(set(names)), "a scenario ran in both jobs")
        self.assertGreater(len(names), 40)


class Containerfile(unittest.TestCase):
    def test_what_it_runs_and_copies_is_there(self):
        text = (CI / "Containerfile").read_text(encoding="utf-8")
        for script in re.findall(r"\bscripts/\w+", text):
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)
        self.assertIn("build/package/mishap_*.deb", text)
        self.assertRegex((ROOT / "cmake" / "packaging.cmake").read_text(encoding="utf-8"), "DEB-DEFAULT")


def main():
    arguments = sys.argv[1:]
    while arguments and arguments[0].startswith("--"):
        GIVEN[arguments[0][2:]] = arguments[1]
        arguments = arguments[2:]
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=1)


if __name__ == "__main__":
    main()
