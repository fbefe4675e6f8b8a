#!/usr/bin/env python3
"""`mishap serve --judge`: the verdict of a client that somebody else started.

Usage: serve_judge.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import http.client
import json
import pathlib
import signal
import socket
import subprocess
import time

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

    def test_it_tells_what_its_listener_does_to_those_who_leave_no_trace(self):
        urls = self.serve("booking", "--fault", "any refuse for=300ms")
        self.assertTrue(book(urls["booking"], attempts=5))
        out = self.stop()
        self.assertRegex(out, r"\d\.\d{3}  listener of booking  refuses connections  \[refuse")
        self.assertRegex(out, r"\d\.\d{3}  listener of booking  takes connections again.*  \[refuse")
        self.assertLess(out.index("takes connections again"), out.index("POST /v1/bookings"))
        self.serve("booking", "--fault", "any connection_limit most=1")
        self.assertRegex(self.stop(), r"listener of booking  takes only so many connections at once  \[connection_limit")

    def test_it_tells_of_connections_that_ended_before_a_request(self):
        urls = self.serve("booking", "--fault", "any reset at=accept")
        self.assertFalse(book(urls["booking"], attempts=1))
        self.assertRegex(self.stop(), r"c1  connected  -> ended without a request  \[reset")

    def test_whoever_is_held_by_a_barrier_does_not_keep_it_from_ending(self):
        urls = self.serve("booking", "--fault", "POST /v1/bookings barrier count=2 within=60s", "--judge",
                          "--out", self.path("run"))
        with socket.create_connection(("127.0.0.1", int(urls["booking"].rsplit(":", 1)[1])), timeout=10) as held:
            held.sendall(b'POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n'
                         b'{"reference":"r","product":"prod_1"}')
            self.wait_for_calls(urls["booking"])
            began = time.monotonic()
            self.process.send_signal(signal.SIGINT)
            out, err = self.process.communicate(timeout=40)
        self.assertLess(time.monotonic() - began, 7)
        self.assertEqual(self.process.returncode, 2, out)
        self.assertNotIn("scripted to be late", out)
        self.assertIn("only 1 of 2 came before the run ended", out)

    def wait_for_calls(self, url):
        """A request behind another one is answered behind it, so that one has been read."""
        connection = http.client.HTTPConnection(url.split("//")[1], timeout=10)
        connection.request("GET", "/v1/ping")
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()

    def test_usage_errors_say_what_to_do(self):
        for arguments, says in ((["--judge"], "name an api"), (["--control", "--judge"], "--judge wants a scenario"),
                                (["booking", "--out", "x"], "are for --judge"), (["booking", "--ports", "9-3"], "FIRST-LAST"),
                                (["booking", "--for", "3"], "needs its unit"), (["booking", "core/healthy", "--port", "1"], "--ports"),
                                (["booking", "--ready-fd", "77"], "77 is not open"),
                                (["booking", "--judge", "--threads", "2"], "--threads is for load alone"),
                                (["booking", "--ready-fd", "-1"], "-1 is not open"),
                                (["booking", "--advertise", "a\r\nb"], "a host name or an address"),
                                (["booking", "--advertise", "999.1.1.1"], "no IPv4 address"),
                                (["booking", "--listen", "nope.invalid"], "cannot listen on"),
                                (["--control", "--allow-files", "/no/such"], "is no folder"),
                                (["booking", "--report", "juint", "--judge"], "did you mean")):
            done = mishap("serve", *arguments)
            self.assertEqual(done.returncode, 3, arguments)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    behaviour.main()
