#!/usr/bin/env python3
"""What mock and fault tools got wrong about what comes in, each as a test: odd requests, counts under load, state, chance.

What goes out is in server_cases.py. Each test is named after what went wrong elsewhere, and its docstring names the
public report. Where the same kind is tried below, without a process around it:

| what | by |
| --- | --- |
| that no draw wins at 0 and every one at 1, a million times; shares over twenty seeds | Draws, Rules |
| a thousand connections at once, runs side by side | LiveRunTest, ControlApi |
| what is no request, refused with its reason and its bytes | SessionTest, RequestReader |
| decoding by segment, the nearest route | TargetPath, Routes, Router |

Usage: request_cases.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import concurrent.futures
import json

import behaviour
from raw import Played, RawClient, allow_many_descriptors, join, request

BODY = b'{"reference": "r-1", "product": "p"}'


class Asked(Played):
    def answer_to(self, bytes_, method="GET", patience=10):
        """To these bytes on a connection of their own. Silence is what must never be."""
        with RawClient(self.url, patience=patience) as client:
            client.send(bytes_)
            answer = client.answer(method)
            self.assertNotEqual(answer.status, 0, (client.end, bytes_[:200]))
            return answer

    def reasoned(self, answer, method="GET"):
        """A refusal says why."""
        if answer.status < 400 or method == "HEAD":
            return answer.status
        problem = json.loads(answer.body)
        self.assertEqual(problem["status"], answer.status)
        self.assertGreater(len(problem["detail"]), 10, problem)
        return answer.status

    def status_of(self, bytes_, method="GET"):
        return self.reasoned(self.answer_to(bytes_, method), method)


class FirstAnswers(Played):
    MANY = 1000

    def setUp(self):
        super().setUp()
        allow_many_descriptors()

    def all_at_once(self, bytes_):
        """Statuses of a thousand requests that are under way at the same time."""
        clients = [self.client(patience=60) for _ in range(self.MANY)]
        for client in clients:
            client.send(bytes_)
        statuses = [client.answer().status for client in clients]
        for client in clients:
            client.close()
        return statuses

    def test_a_first_answer_that_is_given_several_times(self):
        """wiremock/wiremock#456, #1069: the step from one state to the next was no single step."""
        self.play("""
  - {on: GET /steps, when: {request: 1}, fault: {kind: status, code: 418}}
  - {on: GET /steps, when: {request: 2}, fault: {kind: status, code: 423}}
  - {on: POST /keyed, when: {attempt: 1}, fault: {kind: status, code: 503}}
  - {on: POST /lost, when: {op: 3}, fault: {kind: status, code: 507}}
""")
        seen = self.all_at_once(request("GET", "/steps"))
        self.assertEqual((seen.count(418), seen.count(423), seen.count(200)), (1, 1, self.MANY - 2))
        seen = self.all_at_once(request("POST", "/keyed", BODY, fields=[("Idempotency-Key", "k-1")]))
        self.assertEqual(seen.count(503), 1)
        self.assertEqual(set(seen) - {503, 201, 409}, set())
        one = self.client()
        seen = [one.ask("POST", "/lost", join('{"reference": "', str(number), '"}')).status for number in range(5)]
        self.assertEqual(seen, [201, 201, 507, 201, 201])
        records = self.journal()
        order = [e["number"] for e in records["exchange"]]
        self.assertEqual(order, list(range(1, 2 * self.MANY + 6)), "each once, in one order")
        fired = [(e["answer"]["status"], e["number"]) for e in records["exchange"] if any(r["fired"] for r in e.get("rules", []))]
        self.assertEqual(sorted(status for status, _ in fired), [418, 423, 503, 507])
        self.assertEqual((dict(fired)[418], dict(fired)[423]), (1, 2), "and in the order that is told")
        made = [e for e in records["effect"] if e["resource"] == "/keyed"]
        self.assertEqual(len(made), 1, "one key, one effect")


