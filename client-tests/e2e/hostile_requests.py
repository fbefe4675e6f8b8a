#!/usr/bin/env python3
"""Requests that are broken on purpose, sixty-four at a time, while faults come and go: mishap stays up, small and in order.

Usage: hostile_requests.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]

What is sent follows from a seed, which is printed: MISHAP_HOSTILE_SEED repeats it. MISHAP_HOSTILE_BURSTS sends more
than CI does, and MISHAP_HOSTILE_FIRST begins at a later burst. A sanitizer's build is known by its symbols; its memory
is not judged.
"""

import concurrent.futures
import os
import pathlib
import random
import re
import time

import behaviour
from behaviour import GIVEN
from raw import MOST_RSS, Played, RawClient, descriptors, memory, request, wait_for

AT_ONCE = 64
IN_A_BURST = 256
BURSTS = int(os.environ.get("MISHAP_HOSTILE_BURSTS", "24"))
FIRST = int(os.environ.get("MISHAP_HOSTILE_FIRST", "0"))
SEED = int(os.environ.get("MISHAP_HOSTILE_SEED", "20261130"))
ENOUGH = 20  # seconds after which no further burst begins, where the number was not asked for

VENDOR = "from: any, limits: {target: 2KiB, head: 16KiB, body: 64KiB}, routes: [{on: GET /plain, json: {ok: true}}]"
PHASES = "[{phase: one, for: 500ms}, {phase: two, for: 500ms}, {phase: three, for: 500ms}, {phase: four, for: 500ms}, {phase: five, for: 300s}]"
# No rule leaves a connection open and silent: whoever has said all must get an end.
RULES = """
  - {on: any, when: {connection: every 9}, at: accept, do: reset}
  - {on: any, when: {connection: every 11}, at: accept, do: close}
  - {on: {path: /f/early}, when: {rate: 50%}, at: request_head, do: reset}
  - {on: {path: /f/early}, fault: {kind: status, code: 413, at: request_head}}
  - {on: {method: POST, path: /f/*}, when: {request_on_connection: 2.., rate: 40%}, at: before_effect, do: close}
  - {on: {path: /f/*}, when: {during: two, rate: 30%}, fault: {kind: status, code: 503, retry_after: "1"}}
  - {on: {path: /f/*}, when: {request: every 5}, fault: {kind: latency, for: 20ms}}
  - {on: {method: POST, path: /f/*}, when: {attempt: 1, rate: 30%}, fault: response_lost}
  - {on: {path: /f/*}, when: {request: every 13}, fault: {kind: chunked, size: 5B}}
  - {on: {path: /f/*}, when: {during: three, rate: 60%}, fault: {kind: chunked, size: 50B}}
  - {on: {path: /f/*}, when: {rate: 10%}, fault: {kind: many_headers, count: 50}}
  - {on: {path: /f/*}, when: {rate: 10%}, fault: {kind: interim, gap: 5ms}}
  - {on: {path: /f/*}, when: {rate: 15%}, at: response_head, after: header 1, do: reset}
  - {on: {path: /f/*}, when: {request: every 19}, fault: {kind: large_body, size: 2MiB}}
  - {on: {path: /f/*}, when: {during: four, rate: 50%}, fault: {kind: large_body, size: 1MiB}}
  - {on: {path: /f/*}, when: {rate: 20%}, at: response_body, after: 3B, do: close}
  - {on: {path: /f/*}, when: {request: every 4}, at: response_body, do: slice, slice: 40B, gap: 2ms}
  - {on: {path: /f/*}, when: {rate: 20%}, fault: surplus}
"""

TLS_RULES = """
  - {on: any, when: {connection: every 7}, at: handshake, after: 60%, do: reset}
  - {on: any, when: {connection: every 5}, at: handshake, after: 9B, do: close}
  - {on: any, when: {connection: every 8}, fault: tls_alert}
  - {on: {path: /f/*}, when: {rate: 30%}, fault: no_close_notify}
"""

CHUNKED = b"POST /f/c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4;a=b\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\nT: v\r\n\r\n"
RIGHT = (request("GET", "/f/a?b=c"), request("POST", "/f/a", b'{"reference": "r-1"}'), request("PUT", "/f/a/1", b'{"a": [1]}'),
         CHUNKED, request("POST", "/f/early", b"x" * 3000), request("HEAD", "/f/a"), request("DELETE", "/f/a/1"), request("GET", "/plain"),
         request("POST", "/f/b", b"{}", fields=[("Expect", "100-continue"), ("Idempotency-Key", "k")]),
         request("POST", "/f/a", b"a=1&b=2", version="HTTP/1.0", fields=[("Connection", "keep-alive")]),
         request("OPTIONS", "*"), request("CONNECT", "x:443"), request("GET", "http://x/f/a", fields=[("Connection", "close")]))
