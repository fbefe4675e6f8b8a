"""What bench/soak runs, and how a run is read: the clients and packs are those of the end-to-end table."""

import dataclasses
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
ALARMS_ABOUT = ("The right client in each way in which it can be set, under all packs together. A fail is a false alarm. What settles "
                "nothing after two reruns is inconclusive, which is no verdict.")
ALARM_COLUMNS = ("client", "under", "runs", "cases", "pass", "fail", "inconclusive", "not applicable", "longest run s")
MISSED_ABOUT = ("Each wrong client, in up to three scenarios that show it. Caught: its own check failed. Missed: it did "
                "not, and nothing was inconclusive about that check.")
MISSED_COLUMNS = ("client", "its check", "runs", "caught", "inconclusive", "missed", "longest run s")


@dataclasses.dataclass
class Run:
    verdict: str  # of a wrong client: caught, inconclusive or missed
    seconds: float
    cases: dict  # verdict -> how many
    complaints: list


def rights():
    return sorted(clients.RIGHT)


def switches():
    return sorted(clients.WRONG)


def shown_in(switch):
    """Scenarios in which its check failed when the table was written; all of its packs where no cell says so."""
    setup, own, _ = clients.WRONG[switch]
    targets = setup.runs.split()
    found = []
    for cell in (E2E / "expected" / f"{switch}.txt").read_text(encoding="utf-8").splitlines():
        scenario, *rest = cell.split()
        if own not in rest[-1].split(","):
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

    def run(self, client, targets, folder, seed):
        """Its report."""
        it = self.clients[client]
        command = [self.mishap, "test", *targets, "--seed", str(seed), "--out", f"{folder}/run",
                   *clients.told(it, self.booking, pathlib.Path(folder))]
        try:
            done = subprocess.run([*command, "--", *clients.command(it, self.booking)], capture_output=True, text=True,
                                  timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            sys.exit(f"bench/soak: {client} under {' '.join(targets)}, seed {seed}, did not end within {LONGEST} s")
        report = pathlib.Path(folder, "run", "report.json")
        if not report.is_file():
            sys.exit(f"bench/soak: {client} left no report; exit {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(report.read_text(encoding="utf-8"))

    def right(self, name, folder, seed):
        report = self.run(name, clients.RIGHT[name].runs.split(), folder, seed)
        return Run(report["verdict"], seconds_of(report), counted(report), false_fails(report))

    def wrong(self, switch, folder, seed):
        report = self.run(switch, shown_in(switch), folder, seed)
        verdict = how_it_went(report, clients.WRONG[switch][1])
        complaints = [f"{clients.WRONG[switch][1]} did not fail"] if verdict == "missed" else []
        return Run(verdict, seconds_of(report), counted(report), complaints)


def all_cases(report):
    return report["controls"] + report["cases"]


def seconds_of(report):
    return report["duration_ms"] / 1000


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
    return f"{max((one.seconds for one in told), default=0):.1f}"


def alarm_row(name, told):
    def of(verdict):
        return sum(one.cases.get(verdict, 0) for one in told)

    cases = sum(sum(one.cases.values()) for one in told)
    targets = clients.RIGHT[name].runs.split()
    under = targets[0] if len(targets) == 1 else f"{len(targets)} scenarios"
    return (name, under, len(told), cases, of("pass"), of("fail"), of("inconclusive"), of("not_applicable"), longest(told))


def missed_row(switch, told):
    def of(verdict):
        return sum(one.verdict == verdict for one in told)

    return (switch, f"`{clients.WRONG[switch][1]}`", len(told), of("caught"), of("inconclusive"), of("missed"),
            longest(told))