class SideBySide(Played):
    def test_parallel_tests_that_share_one_state(self):
        """wiremock/wiremock#498, #273, #48: one test's requests moved another test's state. Here a state belongs to an
        address: of a run, and within it of a copy of the client."""
        text = "mishap: 1\nscenario: {}\napi: any\nclient: {{copies: 2}}\nfaults: [{{on: POST /a, when: {{request: 1}}, fault: status}}]\n"
        files = [self.write(f"{name}.yaml", text.format(name)) for name in ("one", "two")]
        urls = self.serve(*files, "--judge", "--out", self.path("run"))
        self.assertEqual(len(set(urls.values())), 4, urls)
        clients = [RawClient(url) for url in urls.values()]
        keyed = {"fields": [("Idempotency-Key", "k")]}
        for client in clients:
            self.addCleanup(client.close)
        self.assertEqual([client.ask("POST", "/a", BODY).status for client in clients], [503] * 4)
        made = [client.ask("POST", "/a", BODY, **keyed) for client in clients]
        self.assertEqual([answer.status for answer in made], [201] * 4)
        self.assertEqual([answer.field("Idempotency-Replayed") for answer in made], [None] * 4)
        self.assertEqual(clients[0].ask("DELETE", f"/a/{json.loads(made[0].body)['id']}").status, 204)
        totals = [json.loads(client.ask("GET", "/a").body)["total"] for client in clients]
        self.assertEqual(totals, [0, 1, 1, 1])


class Chance(Asked):
    def statuses(self, seed, count, target, rate):
        self.play(f"  - {{on: GET {target}/*, when: {{rate: {rate}}}, fault: status}}\n", seed=seed)
        with self.client() as client:
            return [client.ask("GET", f"{target}/{number}").status for number in range(count)]

    def test_a_share_of_nothing_that_still_hits(self):
        """Shopify/toxiproxy#603: a toxicity of 0 hit now and then."""
        self.assertEqual(set(self.statuses(1, 3000, "/never", "0%")), {200})
        self.assertEqual(set(self.statuses(1, 3000, "/always", "100%")), {503})

    def test_a_choice_that_nobody_can_repeat(self):
        first = self.statuses(11, 200, "/some", "30%")
        told = [e["rules"][0] for e in self.journal()["exchange"]]
        self.assertEqual([rule["fired"] for rule in told], [status == 503 for status in first])
        self.assertTrue(all((rule["draws"][0]["value"] < 0.3) == rule["fired"] for rule in told), "each decision is logged")
        self.assertTrue(30 <= first.count(503) <= 90, first.count(503))
        self.assertEqual(self.statuses(11, 200, "/some", "30%"), first)
        self.stop()
        self.assertNotEqual(self.statuses(12, 200, "/some", "30%"), first)


class Framing(Asked):
    def test_two_framings_of_which_nothing_is_told(self):
        """mountebank-testing/mountebank#770, mitmproxy/mitmproxy#1033: with Transfer-Encoding and Content-Length the
        connection just ended, with no answer and no log. What is smuggled behind must not be answered either."""
        self.play()
        smuggled = request("POST", "/smuggled", BODY)
        length, chunked = f"Content-Length: {len(smuggled) + 5}", "Transfer-Encoding: chunked"
        framings = ([length, chunked], [chunked, length], [chunked, "Content-Length: 0"], ["Content-Length: 3", length],
                    ["Content-Length: 3, 7"], ["Content-Length: +3"], ["Content-Length: -3"], ["Content-Length: 0x3"],
                    ["Content-Length: 3 3"], ["Content-Length: "], ["Content-Length: 99999999999999999999999"],
                    ["Transfer-Encoding: chunked, identity"], ["Transfer-Encoding: xchunked"], ["Transfer-Encoding: "],
                    ["Transfer-Encoding: identity"], ["Transfer-Encoding:\x0bchunked"], ["Transfer-Encoding : chunked"],
                    ["Transfer-Encoding: \"chunked\""], [chunked, "Transfer-Encoding: identity"], ["X: y\r\n Transfer-Encoding: chunked"])
        sent = []
        for lines in framings:
            sent.append(join("POST /outer HTTP/1.1\r\nHost: x\r\n", "\r\n".join(lines), "\r\n\r\n0\r\n\r\n", smuggled))
            with self.subTest(lines), self.client() as client:
                client.send(sent[-1])
                answer = client.answer()
                self.assertIn(self.reasoned(answer), (400, 413, 501))
                self.assertEqual((client.receive_to_end(), client.end), (b"", "fin"), "one answer and the end")
        self.next_request_is_clean()
        records = self.journal()
        told = [e for e in records["exchange"] if e["role"] == "rejected"]
        self.assertEqual(len(told), len(framings))
        for exchange, bytes_ in zip(told, sent):
            self.assertTrue(bytes_.startswith(raw_of(exchange)[:60]) and len(raw_of(exchange)) > 60, exchange)
            self.assertTrue(exchange["note"])
        self.assertEqual(records["effect"], [])


