#!/usr/bin/env python3
"""`mishap serve --judge`: the verdict of a client that somebody else started.

Usage: serve_judge.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import json
import pathlib
import signal
import subprocess

import behaviour
from behaviour import mishap
from served import LOST, Served, book


class ServeJudge(Served):
    def judge(self, *targets):
        return self.serve(*targets, "--judge", "--api", "booking", "--out", self.path("run"))

    def judge_until_quiet(self, *targets):
        """Silence is judged after three seconds of it: nobody says that the client has finished."""
        return self.serve(*targets, "--judge", "--api", "booking", "--out", self.path("run"), "--until-quiet", "4s")

    def report(self):
        return json.loads(pathlib.Path(self.path("run"), "report.json").read_text(encoding="utf-8"))

    def test_a_right_client_passes(self):
        urls = self.judge_until_quiet("core/response-lost-after-create")
        self.assertTrue(book(urls["core/response-lost-after-create"], key="k-1"))
        out = self.ended()
        self.assertEqual(self.process.returncode, 0, out)
        self.assertRegex(out, r"  pass +response-lost-after-create")

    def test_a_wrong_client_fails_by_the_journal_alone(self):
        urls = self.judge("core/response-lost-after-create")
        book(urls["core/response-lost-after-create"])
        out = self.stop(signal.SIGTERM)
        self.assertEqual(self.process.returncode, 1, out)
        self.assertIn("2 bookings for one operation", out)
        self.assertIn("POST /v1/bookings", out)
        self.assertEqual(self.report()["verdict"], "fail")
        again = mishap("judge", self.path("run"), "--format", "json")
        self.assertEqual(again.returncode, 1)
        self.assertEqual(json.loads(again.stdout), self.report())
        self.assertIn("mishap serve core/response-lost-after-create", self.report()["again"])

    def test_a_scenario_that_nobody_called_is_not_applicable(self):
        urls = self.judge_until_quiet("core/healthy", "core/response-lost-after-create", "core/stall-in-body-read")
        self.assertEqual(len(set(urls.values())), 3)
        self.assertTrue(book(urls["core/healthy"], key="k"))
        self.assertTrue(book(urls["core/response-lost-after-create"], key="k"))
        out = self.ended()
        self.assertRegex(out, r"n/a +stall-in-body-read +no request came")
        self.assertEqual(self.process.returncode, 0, out)
        self.assertEqual([c["verdict"] for c in self.report()["controls"]], ["pass"])

    def test_nothing_called_is_inconclusive(self):
        self.judge("core/response-lost-after-create")
        self.stop()
        self.assertEqual(self.process.returncode, 2)

    def test_calls_that_no_fault_is_about_prove_nothing(self):
        urls = self.judge("core/stall-in-body-read")
        book(urls["core/stall-in-body-read"], key="k")
        out = self.stop()
        self.assertEqual(self.process.returncode, 2)
        self.assertIn("no such call came", out)

    def test_a_healthy_run_beside_is_the_control(self):
        urls = self.serve("core/response-lost-after-create", "--judge", "--with-healthy", "--out", self.path("run"))
        self.assertEqual(set(urls), {"core/response-lost-after-create", "control"})
        for url in urls.values():
            book(url)
        out = self.stop()
        self.assertEqual(self.process.returncode, 1, out)
        self.assertRegex(out, r"control +1 request: POST /v1/bookings")

    def test_it_ends_when_all_is_quiet(self):
        urls = self.serve("booking", "--fault", LOST, "--judge", "--until-quiet", "4s", "--out", self.path("run"),
                          "--report", "junit=" + self.path("it.xml"))
        self.assertTrue(book(urls["booking"], key="k"))
        out = self.ended()
        self.assertEqual(self.process.returncode, 0, out)
        self.assertIn("<testcase", pathlib.Path(self.path("it.xml")).read_text(encoding="utf-8"))

    def test_it_ends_in_time_and_with_its_parent(self):
        self.serve("booking", "--for", "300ms")
        self.ended()
        self.assertEqual(self.process.returncode, 0)
        self.serve("booking", "--until-eof", stdin=subprocess.PIPE)
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.assertEqual(self.process.returncode, 0)

    def test_usage_errors_say_what_to_do(self):
        for arguments, says in ((["--judge"], "name an api"), (["--control", "--judge"], "--judge wants a scenario"),
                                (["booking", "--out", "x"], "are for --judge"), (["booking", "--ports", "9-3"], "FIRST-LAST"),
                                (["booking", "--for", "3"], "needs its unit"), (["booking", "core/healthy", "--port", "1"], "--ports"),
                                (["booking", "--ready-fd", "77"], "77 is not open"),
                                (["booking", "--ready-fd", "-1"], "-1 is not open"),
                                (["booking", "--advertise", "a\r\nb"], "a host name or an address"),
                                (["booking", "--listen", "nope.invalid"], "cannot listen on"),
                                (["--control", "--allow-files", "/no/such"], "is no folder"),
                                (["booking", "--report", "juint", "--judge"], "did you mean")):
            done = mishap("serve", *arguments)
            self.assertEqual(done.returncode, 3, arguments)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    behaviour.main()
