#!/usr/bin/env python3
"""What really crossed the wire: for each family of faults the segments that the kernel sent, as tshark saw them.

Usage: captures.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
Wants tshark and the right to capture on the loopback; without either every test is skipped, and says so.
"""

import collections
import re
import shutil
import socket
import subprocess
import threading
import unittest

import behaviour
from raw import RawClient, hello, request
from served import Served

FIN, SYN, RST, ACK = 1, 2, 4, 16
PATIENCE = 20
CREATE = request("POST", "/v1/bookings", b'{"reference": "r-1", "product": "prod_1"}')

Segment = collections.namedtuple("Segment", "from_server flags payload")


class Capture:
    """The segments of a port, in their order. Datagrams of our own mark the begin and the end: what lies between two that
    were seen has been seen as well."""

    def __init__(self, port):
        self.port = port
        self.marks = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.marks.bind(("127.0.0.1", 0))
        mark = self.marks.getsockname()[1]
        self.process = subprocess.Popen(
            ["tshark", "-i", "lo", "-n", "-l", "-f", f"tcp port {port} or udp port {mark}", "-T", "fields",
             "-E", "separator=;", "-e", "tcp.srcport", "-e", "tcp.flags", "-e", "tcp.payload", "-e", "udp.payload"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines, self.seen = [], threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.seen:
                self.lines.append(line.rstrip("\n"))
                self.seen.notify_all()

    def mark(self, word):
        """Until it is seen: a capture that has not begun yet misses the first ones."""
        here = self.marks.getsockname()
        with self.seen:
            for _ in range(PATIENCE * 10):
                if self.process.poll() is not None:
                    return False
                self.marks.sendto(word.encode(), here)
                if self.seen.wait_for(lambda: any(line.endswith(";" + word.encode().hex()) for line in self.lines), 0.1):
                    return True
        return False

    def segments(self):
        made = []
        for line in self.lines:
            port, flags, payload, _ = line.split(";")
            if port:
                made.append(Segment(int(port) == self.port, int(flags, 16), bytes.fromhex(payload.replace(":", ""))))
        return made

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.marks.close()
        with self.process.stderr as stderr:
            return stderr.read()


def why_not():
    if not shutil.which("tshark"):
        return "tshark is not here"
    capture = Capture(9)
    may = capture.mark("begin")
    said = capture.end()
    return None if may else f"capturing is not permitted: {said.strip().splitlines()[-1:]}"


class Captures(Served):
    @classmethod
    def setUpClass(cls):
        if reason := why_not():
            raise unittest.SkipTest(reason)

    def spoiled(self, fault, talk, api="any", when="request: 1"):
        """The segments of one connection that meets the fault; `talk` is the client's part."""
        rule = f"  - {{on: any, when: {{{when}}}, fault: {fault}}}\n"
        scenario = self.write("t.yaml", f"mishap: 1\nscenario: t\napi: {api}\nfaults:\n{rule}")
        url = next(iter(self.serve(scenario).values()))
        capture = Capture(int(re.search(r":(\d+)", url.split("//")[1]).group(1)))
        try:
            self.assertTrue(capture.mark("begin"))
            with RawClient(url, PATIENCE) as client:
                talk(client)
                self.assertTrue(capture.mark("talked"))
                self.until_talked = capture.segments()
            self.assertTrue(capture.mark("end"))
        finally:
            capture.end()
            self.close()
        self.received = client.received
        return capture.segments()

    def served_of(self, segments):
        return [segment for segment in segments if segment.from_server]

    def payload(self, segments):
        return b"".join(segment.payload for segment in self.served_of(segments))

    def flags(self, segments):
        return {name for name, bit in (("FIN", FIN), ("RST", RST)) for one in self.served_of(segments) if one.flags & bit}

    @staticmethod
    def to_the_end(client):
        client.send(CREATE)
        client.receive_to_end()

    def test_a_close_at_accept_is_a_fin_and_no_byte(self):
        segments = self.spoiled("{kind: close, at: accept}", lambda client: client.receive_to_end(), when="connection: 1")
        self.assertEqual((self.flags(segments), self.payload(segments)), ({"FIN"}, b""))

    def test_a_reset_at_accept_is_a_rst_and_no_byte(self):
        segments = self.spoiled("{kind: reset, at: accept}", lambda client: client.receive_to_end(), when="connection: 1")
        self.assertEqual((self.flags(segments), self.payload(segments)), ({"RST"}, b""))

    def test_a_lost_answer_has_no_byte(self):
        for by, flag in (("reset", "RST"), ("close", "FIN")):
            segments = self.spoiled(f"{{kind: response_lost, by: {by}}}", self.to_the_end)
            self.assertEqual((self.flags(segments), self.payload(segments)), ({flag}, b""), by)

    def test_a_reset_in_the_body_comes_behind_just_so_many_bytes(self):
        segments = self.spoiled("{kind: reset, at: response_body, after: 7B}", self.to_the_end)
        head, _, body = self.payload(segments).partition(b"\r\n\r\n")
        self.assertTrue(head.startswith(b"HTTP/1.1 201"), head)
        self.assertEqual((self.flags(segments), len(body)), ({"RST"}, 7))
        last = self.served_of(segments)[-1]
        self.assertTrue(last.flags & RST and not last.payload, "the RST is the last that was said")

    def test_a_close_in_the_head_is_a_fin_there(self):
        segments = self.spoiled("{kind: close, at: response_head, after: status line}", self.to_the_end)
        self.assertEqual((self.flags(segments), self.payload(segments)), ({"FIN"}, b"HTTP/1.1 201 Created\r\n"))

    def test_a_half_close_leaves_the_other_half_open(self):
        def talk(client):
            self.to_the_end(client)
            client.send(b"still here")
        segments = self.spoiled("{kind: close, at: response_body, after: 7B, half: true}", talk)
        self.assertEqual(self.flags(self.until_talked), {"FIN"})
        late = [one for one in segments if not one.from_server and one.payload == b"still here"]
        self.assertEqual(len(late), 1)

    def test_a_stall_says_nothing_at_all(self):
        def talk(client):
            client.send(CREATE)
            client.receive_for(0.5)
        self.spoiled("{kind: stall}", talk)
        self.assertEqual((self.flags(self.until_talked), self.payload(self.until_talked)), (set(), b""))

    def test_a_dribble_is_a_segment_for_every_piece(self):
        segments = self.spoiled("{kind: dribble, slice: 5B, gap: 20ms}", self.to_the_end_of_the_answer)
        pieces = [one.payload for one in self.served_of(segments) if one.payload]
        body = self.payload(segments).partition(b"\r\n\r\n")[2]
        self.assertEqual({len(piece) for piece in pieces[1:-1]}, {5})
        self.assertGreaterEqual(len(pieces), len(body) // 5)

    def to_the_end_of_the_answer(self, client):
        client.send(CREATE)
        client.answer("POST")

    def test_an_idle_connection_ends_as_told(self):
        for by, flag in (("fin", "FIN"), ("rst", "RST")):
            segments = self.spoiled(f"{{kind: idle_close, after: 50ms, by: {by}}}", self.to_the_end)
            self.assertEqual(self.flags(segments), {flag})
            self.assertTrue(self.payload(segments).startswith(b"HTTP/1.1 201"))

    def test_what_is_framed_wrong_goes_out_as_it_is_written(self):
        for fault in ("{kind: chunked, how: bad_size}", "{kind: content_length, how: too_long}", "{kind: garbage}",
                      "{kind: surplus}", "{kind: interim, gap: 1ms}"):
            segments = self.spoiled(fault, self.for_a_moment)
            self.assertEqual(self.payload(segments), self.received, fault)
            self.assertTrue(self.received, fault)

    @staticmethod
    def for_a_moment(client):
        client.send(CREATE)
        client.receive_for(0.3)

    def test_a_handshake_is_cut_at_its_byte(self):
        segments = self.spoiled("{kind: reset, at: handshake, after: 9B}", lambda client: (
            client.send(hello()), client.receive_to_end()), api="{from: any, tls: true}", when="connection: 1")
        self.assertEqual((self.flags(segments), len(self.payload(segments))), ({"RST"}, 9))

    def test_an_alert_is_seven_bytes_in_the_clear(self):
        segments = self.spoiled("{kind: tls_alert, alert: protocol_version}", lambda client: (
            client.send(hello()), client.receive_to_end()), api="{from: any, tls: true}", when="connection: 1")
        self.assertEqual((self.flags(segments), self.payload(segments).hex()), ({"FIN"}, "15030300020246"))


if __name__ == "__main__":
    behaviour.main()