def raw_of(exchange):
    raw = exchange["request"]["raw"]
    return bytes.fromhex(raw["hex"]) if isinstance(raw, dict) else raw.encode()


class Bytes(Asked):
    def test_every_byte_in_every_place(self):
        """mockoon/mockoon#229, stoplightio/prism#1934: an odd byte led to an exception, and that to silence."""
        self.play()
        places = {"value": lambda byte: request("GET", "/a", fields=[("X-A", b"a" + byte + b"b")]),
                  "name": lambda byte: request("GET", "/a", fields=[(b"X" + byte + b"A", "v")]),
                  "target": lambda byte: request("GET", b"/a" + byte + b"b"),
                  "query": lambda byte: request("GET", b"/a?b=" + byte + b"&" + byte + b"=c"),
                  "method": lambda byte: request(b"G" + byte + b"T", "/a"),
                  "host": lambda byte: request("GET", "/a", host=b"x" + byte),
                  "version": lambda byte: request("GET", "/a", version=b"HTTP/1" + byte + b"1"),
                  "type": lambda byte: request("POST", "/a", b"{}").replace(b"application", byte),
                  "body": lambda byte: request("POST", "/a", b'{"reference": "' + byte + b'"}')}
        cases = [(place, byte, make(bytes([byte]))) for place, make in places.items() for byte in range(256)]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            statuses = dict(zip([case[:2] for case in cases], pool.map(self.status_of, [case[2] for case in cases])))
        self.assertEqual({status for status in statuses.values() if status >= 500} - {501, 505}, set())
        for byte in (*range(9), *range(10, 32), 127):
            # RFC 9110 section 5.5: not even where a client could take it for harmless.
            self.assertEqual(statuses["value", byte], 400, byte)
        for byte in (9, *range(32, 127), *range(128, 256)):
            self.assertEqual(statuses["value", byte], 200, byte)
        self.next_request_is_clean()
        self.assertIsNone(self.process.poll())

    def test_a_field_name_in_another_case(self):
        """mockoon/mockoon#229: only Content-Type in its usual case led to an answer."""
        self.play(api="booking")
        for name in ("Content-Type", "content-type", "CONTENT-TYPE", "cOnTeNt-TyPe"):
            for between in (": ", ":", ":\t ", ":   "):
                for value, status in (("application/json", 201), ("Application/JSON", 201), ("application/json;charset=utf-8", 201),
                                      ("application/json ; charset=\"UTF-8\"", 201), ("text/xml", 415), ("application/jsonp", 415)):
                    line = join(name, between, value)
                    bytes_ = request("POST", "/v1/bookings", BODY).replace(b"Content-Type: application/json", line)
                    self.assertEqual(self.status_of(bytes_), status, line)
        for turn in (str.lower, str.upper, str.title):
            chunked = join(turn("Transfer-Encoding"), ": ", turn("chunked"), "\r\n", turn("Connection"), ": ", turn("close"))
            bytes_ = join("POST /v1/bookings HTTP/1.1\r\n", turn("Host"), ": x\r\n", chunked, f"\r\n\r\n{len(BODY):X}\r\n", BODY, "\r\n0\r\n\r\n")
            with self.subTest(turn), self.client() as client:
                client.send(bytes_)
                self.assertEqual((client.answer().status, client.receive_to_end(), client.end), (201, b"", "fin"))
        keyed = request("POST", "/v1/bookings", BODY, fields=[("Idempotency-Key", "k")])
        self.assertEqual(self.answer_to(keyed).field("Idempotency-Replayed"), None)
        self.assertEqual(self.answer_to(keyed.replace(b"Idempotency-Key", b"idempotency-key")).field("Idempotency-Replayed"), "true")

    def test_a_pattern_that_is_not_ascii(self):
        """stoplightio/prism#1934: a Cyrillic pattern became bytes that no header may hold, and no reply came."""
        word = "\u043f\u0443\u0442\u044c"
        encoded = "".join(f"%{byte:02X}" for byte in word.encode())
        self.play(f"""
  - {{on: GET /{word}/fault, fault: {{kind: status, code: 418, body: {word}}}}}
  - {{on: {{path: /matched, header: {{X-City: {word}}}, query: {{q: {word}}}}}, fault: {{kind: status, code: 423}}}}
""", api=f"{{from: any, routes: [{{on: GET /{word}, json: {{{word}: {word}}}}}]}}")
        for spelt in (word, encoded, encoded.lower()):
            answer = self.answer_to(request("GET", f"/{spelt}"))
            self.assertEqual((answer.status, json.loads(answer.body)), (200, {word: word}))
            answer = self.answer_to(request("GET", f"/{spelt}/fault"))
            self.assertEqual((answer.status, answer.body), (418, word.encode()))
            self.assertEqual(self.answer_to(request("GET", f"/matched?q={spelt}", fields=[("X-City", word)])).status, 423)
        made = self.answer_to(request("POST", f"/{word}/{encoded}", BODY))
        self.assertEqual(made.status, 201)
        self.assertTrue(made.field("Location").isascii(), made.field("Location"))
        self.assertEqual(self.status_of(request("GET", made.field("Location"))), 200)


