#!/usr/bin/env python3
"""The second yardstick does what it is measured for: it answers as mishap does, and its record has the same facts.

Usage: same_work_test.py --mishap BIN --same-work BIN [unittest arguments]
"""

import argparse
import contextlib
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import measure  # noqa: E402

BIN = argparse.Namespace()
DEADLINE = 20  # seconds
IN_MEMORY = 5  # records of a kind: so few that most go to disk
# Facts of mishap's line that a server without faults, upstreams, lanes and other apis has no occasion for.
NO_OCCASION = {"lane", "api", "upstream", "head_read", "receipt.more_writes", "receipt.interim_bytes", "receipt.lag"}


def facts(value, place=""):
    """The places at which a line says something."""
    if isinstance(value, dict):
        return set().union(*(facts(inner, f"{place}.{name}".lstrip(".")) for name, inner in value.items()), {place} - {""})
    if isinstance(value, list):
        return set().union({place}, *(facts(inner, place) for inner in value))
    return {place}


def leaves_of(lines):
    return {place for place in facts(lines) if place.split(".")[0] not in NO_OCCASION and place not in NO_OCCASION}


class SameWork(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def enterContext(self, manager):  # unittest has it from Python 3.11 on
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def start(self, *command):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        process = subprocess.Popen([part.replace("PORT", str(self.port)) for part in command], cwd=self.folder,
                                   stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return process
            self.assertIsNone(process.poll(), "it ended by itself")
        self.fail("it does not listen")

    def serve(self):
        self.process = self.start(BIN.same_work, "PORT", str(self.folder / "record"), str(IN_MEMORY))

    def record(self):
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(DEADLINE), 0)
        lines = [json.loads(line) for line in (self.folder / "record").read_text(encoding="utf-8").splitlines()]
        return {kind: sorted((line for line in lines if line["kind"] == kind), key=lambda line: line["number"])
                for kind in ("exchange", "effect", "connection")}

    def ask(self, method, target, body=None, **fields):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        with contextlib.closing(client):
            client.request(method, target, body, {**measure.FIELDS, **{k.replace("_", "-"): v for k, v in fields.items()}})
            answer = client.getresponse()
            return answer.status, json.loads(answer.read()), dict(answer.getheaders())

    def create(self, reference="r1", **fields):
        return self.ask("POST", "/v1/bookings", json.dumps({"reference": reference, "guests": 2}), **fields)

    def test_a_create_is_answered_as_mishap_answers_it(self):
        self.serve()
        own = self.ask("POST", "/v1/bookings", measure.BODY)
        other = self.start(BIN.mishap, "serve", "any", "--port", "PORT")
        theirs = self.ask("POST", "/v1/bookings", measure.BODY)
        other.send_signal(signal.SIGTERM)
        other.wait(DEADLINE)
        self.assertEqual(own, theirs)

    def test_what_was_created_can_be_read_by_id_and_reference(self):
        self.serve()
        _, made, _ = self.create("r 7")
        self.create("other")
        self.assertEqual(self.ask("GET", f"/v1/bookings/{made['id']}")[:2], (200, made))
        self.assertEqual(self.ask("GET", "/v1/bookings?reference=r%207")[1], {"items": [made], "total": 1})
        self.assertEqual(self.ask("GET", "/v1/bookings")[1]["total"], 2)
        self.assertEqual(self.ask("GET", "/v1/bookings/none")[0], 404)

    def test_a_key_stands_for_its_answer(self):
        self.serve()
        first = self.create(Idempotency_Key="k1")
        again = self.create(Idempotency_Key='"k1"')
        self.assertEqual(again[:2], first[:2])
        self.assertEqual(again[2]["Idempotency-Replayed"], "true")
        self.assertEqual(self.create("another", Idempotency_Key="k1")[0], 422)
        record = self.record()
        self.assertEqual([one["identity"]["attempt"] for one in record["exchange"]], [1, 2, 3])
        self.assertEqual({one["identity"]["operation"] for one in record["exchange"]}, {1})
        self.assertEqual(len(record["effect"]), 1)

    def test_rules_are_looked_at(self):
        self.serve()
        for target in ("/v1/other-3", "/v1/orders/7/cancel"):
            self.assertEqual(self.ask("POST", target, "{}")[0], 503)
        self.assertEqual(self.ask("POST", "/v1/other", "{}")[0], 201)
        hits = [one.get("rules") for one in self.record()["exchange"]]
        self.assertEqual([hit and hit[0]["rule"] for hit in hits], [3, 48, None])

    def test_what_is_no_request_is_refused_and_recorded(self):
        self.serve()
        for bytes_sent, status in ((b"nonsense\r\n\r\n", 400), (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
                                   (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n\r\n", 414), (b"G" * 70000, 431)):
            with socket.create_connection(("127.0.0.1", self.port), DEADLINE) as client:
                client.sendall(bytes_sent)
                self.assertIn(f"HTTP/1.1 {status} ".encode(), client.recv(100))
        self.assertEqual([one["role"] for one in self.record()["exchange"]], ["rejected"] * 4)

    def test_requests_that_come_in_pieces_or_together_are_all_answered(self):
        self.serve()
        with socket.create_connection(("127.0.0.1", self.port), DEADLINE) as client:
            client.sendall(measure.CREATE[:40])
            client.sendall(measure.CREATE[40:] + measure.CREATE + measure.CREATE)
            client.shutdown(socket.SHUT_WR)
            answers = b"".join(iter(lambda: client.recv(65536), b""))
        self.assertEqual(answers.count(b"HTTP/1.1 201 Created"), 3)
        self.assertEqual([one["on_connection"] for one in self.record()["exchange"]], [1, 2, 3])

    def test_the_record_is_whole_though_most_of_it_was_on_disk(self):
        self.serve()
        for i in range(4 * IN_MEMORY):
            self.create(f"r{i}")
        record = self.record()
        self.assertEqual([one["number"] for one in record["exchange"]], list(range(1, 4 * IN_MEMORY + 1)))
        self.assertEqual([one["reference"] for one in record["effect"]], [f"r{i}" for i in range(4 * IN_MEMORY)])
        for one in record["exchange"]:
            receipt = one["receipt"]
            self.assertLess(one["first_byte"], receipt["first_write"])
            self.assertEqual(receipt["bytes_written"], receipt["bytes_planned"])
            self.assertEqual(sum(write["bytes"] for write in receipt["writes"]), receipt["bytes_written"])
        self.assertEqual(len({one["request"]["content_hash"] for one in record["exchange"]}), 4 * IN_MEMORY)

    def test_no_secret_is_in_the_record(self):
        self.serve()
        self.create(Cookie="sid=canary-1", X_Api_Key="canary-2")
        self.ask("GET", "/v1/bookings?token=canary-3")
        self.record()
        text = (self.folder / "record").read_text(encoding="utf-8")
        self.assertNotIn("canary", text)
        self.assertNotIn("mishap-token", text)
        self.assertRegex(text, '"name":"Authorization","value":"Bearer xxh3:.{12} length 12","secret":true')

    def test_the_record_has_the_facts_of_mishaps_journal(self):
        self.serve()
        self.create(Idempotency_Key="k1")
        own = self.record()
        script = (f"import http.client, os; c = http.client.HTTPConnection(os.environ['MISHAP_URL'][7:]); "
                  f"c.request('POST', '/v1/bookings', {measure.BODY!r}, {{**{measure.FIELDS!r}, 'Idempotency-Key': 'k1'}}); "
                  f"c.getresponse().read()")
        subprocess.run([BIN.mishap, "test", "core/healthy", "--out", str(self.folder / "run"), "--", sys.executable, "-c",
                        script], cwd=self.folder, stdout=subprocess.DEVNULL, timeout=60, check=False)
        journal = next((self.folder / "run").rglob("journal.jsonl"))
        theirs = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
        for kind in ("exchange", "effect"):
            wanted = leaves_of(next(line for line in theirs if line["kind"] == kind))
            self.assertGreater(len(wanted), 5)
            self.assertEqual(wanted - facts(own[kind][0]), set(), kind)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mishap", required=True)
    parser.add_argument("--same-work", required=True)
    BIN.__dict__.update(vars(parser.parse_known_args()[0]))
    unittest.main(argv=[sys.argv[0], *parser.parse_known_args()[1]])


if __name__ == "__main__":
    main()
