#!/usr/bin/env python3
"""Clients that are turned away before they are connected: refused, left without an answer.

Usage: doors.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import shutil

import behaviour
from apis import failing, records
from behaviour import Case

# Makes two bookings, each on a connection of its own. Its habits are its arguments:
# tries, exit code where one failed, exit code where none did, outcome lines (yes or no), time limit (none or seconds).
CLIENT = """
import http.client, json, os, sys, time, urllib.parse
tries, code_failed, code_done = map(int, sys.argv[1:4])
limit = None if sys.argv[5] == "none" else float(sys.argv[5])
place = urllib.parse.urlsplit(os.environ["MISHAP_URL"])
failed = 0
for name in ("first", "second"):
    for turn in range(tries):
        if turn:
            time.sleep(0.2 * turn)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=limit)
        try:
            connection.request("POST", "/v1/bookings", json.dumps({"reference": name, "item": "x"}),
                               {"Content-Type": "application/json", "Idempotency-Key": name,
                                "Authorization": "Bearer " + os.environ["MISHAP_TOKEN"]})
            answer = connection.getresponse()
            answer.read()
            done = answer.status == 201
        except OSError:
            done = False
        finally:
            connection.close()
        if done:
            break
    failed += not done
    if sys.argv[4] == "yes":
        with open(os.environ["MISHAP_OUTCOMES"], "a") as lines:
            lines.write(json.dumps({"operation": name, "outcome": "succeeded" if done else "failed"}) + "\\n")
sys.exit(code_failed if failed else code_done)
"""
TWO_AT_ONCE = """
import json, os, socket, sys, urllib.parse
place = urllib.parse.urlsplit(os.environ["MISHAP_URL"])
both = []
failed = 0
for name in ("first", "second"):
    one = socket.socket()
    one.settimeout(3)
    both.append(one)
try:
    for one in both:
        one.connect((place.hostname, place.port))
    for i, one in enumerate(both):
        body = json.dumps({"item": i})
        one.sendall(f"POST /v1/x HTTP/1.1\\r\\nHost: x\\r\\nContent-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n{body}".encode())
        failed += not one.recv(1000).startswith(b"HTTP/1.1 201")
except OSError:
    failed += 1
sys.exit(int(sys.argv[1]) if failed else 0)
"""
SCENARIO = """mishap: 1
scenario: t
api: any
faults:
  - {when: {connection: %d}, fault: %s}
"""
# Each call is a connection of its own. The first begins the refusal, so that the second meets it however long the
# program took to start; it goes on until it is let in.
SECOND_REFUSED = SCENARIO % (2, "{kind: refuse, for: 1500ms}")
TWICE_BY_CURL = """for i in 1 2; do
  curl -sf --retry-connrefused --retry 5 --json "{{\\"n\\": $i}}" "{}/v1/orders" || exit 1
