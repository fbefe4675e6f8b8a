#!/usr/bin/env python3
"""House rules as tests. Usage: lint.py RULE, from anywhere; prints each breach and exits 1."""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ["scenarios", "server", "client-tests", "reports"]  # in the order in which data flows
CODE = {".h", ".cpp"}


def sources(*folders):
    for folder in folders or [*ROOMS, "cli"]:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in CODE and path.is_file():
                yield path, path.relative_to(ROOT).as_posix()


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if found:
            yield number, found.group(1)


def room_of_public(header):
    for room in ROOMS:
        if (ROOT / room / "include" / header).is_file():
            return room
    return None


# What a place may not name, by the beginning of its path: (pattern of the include, why).
HEAVY = {
    r"boost/(?!container/)|openssl/ssl": ("server/wire/", "server/outbound/", "server/control/call_reader.cpp"),
    r"yaml-cpp/": ("scenarios/parser/yaml_reader.cpp",),
    r"simdjson": ("server/journal/journal_reader.cpp", "server/resources/json_text", "client-tests/run/quick_outcome.cpp"),
    r"re2/": ("scenarios/parser/line_pattern.cpp",),
    r"CLI/": ("cli/main.cpp",),
    r"httplib\.h": ("client-tests/clients/", "client-tests/bindings/", "client-tests/launch/http_call.cpp"),
}
FORBIDDEN = [
    ("server/plan/", r"server/(?!plan/)|openssl", "plan knows only itself and the shared words"),
    ("server/faults/", r"server/(engine|resources|wire|journal)/|mishap/clock", "a fault is a pure function of steps"),
    ("server/resources/", r"server/(wire|control)/", "resources know nothing of sockets"),
    ("server/engine/", r"server/wire/", "the engine knows nothing of sockets"),
    ("server/wire/", r"server/(faults|resources)/|nlohmann", "wire performs steps and knows no fault"),
    ("server/control/", r"server/(?!control/)", "the control API sees public headers and the judge that is put in"),
    ("client-tests/checks/", r"sys/|unistd|fstream|random|mishap/clock|mishap/server|mishap/run", "a check is pure"),
    ("client-tests/statistics/", r"(?!client-tests/statistics/).*[/.]", "a statistic knows nothing but numbers"),
    ("client-tests/clients/", r"mishap/|client-tests/(?!clients/)|server/|scenarios/|reports/", "clients are strangers"),
    ("reports/", r"client-tests/|server/|scenarios/", "a format sees public headers only"),
]


def layering():
    for path, name in sources():
        public = "/include/mishap/" in name
        room = name.split("/")[0]
        test = name.endswith(("_test.cpp", "_fuzz.cpp")) or "testing" in name or "history_builder" in name
        for line, header in includes(path):
            where = f"{name}:{line}: {header}"
            for place, pattern, why in FORBIDDEN:
                if name.startswith(place) and re.match(pattern, header) and not test:
                    yield f"{where}: {why}"
            if header.startswith("mishap/"):
                owner = room_of_public(header)
                if owner is None:
                    yield f"{where}: no such public header"
                elif room in ROOMS and ROOMS.index(owner) > ROOMS.index(room):
                    yield f"{where}: {room} may name only rooms to its left"
                continue
            if public and re.search(r"[/.]", header) and header != "tl/expected.hpp":
                yield f"{where}: a public header may name std, tl::expected and public headers"
            first = header.split("/")[0]
            if first in ROOMS + ["cli"] and first != room and room != "cli" and not test:
                yield f"{where}: private headers of another room"
            if first == "cli" and room != "cli" and not test:
                yield f"{where}: nothing includes cli"
            for pattern, allowed in HEAVY.items():
                if re.match(pattern, header) and not name.startswith(allowed):
                    yield f"{where}: may be named only in {', '.join(allowed)}"
            if path.suffix == ".h" and re.match(r"nlohmann/(?!json_fwd)", header):
                yield f"{where}: heavy headers stand in .cpp files"


def checks_alone():
    """No check names another check's file."""
    folder = ROOT / "client-tests" / "checks"
    names = check_names()
    for path in sorted(folder.glob("*.cpp")):
        for line, header in includes(path):
            stem = pathlib.PurePosixPath(header).stem
            if header.startswith("client-tests/checks/") and stem in names and stem != path.stem:
                yield f"{path.name}:{line}: a check includes another check"


# Files that may look at the machine's clock: everything else is told the time.
CLOCKS = ("server/wire/system_clock.cpp", "server/wire/alarm", "client-tests/clients/", "client-tests/launch/")


def clocks():
    for path, name in sources():
        if name.startswith(CLOCKS) or name.endswith("_test.cpp") or "testing" in name:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"_clock::now|steady_timer|\bgettimeofday\b|clock_gettime", line.split("//")[0]):
                yield f"{name}:{number}: time comes in through the Clock"


def sleeps():
    for path, name in sources():
        if not name.endswith("_test.cpp"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"sleep_for|sleep_until|\busleep\(|\bnanosleep\(", line.split("//")[0]):
                yield f"{name}:{number}: a test waits for a condition with a deadline"


LIMIT = {"test": 700, "code": 420}  # what only tests use counts as a test


def sizes():
    for path, name in sources():
        lines = len(path.read_text(encoding="utf-8").splitlines())
        kind = "test" if re.search(r"_(test|builder|fixture|testing)\.(cpp|h)$", name) else "code"
        if lines > LIMIT[kind]:
            yield f"{name}: {lines} lines, at most {LIMIT[kind]}: a file has one job"


