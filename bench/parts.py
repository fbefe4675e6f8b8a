"""What mishap is made of, part by part: the program of Google Benchmark, told as a table."""

import json
import os
import statistics
import subprocess

from measure import Failed
from tables import line

PARTS = {"parse", "lint", "decide", "execute", "journal", "judge", "check"}
UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
# Of one repetition. An engine remembers all requests of it, so that they are counted and not timed.
EXTENT = {"requests": 50_000, "operations": 300, "min_time": 0.1}
SHORT = {"requests": 50, "operations": 3, "min_time": 0.0001}


def program(build):
    """Its path, or nothing where it was not built: Google Benchmark is not everywhere."""
    path = os.path.join(build, "bench", "mishap-bench-parts")
    return path if os.access(path, os.X_OK) else None


def measured(path, extent, rounds):
    """Rows by name, in their order; each has what every repetition took."""
    command = [path, f"--requests={extent['requests']}", f"--operations={extent['operations']}",
               f"--benchmark_min_time={extent['min_time']}", f"--benchmark_repetitions={rounds}",
               "--benchmark_format=json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failed("the parts were not measured within 10 minutes") from error
    if done.returncode:
        raise Failed(f"the parts ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    rows = {}
    for one in json.loads(done.stdout)["benchmarks"]:
        if one.get("run_type") == "aggregate":
            continue
        if one.get("error_occurred"):
            raise Failed(f"{one['run_name']}: {one['error_message']}")
        rows.setdefault(one["run_name"], []).append(one)
    silent = PARTS - {plain(name)[0] for name in rows}
    if silent:
        raise Failed(f"nothing was measured of {', '.join(sorted(silent))}")
    return rows


def plain(name):
    """Without what the library adds to a name: how many iterations, by which clock."""
    part, _, rest = name.partition("/")
    kept = [word for word in rest.split("/") if not word.startswith(("iterations:", "repeats:", "real_time", "threads:"))]
    return part, "/".join(kept)


def readable(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def table(rows):
    out = [line(["part", "what", "time of one", "least..most", "a second"]), line(["---"] * 5)]
    for name, seen in rows.items():
        times = [one["real_time"] * UNITS[one["time_unit"]] for one in seen]
        rates = [one.get("items_per_second", 1e9 / max(time, 1e-3)) for one, time in zip(seen, times)]
        spread = f"{readable(min(times))}..{readable(max(times))}"
        out.append(line([*plain(name), readable(statistics.median(times)), spread, f"{statistics.median(rates):.0f}"]))
    return out