done"""
TWICE_BY_NODE = """
const http = require("node:http");
const call = (n, left) => {
  const request = http.request(process.env.MISHAP_URL + "/v1/orders", {method: "POST", agent: false}, (answer) => {
    answer.resume();
    if (n < 2) answer.on("end", () => call(n + 1, 40));
  });
  request.on("error", (error) => { if (!left) throw error; setTimeout(call, 200, n, left - 1); });
  request.end(JSON.stringify({n}));
};
call(1, 0);
"""
# Four tries take 1.2 s, so that the last is let in.
REFUSED = SCENARIO % (2, "{kind: refuse, for: 500ms}")


class Doors(Case):
    def judged(self, tries=1, failed=1, done=0, words="yes", limit="none", scenario=REFUSED, options=()):
        client = self.write("client.py", CLIENT)
        return self.run_core("/usr/bin/python3", client, str(tries), str(failed), str(done), words, limit,
                             targets=(self.write("t.yaml", scenario),), options=options)

    def rulings(self, report):
        case = next(case for case in report["cases"] if case["scenario"] == "t")
        return {finding["check"]: finding["ruling"] for finding in case["findings"]}

    def of(self, kind):
        return [r for r in records(self.path("run"), "t") if r["kind"] == kind]

    def test_one_that_goes_on_passes(self):
        done, report = self.judged(tries=4, options=("--promise", "retries=declared"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rulings = self.rulings(report)
        self.assertEqual(rulings["fault_activated"], "pass")
        self.assertEqual(rulings["recovers_from_transient"], "pass")
        self.assertTrue(self.of("turned_away"), "also where its connect blocks")
        self.assertEqual([e["resource"] for e in self.of("effect")], ["/v1/bookings"] * 2)

    def test_with_a_time_limit_its_connect_does_not_block(self):
        done, _ = self.judged(tries=4, limit="2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(self.of("turned_away"))

    def test_one_that_promised_to_go_on_and_gives_up_fails(self):
        done, report = self.judged(tries=1, options=("--promise", "retries=declared"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(failing(report), ["recovers_from_transient"])
        self.assertIn("second: 1 connect was refused for 1 call that never came, none was tried again", done.stdout)
        self.assertIn("connections are refused", done.stdout)

    def test_one_that_promised_nothing_is_warned(self):
        done, report = self.judged(tries=1)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.rulings(report)["outcome_truthful"], "pass")

    def test_exit_code_zero_is_found_out(self):
        done, report = self.judged(tries=1, failed=0)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(failing(report), ["exit_code_truthful"])

    def test_exit_code_one_where_all_went_well_is_found_out(self):
        lying = self.write("lie.sh", 'python3 "$@"; [ "$MISHAP_SCENARIO" = t ] && exit 1; exit 0\n')
        done, report = self.run_core("sh", lying, self.write("client.py", CLIENT), "4", "1", "0", "yes", "none",
                                     targets=(self.write("t.yaml", REFUSED),))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(failing(report), ["exit_code_truthful"])

    def test_without_words_of_its_own_a_lost_call_is_inconclusive(self):
        done, report = self.judged(tries=1, failed=0, words="no")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("1 of 2 operations came; 1 connect was refused", done.stdout)

    def test_without_words_of_its_own_exit_code_one_is_true(self):
        done, report = self.judged(tries=1, failed=1, words="no")
        self.assertEqual(self.rulings(report)["exit_code_truthful"], "pass", done.stdout)

    def test_nobody_asked_is_inconclusive(self):
        scenario = SCENARIO % (3, "refuse")
        done, _ = self.judged(tries=1, scenario=scenario)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("nobody asked for a connection while they were", done.stdout)

    def test_a_connect_without_a_time_limit_is_found_out(self):
        scenario = SCENARIO.replace("when: {connection: %d}, ", "") % "unanswered"
        promise = ("--promise", "attempt_timeout=1s", "--promise", "deadline=4s")
        done, report = self.judged(tries=1, limit="none", scenario=scenario, options=promise)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("attempt_timeout_bounded", failing(report))

    def test_a_connect_with_a_time_limit_passes(self):
        scenario = SCENARIO.replace("when: {connection: %d}, ", "") % "unanswered"
        done, report = self.judged(tries=1, limit="1", scenario=scenario, options=("--promise", "attempt_timeout=1s"))
        self.assertEqual(self.rulings(report)["attempt_timeout_bounded"], "pass", done.stdout)

    def test_a_client_that_is_given_the_port_alone_finds_the_listener(self):
        done, _ = self.run_core("sh", "-c", TWICE_BY_CURL.format("http://127.0.0.1:$0"), "{port}",
                                targets=(self.write("t.yaml", SECOND_REFUSED),))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(self.of("turned_away"))

    def test_one_that_is_reset_in_the_queue_is_heard_of(self):
        """Whoever is connected and not yet accepted when the port begins to refuse."""
        client = self.write("two.py", TWO_AT_ONCE)
        done, report = self.run_core("/usr/bin/python3", client, "1", options=("--promise", "retries=none"),
                                     targets=(self.write("t.yaml", REFUSED),))
        self.assertEqual(failing(report), [], done.stdout)

    def test_curl_and_node(self):
        for client in (TWICE_BY_CURL.format("$MISHAP_URL"), f"node -e '{TWICE_BY_NODE}'"):
            with self.subTest(client):
                shutil.rmtree(self.path("run"), ignore_errors=True)
                done, _ = self.run_core("sh", "-c", client, targets=(self.write("t.yaml", SECOND_REFUSED),))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertTrue(self.of("turned_away"))


if __name__ == "__main__":
    behaviour.main()
