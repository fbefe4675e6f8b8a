"""What was measured, in Markdown: medians, how far the rounds lie apart, and ratios of the same round."""

import os
import pathlib
import platform
import re
import statistics
import subprocess

YARDSTICKS = ("raw epoll", "raw epoll (same work)", "mishap")
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"

# What a column is of: the key in a round's row, its title, its digits, and whether ratios stand beside it.
THROUGHPUT = (("requests_per_second", "requests/s", 0, True), ("cpu_per_100k", "CPU s / 100k", 2, True),
              ("p50_ms", "p50 ms", 2, False), ("p99_ms", "p99 ms", 2, False),
              ("rss_idle_mib", "RSS idle MiB", 0, False), ("rss_mib", "RSS under load MiB", 0, False))
START_UP = (("ms", "ms", 1, True),)
START = (("ms", "ms", 1, False),)
SUITE = (("wall", "wall s", 2, False), ("own_ms", "mishap's own CPU, ms each", 2, False),
         ("client_ms", "clients' CPU, ms each", 2, False), ("rss_mib", "most RSS MiB", 0, False))
BARRIER = (("released_first", "first answer ms", 2, False), ("released_p50", "p50 ms", 2, False),
           ("released_last", "last ms", 2, False), ("bytes_each", "bytes each", 0, False),
           ("cpu_seconds", "CPU s", 2, False))
TRICKLE = (("cores", "cores", 3, False), ("bytes_each", "bytes each", 0, False))
HELD = (("error_p50", "error p50 ms", 2, False), ("error_p99", "p99 ms", 2, False), ("error_max", "max ms", 2, False),
        ("bytes_each", "bytes each", 0, False), ("cpu_seconds", "CPU s", 2, True))


def single(delays):
    """Columns for single delays of so many milliseconds."""
    return [(f"{what}_{delay}", f"{delay} ms: {what}", 2, False) for delay in delays for what in ("p50", "max")]


def told(values, digits):
    """The median, and the least and the most of the rounds."""
    middle = f"{statistics.median(values):.{digits}f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):.{digits}f}..{max(values):.{digits}f})"


def ratio(rows, yard, key):
    """Round by round: what the machine did meanwhile met both."""
    pairs = [(row[key], other[key]) for row, other in zip(rows, yard or []) if other[key] > 0]
    return told([mine / other for mine, other in pairs], 2) if pairs else "-"


def line(cells):
    return "| " + " | ".join(cells) + " |"


def table(seen, columns, extra=()):
    """A row for each server that was seen; extra are (title, function of its rows)."""
    yards = [name for name in YARDSTICKS if seen.get(name)]
    titles = ["server", *(title for title, _ in extra)]
    for _, title, _, compared in columns:
        titles += [title] + ([f"of {name}" for name in yards] if compared else [])
    out = [line(titles), line(["---"] * len(titles))]
    for name, rows in seen.items():
        cells = [name, *(str(of(rows)) for _, of in extra)]
        for key, _, digits, compared in columns:
            cells.append(told([row[key] for row in rows], digits))
            cells += [ratio(rows, seen[yard], key) for yard in yards] if compared else []
        out.append(line(cells))
    return out


def curve(of, points, columns):
    """A row for each point; behind the first column stands what it is of the first point."""
    key, title, digits = columns[0]
    out = [line([of, title, "of the first", *(title for _, title, _ in columns[1:])]),
           line(["---"] * (len(columns) + 2))]
    for count, row in points:
        first = points[0][1][key]
        out.append(line([f"{count:,}".replace(",", " "), f"{row[key]:.{digits}f}",
                         f"{row[key] / first:.2f}" if first > 0 else "-",
                         *(f"{row[key]:.{digits}f}" for key, _, digits in columns[1:])]))
    return out


def servers_table(servers):
    return [line(["server", "version", "run as", "what it does"]), line(["---"] * 4)] + [
        line([one.name, one.version or "-", f"`{one.run_as}`", one.work]) for one in servers]


def first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except OSError:
        return None
    return next(iter((done.stdout or done.stderr).splitlines()), None)


def machine(with_peers):
    """What it ran on, as far as figures depend on it."""
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace"))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    parts = [cpu[1] if cpu else platform.machine(), f"{os.cpu_count()} cores", f"{memory:.0f} GiB",
             f"Linux {platform.release().partition('-')[0]}"]
    if with_peers:
        parts += [f"Node {first_line(['node', '--version'])}", first_line(["java", "-version"]) or "no java"]
    return ", ".join(parts)


def put(page, text):
    """Writes it between the markers of the page, where it stands by itself and is replaced each time."""
    path = pathlib.Path(page)
    old = path.read_text(encoding="utf-8") if path.exists() else f"{BEGIN}\n{END}\n"
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{page} has no lines {BEGIN} and {END}")
    path.write_text(f"{before}{BEGIN}\n{text.strip()}\n{END}{after}", encoding="utf-8")
