#!/usr/bin/env python3
"""Runs the guides: every file they show is written, every command they show is run in the order of the page.

Usage: guides.py --mishap BIN --booking BIN PAGE.md

What a page may hold (the word after the backquotes is the language, what follows it is for this program):

    ```python file=sync.py       the file is written
    ```console                   lines with "$ " are run in one bash each, in the page's folder; the lines below are
    ```console exit=1            what they print, "..." for any text within a line or, alone, any lines;
                                 a digit of a time or a seed may differ
    ```text, ```yaml, ...        shown only; a yaml block without file= that begins with "mishap: 1" must pass lint
    ```cpp from=PATH             is a part of that file of the repository, word by word
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 180  # seconds for one command


def blocks(text):
    """(line, language, options, body) of each fenced block."""
    fence = re.compile(r"^```(\S*)[ \t]*(.*?)\n(.*?)^```[ \t]*$", re.M | re.S)
    for found in fence.finditer(text):
        options = dict(word.split("=", 1) for word in found.group(2).split() if "=" in word)
        yield text.count("\n", 0, found.start()) + 1, found.group(1), options, found.group(3)


def commands(body):
    """(command, expected lines) of a console block; a command goes on after a backslash."""
    command, expected = None, []
    lines = iter(body.splitlines())
    for line in lines:
        if line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
            while command.endswith("\\"):
                command = command[:-1] + next(lines).lstrip("> ")
        else:
            expected.append(line)
    if command is not None:
        yield command, expected


def pattern_of(line):
    """The line as a pattern: figures may differ, spaces may be more, "..." is anything."""
    parts = []
    for piece in re.split(r"(\.\.\.|\d+(?:\.\d+)? ?(?:s|ms)\b|seed [0-9a-f]+|\d{4}-\d\d-\d\dT[\d-]+|\s+)", line.rstrip()):
        if piece == "...":
            parts.append(".*")
        elif re.fullmatch(r"\d+(?:\.\d+)? ?(?:s|ms)", piece or ""):
            parts.append(r"\d+(?:\.\d+)? ?(?:s|ms)")
        elif piece and piece.startswith("seed "):
            parts.append(r"seed \d+")
        elif piece and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d-]+", piece):
            parts.append(r"\d{4}-\d\d-\d\dT[\d-]+")
        elif piece and piece.isspace():
            parts.append(r"\s+")
        else:
            parts.append(re.escape(piece or ""))
    return re.compile("".join(parts) + r"\s*")


def missing_line(expected, printed):
    """The first expected line that does not come, in order; a line "..." alone allows others between."""
    at, loose = 0, False
    for line in expected:
        if line.strip() == "...":
            loose = True
            continue
        if not line.strip():
            continue
        while at < len(printed) and not printed[at].strip():
            at += 1
        pattern = pattern_of(line)
        reach = printed[at:] if loose else printed[at:at + 1]
        hit = next((i for i, text in enumerate(reach) if pattern.fullmatch(text.rstrip())), None)
        if hit is None:
            return line
        at, loose = at + hit + 1, False
    return None


class Guide:
    def __init__(self, page, mishap, booking):
        self.page = page
        self.mishap = mishap
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mishap-guide-"))
        self.breaches = []
        path = [os.path.dirname(mishap), os.path.dirname(booking), "/usr/bin", "/bin", os.environ.get("PATH", "")]
        self.environment = {**os.environ, "PATH": ":".join(path), "NO_COLOR": "1", "MISHAP_BIN": mishap,
                            "MISHAP_ROOT": str(ROOT)}

    def complain(self, line, text):
        self.breaches.append(f"{self.page.name}:{line}: {text}")

    def write(self, name, body):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
        if body.startswith("#!"):
            path.chmod(0o755)

    def run(self, line, body, due):
        for command, expected in commands(body):
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
            printed = done.stdout.splitlines()
            if done.returncode != due:
                self.complain(line, f"$ {command}\nended with {done.returncode}, {due} was due; it printed\n{done.stdout}")
            elif (missing := missing_line(expected, printed)) is not None:
                self.complain(line, f"$ {command}\ndid not print\n  {missing}\nbut\n{done.stdout}")

    def lint(self, line, body):
        self.write("shown.yaml", body)
        done = subprocess.run([self.mishap, "lint", "shown.yaml"], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            self.complain(line, f"the scenario does not pass lint\n{done.stdout}{done.stderr}")

    def follow(self):
        counted = 0
        for line, language, options, body in blocks(self.page.read_text(encoding="utf-8")):
            counted += 1
            if "file" in options:
                self.write(options["file"], body)
            elif language == "console":
                self.run(line, body, int(options.get("exit", 0)))
            elif "from" in options:
                if body.strip() not in (ROOT / options["from"]).read_text(encoding="utf-8"):
                    self.complain(line, f"is not a part of {options['from']}")
            elif language == "yaml" and body.startswith("mishap: 1") and "scenario:" in body:
                self.lint(line, body)
        if counted == 0:
            self.complain(1, "shows nothing that could be run")
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.breaches


def main():
    given = dict(zip(sys.argv[1:5:2], sys.argv[2:5:2]))
    breaches = Guide(pathlib.Path(sys.argv[5]), given["--mishap"], given["--booking"]).follow()
    print("\n".join(breaches))
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
