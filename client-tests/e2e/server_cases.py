#!/usr/bin/env python3
"""What mock and fault tools got wrong about what goes out, each as a test: answers, their framing, their pace, their end.

What comes in, counts and chance are in request_cases.py. Each test is named after what went wrong elsewhere, and its
docstring names the public report. Where the same kind is tried below, without a process around it:

| what | by |
| --- | --- |
| RST and FIN by every fault, at every place, with receipts | FaultOnTheWire, CutInChunks, ExecutorTest |
| the same over TLS, cuts of the handshake | TlsOnTheWire, CutFlight, EndedFlight |
| recorded answers to HEAD and their lengths | UpstreamTest.AnswersWithoutABodyKeepTheirOwnFraming |
| invitations and refusals in their place | SessionTest, Invitation |
| a gigabyte of an answer, a bomb | long_answers.py |

Importing real OpenAPI files is not there yet, and so nor are its cases.

Usage: server_cases.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import gzip
import json
import time

import behaviour
from raw import MOST_RSS, Played, memory, request

LINE = b"HTTP/1.1 201 Created\r\n"
BODY = b'{"reference": "r-1"}'


def dechunked(body):
    """Also of the beginning of a body."""
    content = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        content += body[:int(size, 16)]
        body = body[int(size, 16) + 2:]
    return content


class Ends(Played):
    TLS = "{from: any, tls: true}"

    def test_a_reset_that_leaves_the_client_waiting(self):
        """wiremock/wiremock#812, #2033: neither FIN nor RST went out, over HTTPS as well. Where it should come from
        nothing else ends the connection within a client's patience, so that to meet it at all is to meet the scripted
        one."""
        plain = request("PUT", "/a/1", BODY)
        unread = request("PATCH", "/a/1", b"x" * 100_000)
        for api in ("any", self.TLS):
            self.play("""
  - {on: POST /*, when: {request_on_connection: 2}, fault: reset}
  - {on: PUT /*, fault: reset}
  - {on: PATCH /*, at: request_head, do: reset}
""", api)
            for name, first, spoiled in (("plain", b"", plain), ("HTTP/1.0", b"", plain.replace(b"HTTP/1.1", b"HTTP/1.0")),
                                         ("kept alive", request("POST", "/a", BODY), request("POST", "/a", BODY)),
                                         ("body half sent", b"", unread[:50_000]), ("body sent and unread", b"", unread),
                                         ("more behind it", b"", plain + request("GET", "/next"))):
                with self.subTest(name, api=api), self.client() as client:
                    if first:
                        client.send(first)
                        self.assertEqual(client.answer().status, 201)
                    client.send(spoiled)
                    self.assertEqual((client.receive_to_end(), client.end), (b"", "reset"))
            self.next_request_is_clean()
            met = [e for e in self.journal()["exchange"] if e.get("rules")]
            self.assertEqual([e["receipt"]["ending"] for e in met], ["reset"] * 6)
            self.assertTrue(all(e["rules"][0]["delivered"] for e in met), met)

    def test_a_reset_that_turns_into_a_fin(self):
        """Shopify/toxiproxy#238, #247, #333: bytes were written, then came a plain close. However much was written
        and whatever lies unread, exactly that arrives and then a RST."""
        places = {"/none": "at: after_effect", "/one": "at: response_head, after: 1B", "/line": "at: response_head, after: status line",
                  "/head": "at: response_head, after: 100%", "/body": "at: response_body, after: 7B",
                  "/whole": "at: after_response", "/chunk": "at: response_body, after: chunk 1 + 6B"}
        rules = "  - {on: POST /chunk, fault: {kind: chunked, size: 4B}}\n"
        rules += "".join(f"  - {{on: POST {path}, {place}, do: reset}}\n" for path, place in places.items())
        rules += """
  - {on: POST /big, fault: {kind: large_body, size: 4MiB, at: after_effect}}
  - {on: POST /big, at: response_body, after: 1MiB, do: reset}
  - {on: POST /early, at: request_head, do: reset}
"""
        wanted = {"/none": lambda raw, body: raw == b"", "/one": lambda raw, body: raw == b"H",
                  "/line": lambda raw, body: raw == LINE, "/head": lambda raw, body: raw.endswith(b"\r\n\r\n"),
                  "/body": lambda raw, body: len(body) == 7, "/whole": lambda raw, body: json.loads(body)["id"],
                  "/chunk": lambda raw, body: body == b'4\r\n{"id\r\n4\r\n"', "/big": lambda raw, body: len(body) == 1 << 20,
                  "/early": lambda raw, body: raw == b""}
        for api in ("any", self.TLS):
            self.play(rules, api)
            for path, is_right in wanted.items():
                for behind in (b"", b"unread" * 1000):
                    with self.subTest(path, api=api, unread=len(behind)), self.client() as client:
                        client.send(request("POST", path, BODY) + behind)
                        raw = client.receive_to_end()
                        self.assertEqual(client.end, "reset")
                        self.assertTrue(is_right(raw, raw.partition(b"\r\n\r\n")[2]), raw[:300])
            self.next_request_is_clean()

    def test_a_fin_that_turns_into_a_reset(self):
        """The other way round (Shopify/toxiproxy#238): a close over unread bytes makes the kernel send a RST."""
        for api in ("any", self.TLS):
            self.play("""
  - {on: POST /none, at: after_effect, do: close}
  - {on: POST /head, at: response_head, after: status line, do: close}
  - {on: POST /body, at: response_body, after: 7B, do: close}
  - {on: POST /early, at: request_head, do: close}
  - {on: POST /whole, at: after_response, do: close}
""", api)
            for path, begins in (("/none", b""), ("/head", LINE), ("/body", LINE), ("/early", b""), ("/whole", LINE)):
                with self.subTest(path, api=api), self.client() as client:
                    client.send(request("POST", path, BODY + b" " * 200_000) + request("GET", "/next") * 20)
                    raw = client.receive_to_end()
                    self.assertEqual(client.end, "fin")
                    self.assertTrue(raw.startswith(begins) if begins else raw == b"", raw[:100])
            self.next_request_is_clean()

    def test_every_answer_that_says_close(self):
        """mountebank-testing/mountebank#205, #158: Connection: close was forced and written into the user's stub."""
        routes = "[{on: GET /stub, json: {a: 1}}, {on: GET /closing, headers: {Connection: close}, json: {a: 1}}]"
        self.play("  - {on: GET /once, at: after_response, do: close}\n", api=f"{{from: any, routes: {routes}}}")
        with self.client() as client:
            answers = [client.ask("GET", "/stub") for _ in range(100)]
            self.assertEqual(len({answer.raw for answer in answers}), 1)
            self.assertEqual((answers[0].status, answers[0].all("Connection"), client.end), (200, [], "open"))
            last = client.ask("GET", "/closing")
            self.assertEqual((last.status, last.all("Connection")), (200, ["close"]))
            self.assertEqual((client.receive_to_end(), client.end), (b"", "fin"))
        for target, fields in (("/once", ()), ("/stub", [("Connection", "close")])):
            with self.subTest(target), self.client() as client:
                self.assertEqual(client.ask("GET", target, fields=fields).status, 200)
                self.assertEqual((client.receive_to_end(), client.end), (b"", "fin"))
        with self.client() as client:
            self.assertEqual(client.ask("GET", "/stub").raw, answers[0].raw, "nobody wrote into the stub")


class Pace(Played):
    GAP = 0.03

    def test_a_slow_body_that_comes_at_once(self):
        """wiremock/wiremock#1097: with gzip the dribble collapsed into one chunk."""
        slow = "at: response_body, do: slice, slice: 4B, gap: 30ms"
        self.play(f"""
  - {{on: POST /length, {slow}}}
  - {{on: POST /chunked, fault: {{kind: chunked, size: 16B}}}}
  - {{on: POST /chunked, {slow}}}
  - {{on: POST /gzip, fault: {{kind: gzip, how: right, at: after_effect}}}}
  - {{on: POST /gzip, {slow}}}
""")
        for path, content in (("/length", bytes), ("/chunked", dechunked), ("/gzip", gzip.decompress)):
            with self.subTest(path), self.client() as client:
                sent = time.monotonic()
                answer = client.ask("POST", path, BODY)
                self.assertEqual(json.loads(content(answer.body))["reference"], "r-1")
                slices = -(-len(answer.body) // 4)
                self.assertGreaterEqual(client.pieces[-1][0] - sent, (slices - 1) * self.GAP)
                # A machine that is busy may let a few of them come together, not most.
                self.assertGreater(len(client.pieces), slices / 2, [len(piece) for _, piece in client.pieces])

    def test_a_head_that_waits_for_its_body(self):
        """wiremock/wiremock#966: the body was made whole before the first byte went out."""
        self.play("""
  - {on: POST /late, at: response_body, do: delay, for: 1500ms}
  - {on: POST /never, at: response_head, after: 100%, do: stall}
  - {on: POST /huge, fault: {kind: large_body, size: 1GiB}}
""")
        with self.client() as client:
            sent = time.monotonic()
            answer = client.ask("POST", "/late", BODY)
            head_at, body_at = (client.pieces[at][0] - sent for at in (0, -1))
            self.assertTrue(client.pieces[0][1].endswith(b"\r\n\r\n"), client.pieces)
            self.assertEqual(answer.status, 201)
            self.assertGreaterEqual(body_at, 1.5)
            self.assertLess(head_at, body_at / 2)
        with self.client() as client:
            client.send(request("POST", "/never", BODY))
            self.assertTrue(client.receive_until(b"\r\n\r\n").endswith(b"\r\n\r\n"))
            self.assertTrue(client.receive_for(0.2).endswith(b"\r\n\r\n"))
        with self.client(receive_buffer=1 << 16) as client:
            client.send(request("POST", "/huge", BODY))
            client.receive_bytes(1 << 16)
            self.assertGreater(int(client.answer("HEAD").field("Content-Length")), 1 << 30)
            self.assertLess(memory(self.process.pid), MOST_RSS)
        self.next_request_is_clean()


class Lengths(Played):
    SPOILERS = ("{kind: gzip, how: right}", "{kind: gzip, how: corrupt}", "{kind: large_body, size: 1MiB}", "html_page", "invalid_json",
                "wrong_shape", "empty_body", "bad_text", "odd_json", "chunked", "{kind: chunked, how: bad_size}",
                "{kind: content_length, how: too_short}", "{kind: content_length, how: missing}", "truncated_body",
                "{kind: dribble, gap: 1ms}", "{kind: many_headers, count: 9}", "keep_alive", "{kind: status, code: 404}",
                "{kind: status, code: 503, body: words}", "{kind: status, code: 200, json: {a: 1}}", "{kind: interim, gap: 1ms}")

    def after_the_blank_line(self, client, method):
        """What stands where the next answer begins, and the end."""
        answer = client.answer(method)
        while 100 <= answer.status < 200:
            answer = client.answer(method)
        # A create: no rule here answers with 201 by itself.
        client.send(request("POST", "/clean", BODY))
        client.receive_until(b"\r\n\r\n")
        return answer, client.received

    def test_a_body_behind_a_head_request(self):
        """wiremock/wiremock#1169, mitmproxy/mitmproxy#6547, nodejs/undici#5610: a length led to a body, or went missing.
        Whatever a rule makes of the body, nothing stands behind the blank line but the next answer."""
        rules = "".join(f"  - {{on: HEAD /f{number}, fault: {fault}}}\n" for number, fault in enumerate(self.SPOILERS))
        self.play(rules + '  - {on: HEAD /recorded, fault: {kind: status, code: 200, headers: {Content-Length: "12345"}}}\n')
        with self.client() as client:
            length = client.ask("GET", "/things").field("Content-Length")
            self.assertEqual(client.ask("HEAD", "/things").field("Content-Length"), length)
            self.assertEqual(client.ask("HEAD", "/recorded").field("Content-Length"), "12345")
            self.assertEqual(client.ask("GET", "/things").status, 200, "the connection is still in step")
        for number, fault in enumerate(self.SPOILERS):
            with self.subTest(fault), self.client() as client:
                client.send(request("HEAD", f"/f{number}"))
                answer, behind = self.after_the_blank_line(client, "HEAD")
                self.assertGreaterEqual(answer.status, 200, answer.raw)
                self.assertTrue(behind.startswith(LINE) if client.end == "open" else behind == b"", behind[:100])

    def test_a_body_behind_a_status_that_has_none(self):
        """nodejs/undici#5610 and others: 204 and 304 with a body or a length of one, 205 with content."""
        routes = ", ".join(f"{{on: PUT /{code}, status: {code}, json: {{a: 1}}}}" for code in (204, 205, 304))
        self.play("".join(f"  - {{on: {method} /{code}, fault: {{kind: status, code: {code}, at: {at}}}}}\n"
                          for code in (204, 205, 304) for method, at in (("GET", "before_effect"), ("POST", "after_effect"))),
                  api=f"{{from: any, routes: [{routes}]}}")
        for method in ("GET", "POST", "PUT"):
            for code in (204, 205, 304):
                with self.subTest(code, method=method), self.client() as client:
                    client.send(request(method, f"/{code}", b"" if method == "GET" else BODY))
                    answer, behind = self.after_the_blank_line(client, method)
                    self.assertEqual(answer.status, code)
                    self.assertEqual(answer.body, b"")
                    self.assertTrue(behind.startswith(LINE), behind[:100])
                    if code == 204:
                        self.assertEqual(answer.all("Content-Length") + answer.all("Transfer-Encoding"), [])

    def test_a_length_in_characters(self):
        """wiremock/wiremock#907, SpectoLabs/hoverfly#818, #763: the length was not made anew, or counted characters."""
        text = "a\u0107\u20ac\U0001F422\r\n\x00\u65e5\u672c"
        quoted = json.dumps(text, ensure_ascii=False)  # YAML knows no surrogates
        lower = f'{{on: GET /lower, body: {quoted}, headers: {{content-length: "{len(text.encode())}"}}}}'
        routes = f"[{{on: GET /text, body: {quoted}}}, {{on: GET /json, json: {{t: {quoted}}}}}, {lower}]"
        self.play(f"""
  - {{on: GET /fault, fault: {{kind: status, code: 200, body: {quoted}}}}}
  - {{on: GET /short, fault: {{kind: status, code: 200, body: {quoted}, headers: {{Content-Length: "3"}}}}}}
  - {{on: GET /long, fault: {{kind: status, code: 200, body: {quoted}, headers: {{Content-Length: "999"}}}}}}
""", api=f"{{from: any, routes: {routes}}}")
        with self.client() as client:
            for target in ("/text", "/fault", "/lower"):
                answer = client.ask("GET", target)
                self.assertEqual((answer.body, answer.all("Content-Length")), (text.encode(), [str(len(text.encode()))]))
            self.assertEqual(json.loads(client.ask("GET", "/json").body), {"t": text})
            for spelt in (quoted, json.dumps(text)):
                made = json.loads(client.ask("POST", "/echo", f'{{"reference": {spelt}}}'.encode()).body)
                self.assertEqual(made["reference"], text)
                self.assertEqual(json.loads(client.ask("GET", f"/echo/{made['id']}").body)["reference"], text)
        for target, length in (("/short", "3"), ("/long", "999")):
            with self.subTest(target), self.client() as client:
                client.send(request("GET", target, fields=[("Connection", "close")]))
                head, _, body = client.receive_to_end().partition(b"\r\n\r\n")
                self.assertIn(b"\r\nContent-Length: " + length.encode(), head)
                self.assertEqual(body, text.encode())

    def test_an_empty_body_without_a_length(self):
        """SpectoLabs/hoverfly#697, wiremock/wiremock#1755: without Content-Length: 0 the client waits for the end."""
        self.play("""
  - {on: POST /made, fault: empty_body}
  - {on: GET /text, fault: {kind: status, code: 200, body: ""}}
  - {on: GET /error, fault: {kind: status, code: 500, body: ""}}
  - {on: POST /after, fault: {kind: status, code: 202, body: "", at: after_effect}}
""", api='{from: any, routes: [{on: GET /route, status: 200}, {on: GET /quoted, body: ""}, {on: POST /route, status: 201}]}')
        with self.client() as client:
            for method, target, status in (("POST", "/made", 201), ("GET", "/text", 200), ("GET", "/error", 500), ("POST", "/after", 202),
                                           ("GET", "/route", 200), ("GET", "/quoted", 200), ("POST", "/route", 201)):
                answer = client.ask(method, target, BODY if method == "POST" else b"")
                self.assertEqual((answer.status, answer.body, answer.all("Content-Length")), (status, b"", ["0"]), target)
            self.assertEqual((client.ask("GET", "/clean").status, client.end), (200, "open"))


class Invitations(Played):
    ASKED = request("POST", "/a", BODY, fields=[("Expect", "100-continue")])[:-len(BODY)]
    CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

    def test_a_body_that_is_waited_for_and_never_invited(self):
        """postmanlabs/httpbin#429: it waited for a body that never came, and said 408."""
        self.play()
        for value in ("100-continue", "100-Continue"):
            with self.subTest(value), self.client() as client:
                client.send(self.ASKED.replace(b"100-continue", value.encode()))
                self.assertEqual(client.receive_bytes(len(self.CONTINUE)), self.CONTINUE)
                self.assertEqual(client.receive_for(0.1), self.CONTINUE, "and then it waits")
                client.send(BODY)
                self.assertEqual((client.answer().status, client.answer().status), (100, 201))
        with self.client() as client:
            client.send(self.ASKED.replace(b"HTTP/1.1", b"HTTP/1.0") + BODY)
            self.assertEqual(client.answer().status, 201, "HTTP/1.0 knows no interim answers")
        with self.client() as client:
            self.assertEqual(client.ask("GET", "/a", fields=[("Expect", "100-continue")]).status, 200, "nothing to invite")

    def test_an_unknown_expectation_that_is_met_with_silence(self):
        """cherrypy/cherrypy#1173 and its kind: RFC 9110 lets it be ignored or refused with 417, not forgotten."""
        self.play()
        for value in ("", "200-ok", "100-continue, more", "\u00e9", "x" * 5000):
            with self.subTest(value[:20]), self.client() as client:
                client.send(request("POST", "/a", BODY, fields=[("Expect", value)]))
                answer = client.answer()
                while answer.status == 100:
                    answer = client.answer()
                self.assertIn(answer.status, (201, 400, 417))
        self.next_request_is_clean()

    def invited(self, fault, target=b"/a"):
        """What comes before the body is sent, and what comes after it."""
        self.play(f"  - {{on: POST {target.decode()}, fault: {fault}}}\n")
        client = self.client()
        client.send(self.ASKED)
        before = client.receive_for(0.3)
        client.take(len(before))
        if client.end == "open":
            client.send(BODY)
            client.receive_until(b'"r-1"}')
        return before, client

    def test_an_invitation_that_is_withheld(self):
        before, client = self.invited("expect_continue")
        self.assertEqual((before, client.answer().status), (b"", 201))

    def test_several_invitations(self):
        before, client = self.invited("{kind: expect_continue, how: repeated, count: 4}")
        self.assertEqual((before, client.answer().status), (self.CONTINUE * 4, 201))

    def test_an_invitation_behind_the_body(self):
        before, client = self.invited("{kind: interim, status: 100, count: 1}")
        self.assertEqual(before, self.CONTINUE)
        self.assertEqual((client.answer().status, client.answer().status), (100, 201))

    def test_100_and_then_417(self):
        """cherrypy/cherrypy#1173: the body was invited and then refused. A refusal comes instead of the 100, and ends
        the connection: whether the body still follows cannot be known."""
        for code in (417, 413, 401, 201):
            with self.subTest(code):
                before, client = self.invited(f"{{kind: status, code: {code}, at: request_head}}")
                client.received = before + client.received
                self.assertEqual(client.answer().status, code)
                self.assertEqual((client.receive_to_end(), client.end), (b"", "fin"))
                self.next_request_is_clean()


if __name__ == "__main__":
    behaviour.main()
