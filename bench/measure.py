"""What is measured of a server: how it starts, what it serves, what that costs, how late it is."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


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
    """A server that answers by now, or nothing that was started."""

    def __init__(self, server, folder):
        self.port = free_port()
        self.server = server
        command = server.command(self.port, folder)
        self.log = open(os.path.join(folder, "log"), "wb")
        began = time.monotonic()
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL,
                                        start_new_session=True, cwd=folder)
        self.start_up = self.first_answer(began + 30) - began

    def first_answer(self, deadline):
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as client:
                client.settimeout(5)
                client.sendall(b"GET / HTTP/1.1\r\nHost: bench\r\n\r\n")
                if client.recv(1):
                    return time.monotonic()
            time.sleep(0.0005)
        self.end()
        raise RuntimeError(f"{self.server.name} did not come up: see {self.log.name}")

    def cpu_seconds(self):
        spent = 0
        for pid in descendants(self.process.pid):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
                fields = stat.read().rpartition(")")[2].split()
                spent += int(fields[11]) + int(fields[12])
        return spent / TICKS

    def rss_bytes(self):
        held = 0
        for pid in descendants(self.process.pid):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/statm", encoding="ascii") as statm:
                held += int(statm.read().split()[1]) * PAGE
        return held

    def end(self):
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


UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def throughput(one, script, connections, seconds):
    """Creates over kept connections: requests a second, their latency, and what they cost the server."""
    before = one.cpu_seconds()
    done = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script,
                           f"http://127.0.0.1:{one.port}/v1/bookings"], capture_output=True, text=True, check=True)
    spent = one.cpu_seconds() - before
    text = done.stdout
    requests = int(re.search(r"(\d+) requests in", text)[1])

    def latency(share):
        value, unit = re.search(rf"\b{share}%\s+([\d.]+)(us|ms|s)\b", text).groups()
        return float(value) * UNITS[unit]

    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    return {"requests_per_second": float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), "p50_ms": latency(50),
            "p99_ms": latency(99), "cpu_per_100k": spent * 100_000 / max(requests, 1), "rss_mib": one.rss_bytes() / 2**20,
            "not_created": int(refused[1]) if refused else 0}


def hold(one, load, connections, delay_ms, spread_ms):
    """Many at once that each wait for an answer: how late it comes, and what a connection costs."""
    before, cpu = one.rss_bytes(), one.cpu_seconds()
    most = before
    client = subprocess.Popen([load, str(one.port), str(connections), str(delay_ms), str(spread_ms), "GET", "/v1/slow"],
                              stdout=subprocess.PIPE, text=True)
    while client.poll() is None:
        most = max(most, one.rss_bytes())
        time.sleep(0.05)
    told = json.loads(client.stdout.read())
    told["bytes_each"] = max(0, most - before) / connections
    told["cpu_seconds"] = one.cpu_seconds() - cpu
    return told