class Limits(Asked):
    NORMAL = request("GET", "/clean")
    HUGE = {"a URL of 64 KiB": (414, request("GET", "/" + "u" * 65536)), "a query of 64 KiB": (414, request("GET", "/?" + "q=1&" * 16384)),
            "a field of 256 KiB": (431, request("GET", "/a", fields=[("X-Big", "x" * 262144)])),
            "a name of 256 KiB": (431, request("GET", "/a", fields=[("X" * 262144, "x")])),
            "fields of 256 KiB": (431, request("GET", "/a", fields=[(f"X-{n}", "x" * 120) for n in range(2048)])),
            "a cookie of 256 KiB": (431, request("GET", "/a", fields=[("Cookie", "c=1; " * 52000)]))}
    MANY = request("GET", "/a", fields=[(f"X-Field-{n}", "v") for n in range(2000)])

    def test_a_limit_that_says_404_or_nothing(self):
        """mock-server/mockserver-monorepo#297, #627, wiremock/wiremock#1885: what was too long was cut or dropped, and
        then nothing matched it."""
        for api in ("any", "booking"):
            self.play(api=api)
            for name, (status, bytes_) in self.HUGE.items():
                with self.subTest(name, api=api):
                    self.assertEqual(self.status_of(bytes_), status)
                    self.assertEqual(self.status_of(self.NORMAL), 200 if api == "any" else 404)
            self.assertEqual(self.status_of(self.MANY), 200 if api == "any" else 404, "2000 small fields are within the limit")
            self.close()

    def test_a_limit_that_cannot_be_raised(self):
        """wiremock/wiremock#1885: what went well before an upgrade got a 431 after it."""
        self.play(api="{from: any, limits: {target: 128KiB, head: 512KiB}}")
        for name, (_, bytes_) in self.HUGE.items():
            with self.subTest(name):
                self.assertEqual(self.status_of(bytes_), 200)
        self.assertEqual(self.status_of(self.MANY), 200)
        self.assertEqual(self.status_of(request("GET", "/" + "u" * 131072)), 414)
        self.assertEqual(self.status_of(request("GET", "/a", fields=[("X-Big", "x" * 600_000)])), 431)


