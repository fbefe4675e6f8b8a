"""Many connections that wait: for an answer that is late, for the last of them, for the next byte."""

import contextlib
import json
import resource
import select
import subprocess
import tempfile
import time

from measure import BODY, Failed, settle
from servers import GATE, TRICKLE, late

# Single delays: (how many, over how many ms they are asked for), so far apart that they hardly meet.
SINGLE = {1: (200, 1000), 10: (100, 2000), 100: (20, 3000), 1000: (10, 3000)}
TRICKLE_BEGINS = 60  # seconds until every answer has begun


def allow_descriptors(connections):
    """Servers and load inherit the limit. Nothing, or why so many connections cannot be held here."""
    wanted, hard = connections + 200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(OSError, ValueError):  # only root may go beyond the hard limit, and not everywhere
        most = max(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        return None
    return f"a process may have only {hard} open files here"


def asked(load, what, one, connections, target, delay_ms=0, spread_ms=0):
    return [load, what, str(one.port), str(connections), str(delay_ms), str(spread_ms), "POST", target, BODY]


def held(one, connections, command):
    """What the load tells when it is over, and what its connections cost the server."""
    before, cpu = one.rss_bytes(), one.cpu_seconds()
    patience = 120 + connections / 500
    most, deadline = before, time.monotonic() + patience
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as wrong:
        client = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=wrong)
        try:
            while client.poll() is None and time.monotonic() < deadline:
                most = max(most, one.rss_bytes())
                time.sleep(0.05)
        finally:
            client.kill()
            client.wait()
        said.seek(0)
        wrong.seek(0)
        if client.returncode:
            raise Failed(f"{connections} connections: {wrong.readline().strip() or f'not over after {patience:.0f} s'}")
        told = json.load(said)
    if not told["answered"]:
        raise Failed(f"answered none of {connections} connections")
    return {**told, "bytes_each": max(0, most - before) / connections, "cpu_seconds": one.cpu_seconds() - cpu}


def hold(one, load, connections, delay_ms, spread_ms):
    """Many at once that each wait for an answer: how late it comes, and what a connection costs."""
    told = held(one, connections, asked(load, "delays", one, connections, late(delay_ms), delay_ms, spread_ms))
    return {**{f"error_{key}": value for key, value in told["error_ms"].items()}, **told}


def single_delays(one, load, delays, warm_up=0):
    """How late answers come when hardly two are due at once: p50 and max for each delay."""
    row = {}
    if warm_up:  # what runs for the first time is not what is measured
        hold(one, load, 100 * warm_up, min(delays), 1000 * warm_up)
        settle(one)
    for delay_ms, (count, spread_ms) in delays.items():
        told = hold(one, load, count, delay_ms, spread_ms)
        row.update({f"p50_{delay_ms}": told["error_p50"], f"max_{delay_ms}": told["error_max"]})
        if told["answered"] < count:
            raise Failed(f"answered {told['answered']} of {count} after {delay_ms} ms")
    return row


def barrier(one, load, connections):
    """All are held until the last has asked, and let go together: how long that takes."""
    # Spread, so that the last one meets a server that has taken in all the others.
    told = held(one, connections, asked(load, "barrier", one, connections, GATE, spread_ms=connections // 5))
    if told["answered"] < connections:
        raise Failed(f"let {told['answered']} of {connections} go")
    if told["early"]:
        raise Failed(f"let {told['early']} of {connections} go before the last had come")
    return {**{f"released_{key}": value for key, value in told["released_ms"].items()}, **told}


def trickle(one, load, connections, seconds):
    """A byte each second on all of them: how much of a core that takes."""
    before = one.rss_bytes()
    command = asked(load, "trickle", one, connections, TRICKLE)
    client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        begun, _, _ = select.select([client.stdout], [], [], TRICKLE_BEGINS)
        line = client.stdout.readline() if begun else b""
        if not line or json.loads(line)["answered"] < connections:
            raise Failed(f"not all of {connections} answers have begun: {line.decode().strip() or 'nothing was told'}")
        began, cpu = time.monotonic(), one.cpu_seconds_of_it()
        time.sleep(seconds)
        spent, passed = one.cpu_seconds_of_it() - cpu, time.monotonic() - began
        return {"cores": spent / passed, "bytes_each": max(0, one.rss_bytes() - before) / connections}
    finally:
        client.kill()
        client.wait()
        client.stdin.close()
        client.stdout.close()
