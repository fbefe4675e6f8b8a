"""How what a request costs grows with what there is: rules, routes, what is stored, the journal, connections, bytes.

A curve is a list of points; at each, a mishap of its own (or one that goes on) answers a fixed number of requests.
"""

import json
import os
import subprocess

from measure import Failed, running
from servers import Scripted

HEAD = "mishap: 1\nscenario: growth\n"
CREATE = '{"reference":"g-{n}","product":"p-1","guests":2,"date":"2030-12-24","name":"A Name Of Some Length"}'
SAMPLE = 20_000  # requests at a point
CONNECTIONS = 32
PATIENCE = 300   # seconds for what one load sends
LONGEST = 2.0    # seconds that a load of what may be slow is meant to take
FLAT = 1.25      # what a curve may rise from its lowest point to its last and still be called flat


def decades(first, last):
    points = [first]
    while points[-1] * 10 <= last:
        points.append(points[-1] * 10)
    return points


class Curves:
    """Measures the curves, and keeps what is smaller where it only is to be seen that they work."""

    def __init__(self, build, scratch, most=1_000_000, sample=SAMPLE, body_most=100_000_000):
        self.build, self.scratch, self.most, self.sample, self.body_most = build, scratch, most, sample, body_most
        self.sender = os.path.join(build, "bench", "mishap-bench-send")
        self.runs = 0

    def all(self):
        """(title, name of the points, rows, columns) of each."""
        yield "Rules about other paths", "rules", self.rules(self.rule_elsewhere), REQUESTS
        yield "Rules about the same path that do not apply", "rules", self.rules(self.rule_here), REQUESTS
        yield "Routes; the last is asked for", "routes", self.routes(), REQUESTS
        yield "Collections; what is created belongs to the last", "collections", self.collections(), REQUESTS
        yield from self.stored()
        yield "Journal: exchanges before", "exchanges", self.journal(), REQUESTS
        yield "Connections", "connections", self.connections(), REQUESTS
        yield "Bytes of a body", "bytes", self.bodies(), BODIES

    def mishap(self, text):
        self.runs += 1
        return running(Scripted(self.build, "mishap", HEAD + text), os.path.join(self.scratch, f"growth-{self.runs}"))

    def send(self, one, count, method, target, body="", first=0, connections=CONNECTIONS, pad=0):
        """So many requests: how many a second, and what each costs."""
        command = [self.sender, str(one.port), str(connections), str(first), str(count), str(pad), method, target]
        before = one.cpu_seconds_of_it()
        try:
            done = subprocess.run(command + ([body] if body else []), capture_output=True, text=True, timeout=PATIENCE,
                                  check=False)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{count} requests were not answered within {PATIENCE} s") from error
        spent = one.cpu_seconds_of_it() - before
        if done.returncode:
            raise Failed(f"{method} {target}: {(done.stderr or done.stdout).strip()}")
        told = json.loads(done.stdout)
        if told["refused"]:
            raise Failed(f"{method} {target}: {told['refused']} of {count} were not answered with success")
        return {"requests_per_second": count / told["seconds"], "cpu_per_100k": spent * 100_000 / count,
                "slowest_ms": told["slowest_ms"], "rss_mib": one.rss_bytes() / 2**20, "seconds": told["seconds"],
                "cpu": spent}

    def send_for_a_while(self, one, method, target):
        """As send(), of a number that fits the time: one request of these may take a thousand times another."""
        few = max(3, self.sample // 5000)
        slow = self.send(one, few, method, target)["seconds"] / few
        return self.send(one, min(self.sample, max(few, int(LONGEST / slow))), method, target)

    def warm(self, one, method, target, body=""):
        self.send(one, max(100, self.sample // 10), method, target, body)

    def point(self, text, method, target, body=""):
        with self.mishap(text) as one:
            self.warm(one, method, target, body.replace("g-", "warm-"))
            return self.send(one, self.sample, method, target, body)

    def counts(self):
        return decades(1, min(1000, self.most))

    @staticmethod
    def rule_elsewhere(number):
        return f"  - {{on: POST /v1/other-{number}, fault: {{kind: status, code: 503}}}}\n"

    @staticmethod
    def rule_here(number):
        return (f"  - {{on: POST /v1/bookings, when: {{request: {900_000_000 + number}}}, "
                "fault: {kind: status, code: 503}}\n")

    def rules(self, rule):
        for count in self.counts():
            text = "api: any\nfaults:\n" + "".join(map(rule, range(count)))
            yield count, self.point(text, "POST", "/v1/bookings", CREATE)

    def routes(self):
        for count in self.counts():
            text = "api:\n  from: any\n  routes:\n" + "".join(
                f"    - {{on: GET /v1/route-{number}, json: {{ok: true}}}}\n" for number in range(count))
            yield count, self.point(text, "GET", f"/v1/route-{count - 1}")

    def collections(self):
        for count in self.counts():
            text = "api:\n  from: booking\n  resources:\n" + "".join(
                f"    c{number}: {{path: /v1/c{number}, reference: reference}}\n" for number in range(count))
            yield count, self.point(text, "POST", f"/v1/c{count - 1}", CREATE)

    def stored(self):
        """One mishap in which more and more is stored. What is created to that end is measured over its last part."""
        asked = {"a read of one item": "/v1/bookings/bk_{middle}", "a lookup by reference": "/v1/bookings?reference=g-{middle}",
                 "a page of the list": "/v1/bookings?limit=10"}
        curves = {name: [] for name in ["a create", *asked]}
        with self.mishap("api: booking\n") as one:
            stored = 1  # by whoever waited for its start
            for count in decades(10, self.most):
                row = self.fill(one, stored, count)
                if count >= 1000 or count == self.most:
                    curves["a create"].append((count, row))
                stored = count
                for name, target in asked.items():
                    row = self.send_for_a_while(one, "GET", target.format(middle=max(2, count // 2)))
                    curves[name].append((count, row))
        for name, points in curves.items():
            yield f"Stored: {name}", "stored", points, REQUESTS

    def fill(self, one, stored, count):
        sample = min(self.sample, (count - stored + 1) // 2)
        first = count - sample
        if first > stored:
            self.send(one, first - stored, "POST", "/v1/bookings", CREATE, first=stored)
        return self.send(one, sample, "POST", "/v1/bookings", CREATE, first=first)

    def journal(self):
        text = "api:\n  from: any\n  routes:\n    - {on: GET /v1/ping, json: {ok: true}}\n"
        with self.mishap(text) as one:
            known = 1
            for count in decades(1000, self.most):
                sample = min(self.sample, (count - known) // 2)
                filled = self.send(one, count - known - sample, "GET", "/v1/ping")
                row = self.send(one, sample, "GET", "/v1/ping")
                yield count, {**row, "slowest_ms": max(row["slowest_ms"], filled["slowest_ms"])}
                known = count

    def connections(self):
        for count in [*self.counts(), *([5000] if self.most > 5000 else [])]:
            with self.mishap("api: any\n") as one:
                self.send(one, max(count, self.sample // 10), "POST", "/v1/bookings", CREATE, connections=count)
                yield count, self.send(one, max(count, self.sample), "POST", "/v1/bookings", CREATE, connections=count)

    def bodies(self):
        for size in decades(1000, self.body_most):
            text = "api:\n  from: any\n  limits: {body: 200MiB}\n"
            count = max(2, min(self.sample, 100_000_000 // size))
            body = '{"reference":"g","notes":"{pad}"}'
            with self.mishap(text) as one:
                row = self.send(one, count, "POST", "/v1/bookings", body, connections=min(count, 4), pad=size)
                mebibytes = size * count / 2**20
                yield size, {**row, "mib_per_second": mebibytes / row["seconds"],
                             "cpu_per_gib": row["cpu"] * 1024 / mebibytes}


# (key, title, digits); the first is what a curve is called flat by.
REQUESTS = (("cpu_per_100k", "CPU s / 100k", 2), ("requests_per_second", "requests/s", 0),
            ("slowest_ms", "slowest ms", 1), ("rss_mib", "RSS MiB", 0))
BODIES = (("cpu_per_gib", "CPU s / GiB", 2), ("mib_per_second", "MiB/s", 0), ("slowest_ms", "slowest ms", 1),
          ("rss_mib", "RSS MiB", 0))


def shape(points, key):
    """What the curve does, in words: its last point beside its lowest."""
    low, least = min(points, key=lambda point: point[1][key])
    last = points[-1][0]
    if least[key] <= 0:
        return "too short to say"
    ratio = points[-1][1][key] / least[key]
    return f"{'flat' if ratio <= FLAT else 'rises'}: x {ratio:.2f} at {last} of what it is at {low}"
