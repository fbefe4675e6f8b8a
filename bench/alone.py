"""What is measured of mishap alone: its parts, what it holds, a suite, and how its costs grow."""

import os

import growth
import held
import judging
import measure
import parts
import suite
import tables
from servers import Mishap, holding

SCENARIOS = 500  # of a suite
STARTS = 50
GATE, TRICKLES, TRICKLE_SECONDS = 5000, 10_000, 5
ATTEMPTS = 1_000_000  # of the run that is judged


class Alone:
    def __init__(self, page, options, scratch):
        self.page, self.options, self.scratch = page, options, scratch
        self.load = os.path.join(options.build, "bench", "mishap-bench-hold")

    def folder(self, name):
        return os.path.join(self.scratch, name)

    def parts(self):
        page, smoke = self.page, self.options.smoke
        page.say("", "## Parts")
        program = parts.program(self.options.build)
        if not program:
            page.say("", "Not measured: Google Benchmark was not there when mishap was built (Debian: libbenchmark-dev).")
            return
        with page.own("parts"):
            rows = parts.measured(program, parts.SHORT if smoke else parts.EXTENT, self.options.rounds)
            page.say("", *parts.table(rows))

    def holding(self):
        """The gate and the trickle: connections of which each costs only what it is."""
        smoke = self.options.smoke
        gate, trickles = (50, 100) if smoke else (GATE, TRICKLES)
        self.page.say("", "## Held by mishap")
        why = held.allow_descriptors(max(gate, trickles))
        if why:
            self.page.say("", f"Not measured: {why}.")
            return
        self.table(f"A barrier of {gate}: answers, counted from the last request", tables.BARRIER, gate,
                   lambda one: held.barrier(one, self.load, gate))
        self.table(f"{trickles} answers, of each a byte a second", tables.TRICKLE, trickles,
                   lambda one: held.trickle(one, self.load, trickles, 1 if smoke else TRICKLE_SECONDS))

    def table(self, title, columns, connections, look):
        self.page.say("", f"### {title}")
        with self.page.own(title):
            rows = []
            for turn in range(self.options.rounds):
                folder = self.folder(f"{connections}-{turn}")
                with measure.running(holding(self.options.build, connections), folder) as one:
                    rows.append(look(one))
            self.page.say("", *tables.table({"mishap": rows}, columns))

    def judging(self):
        attempts = 200 if self.options.smoke else ATTEMPTS
        self.page.say("", "## Judging", "", f"A stored run of {attempts} attempts, with its control, read and judged.")
        with self.page.own("judging"):
            size, table = judging.measured(self.options.build, self.folder("stored"), attempts)
            self.page.say("", f"{size / 1e6:.0f} MB on disk.", "", *table)

    def suite(self):
        page, smoke = self.page, self.options.smoke
        count, starts = (20, 2) if smoke else (SCENARIOS, STARTS)
        page.say("", "## A suite, and a start", "",
                 f"### {count} scenarios with a client that takes no time, jobs: as they are by default")
        with page.own("suite"):
            rows = suite.measured(self.options.build, self.folder("suite"), count, self.options.rounds)
            verdicts = (("pass", lambda rows: rows[0]["pass"]), ("fail", lambda rows: rows[0]["fail"]))
            page.say("", *tables.table({"mishap": rows}, tables.SUITE, verdicts))
        page.say("", f"### `mishap serve`: from exec to the first create answered, times: {starts}")
        with page.own("start"):
            page.say("", *tables.table({"mishap": [self.start(turn) for turn in range(starts)]}, tables.START))

    def start(self, turn):
        with measure.running(Mishap(self.options.build), self.folder(f"start-{turn}")) as one:
            return {"ms": one.start_up * 1000}

    def growth(self):
        page, smoke = self.page, self.options.smoke
        short = {"most": 100, "sample": 100, "body_most": 10_000} if smoke else {}
        curves = growth.Curves(self.options.build, self.scratch, **short)
        held.allow_descriptors(5000)
        page.say("", "## Growth", "",
                 f"Each point is {curves.sample} requests (of what is slow fewer) over {growth.CONNECTIONS} connections; one "
                 f"round. Flat is called what rises by no more than x {growth.FLAT} from the lowest point to the last.")
        with page.own("growth"):
            for title, of, points, columns in curves.all():
                page.say("", f"### {title}")
                points = list(points)
                page.say("", *tables.curve(of, points, columns), "", growth.shape(points, columns[0][0]))
