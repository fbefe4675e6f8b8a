"""What a suite costs where its clients take no time, and how soon mishap is there."""

import json
import os
import subprocess
import time

from measure import TICKS, Failed
from servers import write

PATIENCE = 600  # seconds for a suite
# What goes wrong, in turn: a client that tries once and tells the truth passes each.
FAULTS = ("{kind: status, code: 503}", "{kind: status, code: 400}", "{kind: latency, for: 1ms}", "odd_json", "keep_alive",
          "chunked", "extra_fields")
SCENARIO = """mishap: 1
scenario: suite-{number}
api: booking
faults:
  - on: POST /v1/bookings
    when: {{attempt: 1}}
    fault: {fault}
"""


def write_scenarios(folder, count):
    os.makedirs(folder)
    for number in range(count):
        write(folder, f"suite-{number}.yaml", SCENARIO.format(number=number, fault=FAULTS[number % len(FAULTS)]))


def spent_by(pid):
    """CPU seconds of a process that has ended and was not waited for: its own, and that of its children."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        words = stat.read().rpartition(")")[2].split()
    return sum(map(int, words[11:13])) / TICKS, sum(map(int, words[13:15])) / TICKS


def ended(process, deadline):
    """Waits for its end and leaves it there, so that what it has spent can be read."""
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return True
        time.sleep(0.005)
    return False


def run(build, folder, scenarios):
    """Runs all of them once; a folder without a verdict for each is no measurement."""
    out, log = os.path.join(folder, "out"), os.path.join(folder, "log")
    command = [os.path.join(build, "mishap"), "test", scenarios, "--seed", "1", "--out", out, "--",
               os.path.join(build, "bench", "mishap-bench-instant")]
    os.makedirs(folder)
    with open(log, "wb") as said:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=said, stderr=said, stdin=subprocess.DEVNULL, cwd=folder)
        try:
            if not ended(process, began + PATIENCE):
                raise Failed(f"a suite was not over within {PATIENCE} s")
            wall = time.monotonic() - began
            own, clients = spent_by(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            if process.returncode is None:
                process.kill()
                process.wait()
    return {"wall": wall, "own": own, "clients": clients, "rss_mib": usage.ru_maxrss / 1024,
            **counted(out, process.returncode, log)}


def counted(out, code, log):
    try:
        with open(os.path.join(out, "report.json"), encoding="utf-8") as report:
            cases = json.load(report)["cases"]
    except (OSError, ValueError, KeyError) as error:
        with open(log, encoding="utf-8", errors="replace") as said:
            raise Failed(f"mishap test ended with {code}: {said.read().strip()[-300:]}") from error
    verdicts = [case["verdict"] for case in cases]
    return {"cases": len(verdicts), **{name: verdicts.count(name) for name in ("pass", "fail")}}


def measured(build, folder, count, rounds):
    """Rows of `rounds` suites of so many scenarios."""
    scenarios = os.path.join(folder, "scenarios")
    write_scenarios(scenarios, count)
    rows = []
    for turn in range(rounds):
        row = run(build, os.path.join(folder, str(turn)), scenarios)
        if row["cases"] != count or row["pass"] + row["fail"] != count:
            raise Failed(f"{row['pass'] + row['fail']} of {count} scenarios have a verdict")
        rows.append({**row, "own_ms": row["own"] * 1000 / count, "client_ms": row["clients"] * 1000 / count})
    return rows