NUMBERS = [b"0", b"-1", b"+5", b"00", b"1e3", b"0x10", b" 7 ", b"7, 7", b"\xd9\xa3", b"ffffffffffffffff",
           b"10000000000000000", str(2**31).encode(), str(2**32 + 3).encode(), str(2**63).encode(), str(2**64 + 5).encode(), b"9" * 400,
           b"fffffffe", b"80000000", b""]
FRAMINGS = [b"Content-Length: 5", b"Content-Length: 6", b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip, chunked",
            b"transfer-encoding:\tchunked", b"Transfer-Encoding: identity", b"Content-Length:", b"Content-Length: 5, 5",
            b"Expect: 100-continue", b"Connection: close, keep-alive", b"Upgrade: h2c", b"Trailer: Content-Length",
            b" folded: 1", b"Host: y"]
JUNK = [b"\x00", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b"\n\n", b"\t", b" ", b":", b"\xff\xfe", b"\xc0\x80", b"\x1b[2J", b"%00",
        b"A" * 3000, b"A" * 20_000]


def spoil(pick, bytes_):
    """One way of many to make it wrong, or odd, or merely long."""
    at, end = sorted(pick.randrange(len(bytes_) + 1) for _ in range(2))
    way = pick.randrange(10)
    if way == 0:
        return bytes_[:at]
    if way == 1 and bytes_:
        flipped = bytearray(bytes_)
        for _ in range(pick.randint(1, 8)):
            flipped[pick.randrange(len(flipped))] ^= 1 << pick.randrange(8)
        return bytes(flipped)
    if way == 2:
        return bytes_[:end] + bytes_[at:end] * pick.choice((1, 2, 50)) + bytes_[end:]
    if way == 3:
        other = pick.choice(RIGHT)
        return bytes_[:at] + other[pick.randrange(len(other)):]
    if way == 4:
        return re.sub(rb"(?i)(content-length: *)\d+", lambda found: found.group(1) + pick.choice(NUMBERS), bytes_)
    if way == 5:
        return re.sub(rb"\r\n[0-9a-f]+(?=[;\r])", lambda found: b"\r\n" + pick.choice(NUMBERS), bytes_)
    if way == 6:
        line = bytes_.find(b"\r\n") + 2
        return bytes_[:line] + b"".join(pick.choice(FRAMINGS) + b"\r\n" for _ in range(pick.randint(1, 3))) + bytes_[line:]
    if way == 7:
        return bytes_[:at] + pick.choice(JUNK) + bytes_[at:]
    if way == 8:
        return bytes_[:at] + bytes_[end:]
    hello = b"\x16\x03\x01" + pick.randbytes(2) + b"\x01\x00" + pick.randbytes(2) + b"\x03\x03" + pick.randbytes(pick.randrange(600))
    return pick.choice((hello, hello[:pick.randrange(len(hello))], bytes_ + hello, pick.randbytes(pick.randrange(1, 400))))


class Stranger:
    """One connection, what is said on it and how it is left: all of it follows from the seed and two numbers."""

    def __init__(self, burst, number):
        self.pick = pick = random.Random(f"{SEED} {burst} {number}")
        requests = [pick.choice(RIGHT) for _ in range(pick.choice((1, 1, 1, 2, 3, 30)))]
        for _ in range(pick.choice((0, 1, 1, 1, 2, 3))):
            which = pick.randrange(len(requests))
            requests[which] = spoil(pick, requests[which])
        self.bytes = b"".join(requests)
        self.leaves = pick.choice(("at once", "reset", "half", "half", "half", "soon"))
        self.shakes_hands = pick.random() < 0.6
        self.wrong = None

    def pieces(self):
        cuts = sorted(self.pick.randrange(len(self.bytes) + 1) for _ in range(self.pick.choice((0, 0, 1, 3, 20))))
        return [self.bytes[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(self.bytes)])]

    def visit(self, url):
        tls = url.startswith("https:")
        try:
            client = RawClient(url, patience=20, tls=tls and self.shakes_hands)
        except OSError as error:
            # Met a rule at accept, or at the handshake.
            self.wrong = "silence in the handshake" if isinstance(error, TimeoutError) else None
            return self
        for piece in self.pieces():
            client.send(piece)
        if self.leaves == "soon":
            client.receive_for(self.pick.choice((0.001, 0.02, 0.1)))
        if self.leaves == "half":
            self.say_all(client)
        if client.received[:9] != b"HTTP/1.1 "[:len(client.received)] and not (tls and not self.shakes_hands):
            self.wrong = f"what came is no HTTP: {client.received[:60]!r}"
        client.reset() if self.leaves == "reset" else client.close()
        return self

    def say_all(self, client):
        try:
            client.send_fin()
        except OSError:
            pass  # its RST was faster
        client.receive_to_end()
        if client.end == "open":
            self.wrong = f"silence after {len(client.received)} bytes"


