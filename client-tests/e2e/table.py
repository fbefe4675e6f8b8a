#!/usr/bin/env python3
"""Runs one client under its pack (core, or clients.PACKS) and holds every cell against expected/CLIENT.txt.

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


def run(mishap, client, command, folder):
    targets = clients.PACKS.get(client, "core").split()
    # A busy machine makes cells inconclusive, never pass or fail: those are run again until it was quiet enough.
    arguments = [mishap, "test", *targets, "--seed", "7", "--jobs", "16", "--reruns", "6", "--out", f"{folder}/run"]
    for claim in clients.PROMISE + clients.PROMISES.get(client, []):
        arguments += ["--promise", claim]
    if client in clients.CLAIMS:
        project = pathlib.Path(folder, "mishap.yaml")
        told = clients.CLAIMS[client][1]
        project.write_text(f"mishap: 1\nclients:\n  it: {{command: {command[0]}, {told}}}\n", encoding="utf-8")
        arguments += ["--project", str(project), "--client", "it"]
    done = subprocess.run([*arguments, "--", *command], capture_output=True, text=True, timeout=240)
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


def own_check_breaches(client, report):
    if client not in clients.WRONG:
        return []
    own, follows = clients.WRONG[client]
    cases = report["controls"] + report["cases"]
    failed = {check for case in cases for check in failing(case)}
    advised = {check for case in cases for check in failing(case, advisory=True)}
    breaches = []
    if own not in failed | advised:
        breaches.append(f"{client} must fail {own}, and failed {sorted(failed) or 'nothing'}")
    for check in sorted(failed - follows - {own}):
        breaches.append(f"{client} fails {check}, which does not follow from {own}")
    return breaches


def differences(client, lines):
    path = HERE / "expected" / f"{client}.txt"
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


def main():
    parser = argparse.ArgumentParser()
    for option in ("--mishap", "--booking", "--clients"):
        parser.add_argument(option, required=True)
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("client")
    given = parser.parse_args()
    command = clients.table(given.booking, given.clients, given.python)[given.client]
    with tempfile.TemporaryDirectory() as folder:
        done, report = run(given.mishap, given.client, command, folder)
        wrong = own_check_breaches(given.client, report)
        wrong += differences(given.client, cells(report))
        if given.client.startswith("right") and done.returncode != 0:
            wrong.append(f"the right client must end with 0, not {done.returncode}")
        if wrong:
            print("\n".join(wrong))
            explain(report, wrong)
            print(done.stdout[-6000:])
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
