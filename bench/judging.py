"""How long a stored run of many attempts takes to be read and judged, stage by stage."""

import json
import os
import subprocess

from measure import Failed

PATIENCE = 600  # seconds, for each of the two


def told(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{os.path.basename(command[0])} was not over within {PATIENCE} s") from error
    if done.returncode:
        raise Failed(f"{os.path.basename(command[0])} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def measured(build, folder, attempts):
    """Bytes of the stored run, and the table of its judging."""
    program = os.path.join(build, "bench", "mishap-bench-")
    made = json.loads(told([program + "stored-run", folder, str(attempts)]))
    table = told([program + "judging", folder]).splitlines()
    if len(table) < 10:
        raise Failed(f"judging told {len(table)} lines only")
    return made["bytes"], table
