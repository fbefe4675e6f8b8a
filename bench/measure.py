"""What is measured of a server: how it starts, what it serves, what that costs, how late it is."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time

from servers import DELAYS_MS, free_port, late

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
BODY = ('{"reference":"bench-0","product":"p-1","guests":2,"date":"2030-12-24",'
        '"name":"A Name Of Some Length","notes":"a few words that make it as long as a booking is"}')
FIELDS = {"Content-Type": "application/json", "Authorization": "Bearer mishap-token"}
CREATE = ("POST /v1/bookings HTTP/1.1\r\nHost: bench\r\n" + "".join(f"{k}: {v}\r\n" for k, v in FIELDS.items())
          + f"Content-Length: {len(BODY)}\r\n\r\n{BODY}").encode()
START_UP = 60  # seconds that a server may take to answer
WRONG = 5      # seconds that it may answer something else than what it is told to
SETTLED = 15   # seconds that it may go on with what is over


class Failed(Exception):
    """A server did not do what is measured; says why."""


def descendants(pid):
    """The process and all that it started."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children", encoding="ascii") as children:
                    found += map(int, children.read().split())
    return found


class Running:
    """A server that answers a create by now, or nothing that was started."""

    def __init__(self, server, folder):
        self.port = free_port()
        self.server = server
        command = server.command(self.port, folder)
        self.log = open(os.path.join(folder, "log"), "wb")
        began = time.monotonic()
        # Peers keep things in the home of whoever runs them: here that is the folder of the round.
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL,
                                        start_new_session=True, cwd=folder, env={**os.environ, "HOME": folder})
        try:
            self.start_up = self.first_create(began) - began
        except BaseException:
            self.end()
            raise

    def first_create(self, began):
        """When the first create was answered with 201."""
        deadline, wrong = began + START_UP, None
        while time.monotonic() < deadline and self.process.poll() is None:
            status = self.try_create()
            now = time.monotonic()
            if status == 201:
                return now
            if status and not wrong:
                wrong, deadline = status, now + WRONG
            # Fine enough for what starts fast, and no load of its own for what starts late.
            time.sleep(max(0.0005, (now - began) / 50))
        if self.process.poll() is not None:
            raise Failed(f"ended by itself with {self.process.returncode}: {self.last_line()}")
        raise Failed(f"answers {wrong} to a create, not 201" if wrong else f"answers nothing within {START_UP} s")

    def try_create(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as client:
            client.settimeout(5)
            client.sendall(CREATE)
            found = re.match(rb"HTTP/1\.1 (\d+)", client.recv(64))
            return int(found[1]) if found else None
        return None

    def last_line(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as log:
            lines = [line.strip() for line in log if line.strip()]
        return lines[-1][:200] if lines else "it printed nothing"

    def cpu_seconds(self):
        """Of the whole tree, with what children that ended had spent."""
        spent = 0
        for pid in descendants(self.process.pid):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
                spent += sum(map(int, stat.read().rpartition(")")[2].split()[11:15]))
        return spent / TICKS

    def cpu_seconds_of_it(self):
        """Of the process alone, by its own clock: finer than the ticks of all its tree."""
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def rss_bytes(self):
        held = 0
        for pid in descendants(self.process.pid):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/statm", encoding="ascii") as statm:
                held += int(statm.read().split()[1]) * PAGE
        return held

    def end(self):
        # A child may have left the group, so each is ended by its number; the group is for those started meanwhile.
        for pid in descendants(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()


@contextlib.contextmanager
def running(server, folder):
    os.makedirs(folder, exist_ok=True)
    one = Running(server, folder)
    try:
        yield one
    finally:
        one.end()


def check(one):
    """Raises unless creates are answered as all servers answer them here, at once and late."""
    targets = ["/v1/bookings"] + ([late(min(DELAYS_MS))] if one.server.waits else [])
    for target in targets:
        client = http.client.HTTPConnection("127.0.0.1", one.port, timeout=10)
        try:
            client.request("POST", target, BODY, FIELDS)
            answer = client.getresponse()
            text = answer.read()
            if answer.status != 201 or not json.loads(text).get("id"):
                raise Failed(f"answers {answer.status} to POST {target}: {text[:100]!r}")
            if answer.will_close:
                raise Failed("closes the connection after each answer")
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Failed(f"answers POST {target} wrongly: {error}") from error
        finally:
            client.close()


UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4}


def wrk(one, script, connections, seconds, name):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script,
               f"http://127.0.0.1:{one.port}/v1/bookings", "--", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 30, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"the load did not end within {seconds + 30} s") from error
    if done.returncode:
        raise Failed(f"wrk: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def settle(one):
    """Waits until nothing is left of a load that is over: creates that nobody waits for are answered all the same."""
    deadline, spent = time.monotonic() + SETTLED, -1.0
    while spent != one.cpu_seconds() and time.monotonic() < deadline:
        spent = one.cpu_seconds()
        time.sleep(0.2)


def throughput(one, script, connections, seconds, warm_up=0):
    """Creates over kept connections: requests a second, their latency, and what they cost the server."""
    idle = one.rss_bytes()
    if warm_up:
        wrk(one, script, connections, warm_up, "warm")
        settle(one)
    before = one.cpu_seconds()
    text = wrk(one, script, connections, seconds, "bench")
    spent = one.cpu_seconds() - before
    requests = int(re.search(r"(\d+) requests in", text)[1])
    if not requests:
        raise Failed("answered nothing under load")

    def latency(share):
        value, unit = re.search(rf"\b{share}%\s+([\d.]+)(us|ms|s|m)\b", text).groups()
        return float(value) * UNITS[unit]

    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    if refused:
        raise Failed(f"did not create {refused[1]} of {requests} times")
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    return {"requests_per_second": float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), "p50_ms": latency(50),
            "p99_ms": latency(99), "cpu_per_100k": spent * 100_000 / requests, "rss_idle_mib": idle / 2**20,
            "rss_mib": one.rss_bytes() / 2**20, "socket_errors": sum(map(int, broken.groups())) if broken else 0}
