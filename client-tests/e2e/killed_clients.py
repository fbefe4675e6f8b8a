#!/usr/bin/env python3
"""A client that is killed at every step of every shipped wire and tls scenario: journal and ledger agree, nothing leaks,
the instance goes on.

Usage: killed_clients.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]

All scenarios are served by one process. Each has as many copies as there are victims, since a copy has an address and
counts of its own: every victim is the first client that its rules meet.
"""

import collections
import concurrent.futures
import json
import re
import time

import yaml

import behaviour
from apis import records
from behaviour import mishap
from raw import allow_many_descriptors, descriptors, hello, RawClient, request, wait_for
from served import Served

BODY = b'{"reference": "r-1", "note": "' + b"n" * 400 + b'"}'
PATIENCE = 20
AT_ONCE = 64

Victim = collections.namedtuple("Victim", "step way")
STEPS = ("connect", "part of the head", "head", "part of the body", "request", "first byte", "half of the answer")
TLS_STEPS = ("part of the hello", "hello")
WAYS = ("reset", "close")


# What a client meets under these hangs on the clock and on the other clients: nobody can say which step it reached, or
# when it is let in again.
MOVING = {"quota", "capacity", "barrier", "refuse", "unanswered", "connection_limit", "slow_read"}


def victims_of(tls):
    """The first of all looks how long the answer is, and leaves when it was silent for a while."""
    steps = (TLS_STEPS if tls else ()) + STEPS
    return [Victim("whole answer", "close")] + [Victim(step, way) for step in steps for way in WAYS]


def kind_of(fault):
    return fault["kind"] if isinstance(fault, dict) else fault


