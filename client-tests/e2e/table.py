#!/usr/bin/env python3
"""Runs one client of clients.py as it is set there, and holds every cell against expected/CLIENT.txt.

Usage: table.py --mishap BIN --booking BIN --clients FOLDER CLIENT
A cell is `scenario verdict failing,checks`; advisory checks stand in no cell. MISHAP_REFRESH=1 writes the file anew; review the diff.
Whatever the file says, a wrong client must fail its own check and nothing that does not follow from it.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import clients

HERE = pathlib.Path(__file__).resolve().parent


# What a busy machine makes undecided; each is tried so often, with nothing else running in the product.
RERUNS = 6
# And so often all of it, where a scenario has failed and a part of it stayed open.
ROUNDS = 3
UNDECIDED = {"evidence_clean", "fault_activated"}


def run(mishap, client, booking, folder):
    arguments = [mishap, "test", *client.setup.runs.split(), "--seed", "7", "--jobs", "16", "--reruns", str(RERUNS),
                 "--out", f"{folder}/run", *clients.told(client, booking, folder)]
    done = subprocess.run([*arguments, "--", *clients.command(client, booking)], capture_output=True, text=True, timeout=240)
    report = pathlib.Path(folder, "run", "report.json")
    if not report.is_file():
        sys.exit(f"no report; exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done, json.loads(report.read_text(encoding="utf-8"))


def failing(case, advisory=False):
    return sorted(f["check"] for f in case["findings"] if f["ruling"] == "fail" and f["advisory"] == advisory)


def cells(report):
    lines = []
    for case in report["controls"] + report["cases"]:
        lines.append(f"{case['scenario']} {case['verdict']} {','.join(failing(case))}".rstrip())
    return lines


def own_check_breaches(name, client, report):
    if not client.fails:
        return []
    own = client.fails
    cases = report["controls"] + report["cases"]
    failed = {check for case in cases for check in failing(case)}
    advised = {check for case in cases for check in failing(case, advisory=True)}
    breaches = []
    if own not in failed | advised:
        breaches.append(f"{name} must fail {own}, and failed {sorted(failed) or 'nothing'}")
    for check in sorted(failed - client.follows - {own}):
        breaches.append(f"{name} fails {check}, which does not follow from {own}")
    return breaches


def differences(name, lines):
    path = HERE / "expected" / f"{name}.txt"
    if os.environ.get("MISHAP_REFRESH"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    missing = [f"- {cell}" for cell in expected if not any(agrees(cell, line) for line in lines)]
    return missing + [f"+ {line}" for line in lines if not any(agrees(cell, line) for cell in expected)]


def agrees(cell, line):
    """A cell may leave open what a race of the client with its own end decides: `scenario *`, or a check with `?`."""
    if cell == line or cell == f"{line.split()[0]} *":
        return True
    *head, checks = cell.split(" ")
    if "?" not in checks or line.split(" ")[:-1] != head:
        return False
    failed = set(line.split(" ")[-1].split(","))
    asked = {check for check in checks.split(",") if not check.endswith("?")}
    return asked <= failed <= {check.rstrip("?") for check in checks.split(",")}


def explain(report, names):
    for case in report["cases"]:
        if not any(case["scenario"] in name for name in names):
            continue
        for finding in case["findings"]:
            if finding["ruling"] in ("fail", "inconclusive"):
                print(f"  {case['scenario']}: {finding['check']} {finding['ruling']}: {finding['reason']}")
                for witness in finding["witnesses"]:
                    print(f"      {witness['statement']}")


def breaches_of(name, client, done, report):
    wrong = own_check_breaches(name, client, report) + differences(name, cells(report))
    if name.startswith("right") and done.returncode != 0:
        wrong.append(f"the right client must end with 0, not {done.returncode}")
    return wrong


def is_undecided(report):
    """Nothing is held against a client by what stayed open, and nothing is shown of the product."""
    return any(f["check"] in UNDECIDED and f["ruling"] == "inconclusive" for case in report["cases"] for f in case["findings"])


def main():
    parser = argparse.ArgumentParser()
    for option in ("--mishap", "--booking", "--clients"):
        parser.add_argument(option, required=True)
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("client")
    given = parser.parse_args()
    client = clients.table(given.clients, given.python)[given.client]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            done, report = run(given.mishap, client, given.booking, pathlib.Path(folder, str(number)))
            wrong = breaches_of(given.client, client, done, report)
            if not wrong or not is_undecided(report):
                break
            print(f"round {number + 1} was undecided: " + "; ".join(wrong), flush=True)
        if wrong:
            print("\n".join(wrong))
            explain(report, wrong)
            print(done.stdout[-6000:])
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
