"""What bench/soak runs, and how a run is read: the clients are those of the end-to-end table."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
E2E = ROOT / "client-tests" / "e2e"
sys.path.insert(0, str(E2E))
import clients  # noqa: E402

LONGEST = 900  # seconds for one run on a machine that is busy
MOST_SCENARIOS = 3  # that show a wrong client
SETTLED = 0.9  # of the runs of a wrong client settle something
OPEN = 0.02  # of the cases of a right one may stay inconclusive
ALARMS_ABOUT = ("The right client in each way in which it can be set, under all packs together. A fail is a false alarm. What settles "
                "nothing after two reruns is inconclusive, which is no verdict.")
ALARM_COLUMNS = ("client", "under", "runs", "cases", "pass", "fail", "inconclusive", "not applicable", "longest run s")
MISSED_ABOUT = ("Each wrong client, in up to three scenarios that show it. Caught: its own check failed. Missed: it did "
                "not, and nothing was inconclusive about that check.")
MISSED_COLUMNS = ("client", "its check", "runs", "caught", "inconclusive", "missed", "longest run s")


def rights():
    return sorted(clients.RIGHT)


def wrongs():
    return sorted(clients.WRONG)


def shown_in(switch):
    """Scenarios in which its check failed when the table was written; all that it runs where no cell says so."""
    setup, own, _ = clients.WRONG[switch]
    targets = setup.runs.split()
    found = []
    for cell in (E2E / "expected" / f"{switch}.txt").read_text(encoding="utf-8").splitlines():
        scenario, *rest = cell.split()
        if own not in [check.rstrip("?") for check in rest[-1].split(",")]:
            continue
        if scenario == "control":
            return ["core/healthy"]
        found += [target if "/" in target else f"{target}/{scenario}" for target in targets
                  if "/" not in target or target.endswith(f"/{scenario}")]
    return found[:MOST_SCENARIOS] or targets


class Programs:
    def __init__(self, build):
        self.mishap = str(pathlib.Path(build, "mishap").resolve())
        booking = next(pathlib.Path(build).rglob("mishap-booking-client"), None)
        if not pathlib.Path(self.mishap).is_file() or booking is None:
            sys.exit(f"bench/soak: no mishap and booking client in {build}: scripts/build release mishap tests-e2e")
        self.booking = str(booking.resolve())
        self.clients = clients.table(str(ROOT / "client-tests" / "clients"), sys.executable)

    def report(self, name, folder, seed):
        """Of one run of a client of the table, in `folder`."""
        it = self.clients[name]
        targets = shown_in(name) if it.fails else it.setup.runs.split()
        command = [self.mishap, "test", *targets, "--seed", str(seed), "--out", f"{folder}/run",
                   *clients.told(it, self.booking, pathlib.Path(folder))]
        try:
            done = subprocess.run([*command, "--", *clients.command(it, self.booking)], capture_output=True, text=True,
                                  timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            sys.exit(f"bench/soak: {name} under {' '.join(targets)}, seed {seed}, did not end within {LONGEST} s")
        report = pathlib.Path(folder, "run", "report.json")
        if not report.is_file():
            sys.exit(f"bench/soak: {name} left no report; exit {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(report.read_text(encoding="utf-8"))


def read(name, report):
    """One run as a line of the ledger tells it."""
    line = {"client": name, "cases": counted(report), "seconds": round(report["duration_ms"] / 1000, 1)}
    if name in clients.WRONG:
        own = clients.WRONG[name][1]
        line["verdict"] = how_it_went(report, own)
        line["complaints"] = [f"{own} did not fail"] if line["verdict"] == "missed" else []
    else:
        line["verdict"] = report["verdict"]
        line["complaints"] = false_fails(report)
    return line


def all_cases(report):
    return report["controls"] + report["cases"]


def counted(report):
    counts = {}
    for case in all_cases(report):
        counts[case["verdict"]] = counts.get(case["verdict"], 0) + 1
    return counts


def false_fails(report):
    """Each fail that counts, with the inequality."""
    return [f"{case['scenario']}: {finding['check']}: " + "; ".join(w["statement"] for w in finding["witnesses"][:3])
            for case in all_cases(report) for finding in case["findings"]
            if finding["ruling"] == "fail" and not finding["advisory"]]


def how_it_went(report, own):
    rulings = {finding["ruling"] for case in all_cases(report) for finding in case["findings"] if finding["check"] == own}
    if "fail" in rulings:
        return "caught"
    open_cases = any(case["verdict"] == "inconclusive" for case in all_cases(report))
    return "inconclusive" if "inconclusive" in rulings or open_cases else "missed"


def longest(told):
    return f"{max((one['seconds'] for one in told), default=0):.1f}"


def alarm_row(name, told):
    def of(verdict):
        return sum(one["cases"].get(verdict, 0) for one in told)

    targets = clients.RIGHT[name].runs.split()
    under = targets[0] if len(targets) == 1 else f"{len(targets)} scenarios"
    cases = sum(sum(one["cases"].values()) for one in told)
    return (name, under, len(told), cases, of("pass"), of("fail"), of("inconclusive"), of("not_applicable"), longest(told))


def missed_row(name, told):
    def of(verdict):
        return sum(one["verdict"] == verdict for one in told)

    return (name, f"`{clients.WRONG[name][1]}`", len(told), of("caught"), of("inconclusive"), of("missed"), longest(told))


def doubts(lines):
    """Sentences on what should not have been."""
    found = [f"{one['client']}, seed {one['seed']}, at {one['version']}: {complaint}" for one in lines for complaint in one["complaints"]]
    for name in wrongs():
        told = [one for one in lines if one["client"] == name]
        settled = [one for one in told if one["verdict"] != "inconclusive"]
        if len(settled) < SETTLED * len(told):
            found.append(f"{name}: {len(settled)} of {len(told)} runs settled something, less than {SETTLED:.0%}")
    cases = {}
    for one in lines:
        if one["client"] in clients.RIGHT:
            for verdict, count in one["cases"].items():
                cases[verdict] = cases.get(verdict, 0) + count
    still_open, of = cases.get("inconclusive", 0), sum(cases.values())
    if still_open > OPEN * of:
        found.append(f"{still_open} of {of} cases of right clients stayed inconclusive, more than {OPEN:.0%}")
    return found