def formatted():
    tool = shutil.which("clang-format")
    if tool is None:
        yield "clang-format is missing (scripts/setup test installs it)"
        return
    files = [str(path) for path, _ in sources()]
    done = subprocess.run([tool, "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        yield from sorted({line.split(":")[0] + ": not formatted" for line in done.stderr.splitlines() if "error:" in line})


def hygiene():
    """Files are UTF-8 text without tabs, trailing blanks or a path of somebody's machine."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        path = ROOT / name
        # What is wrong on purpose: files that are refused, and what fuzzers are given.
        if name.startswith("scenarios/refused/") or "/corpus/" in name or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            yield f"{name}: not UTF-8"
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if line != line.rstrip():
                yield f"{name}:{number}: blanks at the end"
            if "\t" in line and path.suffix in CODE | {".py", ".yaml", ".cmake"}:
                yield f"{name}:{number}: a tab"
            if re.search(r"/(root|home/\w+|work)/[a-z]", line) and name != "client-tests/e2e/lint.py":
                yield f"{name}:{number}: a path of somebody's machine"


def check_names():
    """Files that define a check; what they share (readers, makers) is no check."""
    files = (ROOT / "client-tests" / "checks").glob("*.cpp")
    return {path.stem for path in files if re.search(r"^const CheckDescriptor k", path.read_text(encoding="utf-8"), re.M)}


# Two say whether a run is evidence at all, one names a formula: there is nothing to fail.
NEVER_FAIL = {"evidence_clean", "fault_activated", "jitter_family"}
RULINGS = {"a pass": ("Pass",), "a fail": ("Fail",), "missing evidence": ("Inconclusive", "NotApplicable", "NotObserved")}


def rulings_untested(path):
    test = path.with_name(path.stem + "_test.cpp").read_text(encoding="utf-8")
    for what, words in RULINGS.items():
        if what == "a fail" and path.stem in NEVER_FAIL:
            continue
        if not any(re.search(rf"\b{word}\b", test) for word in words):
            yield f"client-tests/checks/{path.stem}_test.cpp: has no test of {what}"


# The packs of which docs/wire.md names every scenario.
ON_THE_PAGE = ["wire", "answers", "rate-limit", "idempotency", "batch", "jobs"]


def catalogues():
    """Each fault and check has its test; each shipped scenario is told in full, those of five packs on their page."""
    for folder in ("client-tests/checks", "server/faults"):
        for path in sorted((ROOT / folder).glob("*.cpp")):
            text = path.read_text(encoding="utf-8")
            if not re.search(r"^const (CheckDescriptor k|FaultDescriptor& \w+\(\) \{)", text, re.M) or path.name.endswith("_test.cpp"):
                continue
            if not path.with_name(path.stem + "_test.cpp").is_file():
                yield f"{folder}/{path.name}: has no {path.stem}_test.cpp"
            elif folder == "client-tests/checks":
                yield from rulings_untested(path)
    for path in sorted((ROOT / "scenarios" / "library").rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT).as_posix()
        for key in ("summary", "stands_for", "consequence", "remedy", "tags"):
            if not re.search(rf"^{key}:", text, re.M):
                yield f"{name}: no {key}"
        if f"scenario: {path.stem}\n" not in text:
            yield f"{name}: the scenario is not named like its file"
    page = (ROOT / "docs" / "wire.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`((?:core|no-keys|" + "|".join(ON_THE_PAGE) + r")/[a-z0-9-]+)`", page))
    shipped = {f"{path.parent.name}/{path.stem}" for path in (ROOT / "scenarios" / "library").rglob("*.yaml")}
    for name in sorted(told - shipped):
        yield f"docs/wire.md: {name} is not shipped"
    for name in sorted(name for name in shipped - told if name.split("/")[0] in ON_THE_PAGE):
        yield f"docs/wire.md: does not name {name}"


MISSION = {"A": 55, "B": 80, "C": 37}  # items of each guide


def mission():
    """Each item of docs/mission.md stands there once, with scenarios that are shipped, or doc, out or open."""
    shipped = {f"{path.parent.name}/{path.stem}" for path in (ROOT / "scenarios" / "library").rglob("*.yaml")}
    expected = [f"{guide}{number:02}" for guide, count in MISSION.items() for number in range(1, count + 1)]
    rows = re.findall(r"^\| ([A-Z]\d\d) \| (.+?) \| (.+) \|$", (ROOT / "docs" / "mission.md").read_text(encoding="utf-8"), re.M)
    if [row[0] for row in rows] != expected:
        yield "docs/mission.md: the items are not " + ", ".join(f"{guide}01 to {guide}{count}" for guide, count in MISSION.items())
    for item, _, where in rows:
        for place in where.split(", "):
            if place in ("doc", "out", "open") or place.strip("`") in shipped:
                continue
            yield f"docs/mission.md: {item} names {place}, which is no shipped scenario"


RULES = [layering, checks_alone, clocks, sleeps, sizes, formatted, hygiene, catalogues, mission]


def main():
    rules = {rule.__name__: rule for rule in RULES}
    if len(sys.argv) != 2 or sys.argv[1] not in rules:
        sys.exit("usage: lint.py " + "|".join(rules))
    breaches = list(rules[sys.argv[1]]())
    for breach in breaches:
        print(breach)
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