class HostileRequests(Played):
    def setUp(self):
        super().setUp()
        binary = pathlib.Path(GIVEN["mishap"]).read_bytes()
        self.is_sanitized = b"__asan_init" in binary or b"__tsan_init" in binary
        print(f"MISHAP_HOSTILE_SEED={SEED}", flush=True)

    def begin(self, api, rules):
        self.play(rules, api=f"{api}\ntimeline: {PHASES}", seed=SEED)
        self.open_before = descriptors(self.process.pid)

    def burst(self, number):
        strangers = [Stranger(number, each) for each in range(IN_A_BURST)]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            wrong = [s for s in pool.map(lambda stranger: stranger.visit(self.url), strangers) if s.wrong]
        self.assertEqual([(s.wrong, s.bytes[:300]) for s in wrong], [], f"burst {number}")

    def last_words(self):
        return "" if self.process.poll() is None else self.process.stderr.read()[-3000:]

    def is_well(self):
        """Within a few connections: some of them the rules at accept take away."""
        for _ in range(8):
            try:
                with RawClient(self.url, patience=10, tls=self.url.startswith("https:")) as client:
                    if client.ask("GET", "/plain", fields=[("Connection", "close")]).status == 200:
                        return True
            except OSError:
                pass
        return False

    def test_bursts(self):
        self.begin("{" + VENDOR + "}", RULES)
        journal = self.send_bursts(BURSTS)
        # Each way to answer was met, or the seeds have become too tame to prove anything.
        met = {rule["fault"] for e in journal["exchange"] for rule in e.get("rules", []) if rule["fired"]}
        self.assertEqual(met, {"reset", "close", "status", "latency", "response_lost", "chunked", "many_headers", "interim", "large_body",
                               "dribble", "surplus"})
        self.assertIn("rejected", {e["role"] for e in journal["exchange"]})

    def test_bursts_over_tls(self):
        self.begin("{" + VENDOR + ", tls: true}", TLS_RULES + RULES)
        journal = self.send_bursts(-(-BURSTS // 3))
        failed = [c for c in journal["connection"] if "finished" not in c.get("tls", {})]
        self.assertGreater(len(failed), len(journal["connection"]) / 5)
        self.assertIn("rejected", {e["role"] for e in journal["exchange"]})

    def send_bursts(self, count):
        began, sent = time.monotonic(), 0
        for number in range(FIRST, FIRST + count):
            if time.monotonic() - began > ENOUGH and "MISHAP_HOSTILE_BURSTS" not in os.environ:
                break
            with self.subTest(burst=number):
                self.burst(number)
                sent += IN_A_BURST
                self.assertTrue(self.process.poll() is None, "mishap is gone: " + self.last_words())
                self.assertTrue(self.is_well())
                wait_for(lambda: descriptors(self.process.pid) == self.open_before, 20)
                self.assertEqual(descriptors(self.process.pid), self.open_before)
                if not self.is_sanitized:
                    self.assertLess(memory(self.process.pid), MOST_RSS)
        print(f"{sent} connections in {time.monotonic() - began:.1f} s, {memory(self.process.pid)} KiB at most", flush=True)
        return self.whole_journal()

    def whole_journal(self):
        journal = self.journal()
        self.assertEqual([e["number"] for e in journal["exchange"]], list(range(1, len(journal["exchange"]) + 1)))
        self.assertEqual([c["number"] for c in journal["connection"] if "closed" not in c], [])
        for exchange in journal["exchange"]:
            self.assertNotIn(exchange["receipt"]["ending"], ("open", "failed"), exchange)
        claimed = [number for e in journal["exchange"] for number in e.get("effects", [])]
        self.assertEqual(sorted(claimed), [effect["number"] for effect in journal["effect"]])
        return journal


if __name__ == "__main__":
    behaviour.main()
