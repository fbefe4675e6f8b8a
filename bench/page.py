"""What is printed, and whether it counts."""

import contextlib

from measure import Failed


class Page:
    def __init__(self):
        self.lines, self.own_failed = [], False

    def say(self, *lines):
        self.lines += lines
        print("\n".join(lines), flush=True)

    def left_out(self, server, why):
        """Mishap and the yardstick have to do all of it; what others cannot do is only told."""
        self.own_failed = self.own_failed or server.own
        self.say("", f"Left out: {server.name}: {why}")

    @contextlib.contextmanager
    def own(self, what):
        """Of mishap alone: what fails in it ends no other section, and nothing of the run counts."""
        try:
            yield
        except (Failed, OSError) as error:
            self.own_failed = True
            self.say("", f"Failed: {what}: {error}")
