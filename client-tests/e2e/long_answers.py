#!/usr/bin/env python3
"""Answers longer than memory: they arrive whole, and mishap stays small.

Usage: long_answers.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import http.client
import pathlib
import re
import zlib

import behaviour
from raw import RawClient, request
from served import Served

GIB = 1024 ** 3
MOST_RSS = 64 * 1024  # KiB


class LongAnswers(Served):
    def answer(self, fault):
        """The answer to a create under this fault, its body not read yet."""
        urls = self.serve("any", "--fault", f"POST /orders {fault}")
        connection = http.client.HTTPConnection(urls["any"].split("//")[1], timeout=60)
        self.addCleanup(connection.close)
        connection.request("POST", "/orders", "{}", {"Content-Type": "application/json"})
        return connection.getresponse()

    def peak_rss(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))

    def read_all(self, answer, take):
        size = 0
        while piece := answer.read(1 << 20):
            size += take(piece)
        return size

    def test_a_gigabyte_of_json(self):
        answer = self.answer("large_body size=1GiB")
        length = int(answer.headers["Content-Length"])
        self.assertEqual(self.read_all(answer, len), length)
        self.assertGreater(length, GIB)
        self.assertLess(self.peak_rss(), MOST_RSS)

    def test_a_bomb_unpacks_to_a_gigabyte(self):
        answer = self.answer("gzip how=bomb size=1GiB")
        self.assertLess(int(answer.headers["Content-Length"]), 4 << 20)
        unpacker = zlib.decompressobj(wbits=31)
        self.assertEqual(self.read_all(answer, lambda piece: len(unpacker.decompress(piece))), GIB)
        self.assertTrue(unpacker.eof)
        self.assertLess(self.peak_rss(), MOST_RSS)

    def test_an_answer_that_never_comes_to_an_end(self):
        urls = self.serve("any", "--fault", "POST /orders interim endless=true gap=1ms")
        with RawClient(urls["any"]) as client:
            client.send(request("POST", "/orders", b"{}"))
            client.receive_for(3)
            self.assertEqual(client.end, "open")
            self.assertGreater(client.received.count(b"HTTP/1.1 1"), 500)
        self.assertLess(self.peak_rss(), MOST_RSS)


if __name__ == "__main__":
    behaviour.main()