class Scenario:
    def __init__(self, name):
        self.name = name.partition("/")[2]
        self.text = mishap("explain", name).stdout
        self.tls = "tls: true" in self.text
        rules = yaml.safe_load(self.text)["faults"]
        kinds = {kind_of(rule.get("fault")) for rule in rules}
        self.spoils_handshake = bool(kinds & {"tls_alert", "plain_bytes"}) or any(rule.get("at") == "handshake" for rule in rules)
        # A victim sends one request; what waits for a second on its connection does not meet it.
        first = [rule for rule in rules if "request_on_connection" not in rule.get("when", {})]
        self.is_silent = self.spoils_handshake or any(rule.get("at") in ("accept", "request_head", "request_body") and "do" in rule for rule in first)
        # A RST behind the accept may come before the call that connects has returned.
        self.may_fail_connect = any((rule.get("at"), rule.get("do")) == ("accept", "reset") for rule in rules)
        self.moves = bool(kinds & MOVING) or "timeline:" in self.text
        # Whatever the faults are about: reads, or what changes something.
        self.method = "GET" if re.search(r"method: GET\}", self.text) else "POST"
        self.victims = victims_of(self.tls)
        self.urls = {}
        self.length = 0  # of the answer under the fault
        self.connections = collections.Counter()  # that we made, by lane
        self.out_of_reach = []

    def with_copies(self):
        copies = f"copies: {len(self.victims)}"
        text, had = re.subn(r"\bcopies: \d+", copies, self.text)
        return text if had else f"{text}\nclient: {{{copies}}}\n"

    def url_of(self, lane, urls):
        """Of the first api, where there are several."""
        return next(url for name, url in urls.items() if name.split()[0] == self.name and name.endswith(f" copy {lane}"))

    def connect(self, lane, tls):
        self.connections[lane] += 1
        client = RawClient(self.urls[lane], 1 if self.spoils_handshake or self.moves else PATIENCE, tls=tls)
        client.patience = PATIENCE
        return client

    def kill(self, lane):
        victim = self.victims[lane]
        try:
            client = self.connect(lane, self.tls and victim.step not in TLS_STEPS + ("connect",))
        except OSError:
            self.out_of_reach.append(victim)  # what lies behind a handshake that goes wrong
            return
        try:
            self.go_to(victim.step, client)
        finally:
            client.reset() if victim.way == "reset" else client.close()

    def go_to(self, step, client):
        whole = request(self.method, "/v1/things", BODY)
        head = len(whole) - len(BODY)
        parts = {"connect": 0, "part of the head": head // 2, "head": head, "part of the body": head + len(BODY) // 2}
        if step in TLS_STEPS:
            greeting = hello()
            return client.send(greeting[:len(greeting) // 2] if step == "part of the hello" else greeting)
        client.send(whole[:parts.get(step, len(whole))])
        if step == "whole answer":
            self.length = read(client, 1 << 40, silence=1, in_all=3)
        wanted = {"first byte": min(self.length, 1), "half of the answer": self.length // 2}.get(step, 0)
        patience = 1 if self.moves else PATIENCE
        count = read(client, wanted, silence=patience, in_all=patience)
        if count < wanted and not self.moves:
            raise AssertionError(f"{self.name}: {count} of {wanted} bytes came, {client.end}")

    def total_by_asking(self, lane):
        """What the vendor itself says is there. Until the rules are through with us a few answers may be spoiled."""
        for turn in range(12):
            try:
                with self.connect(lane, self.tls) as client:
                    # Another question each time, so that none is a repetition of one that went wrong.
                    client.send(request("GET", f"/v1/things?limit={1000 + turn}", fields=[("Connection", "close")]))
                    read_answer = answer_within(client, 1.5)
            except OSError:
                continue
            if read_answer is not None:
                return read_answer
        return None


def read(client, wanted, silence, in_all):
    """Counts bytes, which may be many, and keeps none."""
    count, over = 0, time.monotonic() + in_all
    while count < wanted and time.monotonic() < over:
        if not client.receive_some(min(over, time.monotonic() + silence)):
            break
        count += len(client.received)
        client.received = b""
        client.pieces.clear()
    return count


def answer_within(client, seconds):
    client.patience = seconds
    answer = client.answer()
    try:
        return json.loads(answer.body)["total"] if answer.status == 200 else None
    except (ValueError, KeyError):
        return None


class KilledClients(Served):
    def setUp(self):
        super().setUp()
        allow_many_descriptors()
        names = [line.split()[0] for line in mishap("list", "scenarios").stdout.splitlines()]
        self.scenarios = [Scenario(name) for name in names if name.startswith(("wire/", "tls/"))]
        self.assertGreater(len(self.scenarios), 60)
        files = [self.write(f"{one.name}.yaml", one.with_copies()) for one in self.scenarios]
        told = open(self.path("told.txt"), "w", encoding="utf-8")
        self.addCleanup(told.close)
        urls = self.serve(*files, "--judge", "--seed", "7", "--out", self.path("run"), stdout=told)
        for one in self.scenarios:
            one.urls = {lane: one.url_of(lane, urls) for lane in range(len(one.victims))}
        self.open_before = descriptors(self.process.pid)

    def everywhere(self, call, lanes):
        """For each scenario and each of its lanes; what went wrong in any is raised here."""
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            asked = {(one.name, lane): pool.submit(call, one, lane) for one in self.scenarios for lane in lanes(one)}
        return {where: future.result() for where, future in asked.items()}

    def nothing_is_left(self):
        wait_for(lambda: descriptors(self.process.pid) == self.open_before, 30)
        self.assertEqual(descriptors(self.process.pid), self.open_before, "descriptors of clients that are gone")

    def test_at_every_step_of_every_scenario(self):
        self.everywhere(Scenario.kill, lambda one: [0])
        self.everywhere(Scenario.kill, lambda one: range(1, len(one.victims)))
        self.nothing_is_left()
        self.assertIsNone(self.process.poll())
        self.the_steps_were_reached()
        totals = self.everywhere(Scenario.total_by_asking, lambda one: [] if one.moves else range(len(one.victims)))
        self.assertEqual([where for where, total in totals.items() if total is None], [], "no clean answer")
        self.nothing_is_left()
        self.stop()
        for one in self.scenarios:
            journal = records(self.path("run"), one.name)
            with self.subTest(one.name):
                self.each_ended_once(one, journal)
                self.ledger_agrees(one, journal)
                if not one.moves:
                    self.vendor_agrees(one, journal, totals)

    def the_steps_were_reached(self):
        """Or there would be nothing to see. Behind a handshake or an answer that does not come there is no step."""
        for one in self.scenarios:
            with self.subTest(one.name):
                if one.moves:
                    continue
                if not one.may_fail_connect:
                    self.assertEqual(bool(one.out_of_reach), one.spoils_handshake)
                self.assertEqual(one.length == 0, one.is_silent)

    def each_ended_once(self, one, journal):
        connections = [r for r in journal if r["kind"] == "connection"]
        exchanges = [r for r in journal if r["kind"] == "exchange"]
        self.assertEqual(next(r for r in journal if r["kind"] == "journal")["lost"], 0)
        if not one.moves:
            self.assertEqual(collections.Counter(c["lane"] for c in connections), one.connections)
        self.assertEqual([c["number"] for c in connections], list(range(1, len(connections) + 1)))
        self.assertEqual([c["number"] for c in connections if "closed" not in c], [])
        self.assertEqual([e["number"] for e in exchanges], list(range(1, len(exchanges) + 1)))
        carried = collections.Counter(e["connection"] for e in exchanges)
        self.assertEqual({c["number"]: c["exchanges"] for c in connections if c["exchanges"]}, dict(carried))
        for exchange in exchanges:
            receipt = exchange["receipt"]
            self.assertNotIn(receipt["ending"], ("open", "failed"), exchange)
            self.assertTrue("ended" in receipt or "departed" in receipt, exchange)
            self.assertLessEqual(receipt["bytes_written"], receipt["bytes_planned"], exchange)

    def ledger_agrees(self, one, journal):
        effects = {r["number"]: r for r in journal if r["kind"] == "effect"}
        claimed = {}
        for exchange in (r for r in journal if r["kind"] == "exchange"):
            numbers = exchange.get("effects", [])
            took_effect = "applied" in exchange and exchange["request"]["method"] == "POST"
            self.assertEqual(len(numbers), 1 if took_effect else 0, exchange)
            self.assertTrue(exchange["request"]["complete"] or not numbers, "half a request takes no effect")
            claimed.update({number: exchange["number"] for number in numbers})
        self.assertEqual(claimed, {number: effect["exchange"] for number, effect in effects.items()})

    def vendor_agrees(self, one, journal, totals):
        made = collections.Counter(r["lane"] for r in journal if r["kind"] == "effect")
        for lane, victim in enumerate(one.victims):
            self.assertEqual(totals[one.name, lane], made[lane], victim)
            if victim.step not in ("request", "first byte", "half of the answer", "whole answer"):
                self.assertEqual(made[lane], 0, victim)


if __name__ == "__main__":
    behaviour.main()
