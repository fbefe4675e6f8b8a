"""The servers side by side: the same for each, in alternating rounds."""

import os
import pathlib
import sys

import held
import measure
import tables
from servers import HELD_MS

SCRIPT = str(pathlib.Path(__file__).resolve().parent / "create.lua")


class Beside:
    """Who takes part, and what each is asked."""

    def __init__(self, page, servers, options, scratch):
        self.page, self.servers, self.options, self.scratch = page, servers, options, scratch
        self.load = os.path.join(options.build, "bench", "mishap-bench-hold")
        self.cases = 0

    def look_at(self, server, folder, look):
        """What it looks like, or nothing after saying why."""
        try:
            with measure.running(server, folder) as one:
                return look(one)
        except (measure.Failed, OSError) as error:
            self.page.left_out(server, error)
            return None

    def prepare(self):
        """Only who is installed and answers rightly takes part."""
        ready = []
        for place, server in enumerate(self.servers):
            why = None if server.own else server.install()
            if why:
                self.page.left_out(server, why)
            elif self.look_at(server, os.path.join(self.scratch, f"check-{place}"), check):
                ready.append(server)
        self.servers = ready

    def rounds(self, servers, rounds, look):
        """One after the other and from the beginning again: what the machine does meanwhile meets all of them."""
        self.cases += 1
        seen = {server.name: [] for server in servers}
        for turn in range(rounds):
            for place, server in enumerate(servers):
                if server.name not in seen:
                    continue
                if sys.stderr.isatty():
                    print(f"round {turn + 1} of {rounds}: {server.name}", file=sys.stderr)
                row = self.look_at(server, os.path.join(self.scratch, f"{self.cases}-{turn}-{place}"), look)
                if row:
                    seen[server.name].append(row)
                else:
                    del seen[server.name]
        return seen

    def case(self, title, servers, columns, look, rounds=None, extra=()):
        """One table: its title first, so that what fails meanwhile is told below it."""
        if not servers:
            return {}
        self.page.say("", f"### {title}")
        seen = self.rounds(servers, rounds or self.options.rounds, look)
        if seen:
            self.page.say("", *tables.table(seen, columns, extra))
        return seen

    def throughput(self, connections):
        options = self.options
        seen = self.case(f"{connections} connections, a create each", self.servers, tables.THROUGHPUT,
                         lambda one: measure.throughput(one, SCRIPT, connections, options.seconds, options.warm_up))
        for name, rows in seen.items():
            broken = sum(row["socket_errors"] for row in rows)
            if broken:
                self.page.say("", f"{name}: {broken} requests broke or timed out.")

    def start_up(self, starts):
        self.case(f"From exec to the first create answered, times: {starts}", self.servers, tables.START_UP,
                  lambda one: {"ms": one.start_up * 1000}, starts)

    def held(self, connections, spread_ms):
        title = f"{connections} connections, each waiting {HELD_MS} ms, arrivals over {spread_ms} ms"
        why = held.allow_descriptors(connections)
        if why:
            self.page.say("", f"### {title}", "", f"Not measured: {why}.")
            return
        extra = (("answered", lambda rows: min(row["answered"] for row in rows)),
                 ("early", lambda rows: max(row["early"] for row in rows)))
        self.case(title, self.waiting(), tables.HELD,
                  lambda one: held.hold(one, self.load, connections, HELD_MS, spread_ms), extra=extra)

    def single_delays(self, delays):
        self.case("How late answers with a delay come, hardly two at once: error in ms", self.waiting(),
                  tables.single(delays),
                  lambda one: held.single_delays(one, self.load, delays, self.options.warm_up))

    def waiting(self):
        return [server for server in self.servers if server.waits]

    def all(self):
        """Every case; prepare() came before it."""
        options = self.options
        self.page.say("", "## Beside others", "", *tables.servers_table(self.servers))
        for connections in (64, 1000):
            self.throughput(connections)
        self.start_up(options.starts)
        for connections in options.held:
            self.held(connections, 100 if options.smoke else 900)
        self.single_delays({10: (20, 200)} if options.smoke else held.SINGLE)


def check(one):
    measure.check(one)
    return True