class Targets(Asked):
    FOUND = "/v1/bookings/bk_1"
    METHODS = ("GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get", "X", "M-SEARCH",
               "!#$%&'*+-.^_`|~")
    TARGETS = ("/", "//", "/%2F", "/%2f/%00", "/../..", "/a/../b", "/a+b", "/a;b=c", "/%", "/%g0", "http://x/a", "http://x", "*", "x:1",
               "a", "?", "#", "/?", "/\\", "/a|b", "/{id}", "/:id", "/*", "/\u00e9", b"/\xe9\xff", "///" * 100, "/" + "a/" * 2000)

    def test_a_target_that_is_matched_in_another_form(self):
        """wiremock/wiremock#528, hibri/HttpMock#56: decoded and raw paths were mixed up. A path is decoded by segment,
        once; %2F stays within its segment; nothing is normalised away; what finds nothing says what is near."""
        self.play(api="booking")
        self.assertEqual(self.status_of(request("POST", "/v1/bookings", BODY)), 201)
        for method, target, status in (
                ("GET", self.FOUND, 200), ("GET", "/v1/bookings/%62k_1", 200), ("GET", "/%76%31/bookings/bk_1", 200),
                ("GET", "/v1%2Fbookings/bk_1", 404), ("GET", "/v1%2fbookings%2fbk_1", 404), ("GET", "/v1/bookings%2Fbk_1", 404),
                ("GET", "/v1/bookings/bk_1%00", 404), ("GET", "/v1/bookings/%00", 404), ("GET", "/v1/bookings/bk%5F1", 200),
                ("GET", "/v1/bookings/bk%255F1", 404), ("GET", "//v1/bookings/bk_1", 404), ("GET", "/v1//bookings/bk_1", 404),
                ("GET", "/v1/bookings//bk_1", 404), ("GET", "/v1/bookings/", 404), ("GET", "/v1/products/../bookings", 404),
                ("GET", "/../v1/bookings", 404), ("GET", "/v1/./bookings", 404), ("GET", "/v1/%2e%2e/v1/bookings", 404),
                ("GET", "/v1/bookings?reference=r%2D1", 200), ("GET", "/v1/bookings?a+b=c+d&a+b", 200), ("GET", "/v1/bookings?", 200),
                ("GET", "/v1/bookings?%", 200), ("GET", "/v1/bookings?%zz=%0", 200), ("GET", "/v1/bookings/+", 404),
                ("GET", "/v1/bookings/%", 404), ("GET", "/v1/bookings/%zz", 404), ("GET", "http://127.0.0.1" + self.FOUND, 200),
                ("GET", "http://vendor.example:8080" + self.FOUND + "?x=1", 200), ("GET", "HTTPS://x" + self.FOUND, 200),
                ("GET", "http://x", 404), ("GET", "http://", 404), ("GET", "*", 404), ("OPTIONS", "*", None),
                ("OPTIONS", "/v1/bookings", None),
                ("CONNECT", "vendor.example:443", None), ("GET", "vendor.example:443", 404), ("GET", "v1/bookings", 404),
                ("get", "/v1/bookings", None), ("Get", "/v1/bookings", None), ("BREW", "/v1/bookings", None),
                ("TRACE", "/v1/bookings", None),
                ("HEAD", "/v1/bookings", 200), ("HEAD", "/v1/nothing", 404), ("GET", "/v1/bookings#part", 404),
                ("GET", "/V1/bookings", 404)):
            with self.subTest(f"{method} {target}"):
                got = self.status_of(request(method, target), method)
                if status is None:
                    self.assertIn(got, (200, 204, 400, 404, 405, 501))
                else:
                    self.assertEqual(got, status)
                self.assertEqual(self.status_of(request("GET", self.FOUND)), 200)
        problem = json.loads(self.answer_to(request("GET", "/v1/bookngs")).body)
        self.assertIn("/v1/bookings", problem["detail"])

    def test_a_target_under_a_vendor_that_takes_every_path(self):
        self.play()
        for method in self.METHODS:
            for target in self.TARGETS:
                with self.subTest(method=method, target=target[:40]):
                    body = BODY if method in ("POST", "PUT", "PATCH") else b""
                    got = self.status_of(request(method, target, body), method)
                    self.assertIn(got, (200, 201, 204, 400, 404, 405, 501))
        self.next_request_is_clean("/of/its/own")  # "/" has become a collection

    def test_a_host_with_a_port(self):
        """mock-server/mockserver-monorepo#297 and its kind: a Host other than the expected one matched nothing."""
        self.play(api="booking")
        right = ("x:80", "127.0.0.1:1", "[::1]:8080", "[::1]", "vendor.example", "VENDOR.example:443", "", "x.", "1.2.3.4", "a_b")
        for host in right:
            with self.subTest(host):
                self.assertEqual(self.status_of(request("GET", "/v1/ping", host=host)), 200)
        for host in ("x y", "\u0436", "x,y", "x:y", "http://x", "x" * 5000, "@", "a/b", "[", "\t"):
            with self.subTest(host):
                self.assertIn(self.status_of(request("GET", "/v1/ping", host=host)), (200, 400))
        self.assertEqual(self.status_of(request("GET", "/v1/ping", host=None)), 400)
        self.assertEqual(self.status_of(request("GET", "/v1/ping", fields=[("Host", "x")])), 400)
        self.assertEqual(self.status_of(request("GET", "/v1/ping", host=None, version="HTTP/1.0")), 200)
        self.assertEqual(self.status_of(request("GET", "/v1/ping")), 200)


if __name__ == "__main__":
    behaviour.main()
