#!/usr/bin/env python3
"""An honest consumer of a queue that delivers at least once: every message comes twice, each time with the key
that was stored with it, so the vendor makes one booking of it.
"""
import argparse
import json
import os
import sys
import uuid

from careful_call import Connection, call

parser = argparse.ArgumentParser()
parser.add_argument("--path", default="/v1/bookings")
path = parser.parse_args().path

prefix = f"queue-{os.environ.get('MISHAP_SCENARIO', 'r')}-{os.environ.get('MISHAP_COPY', '0')}"
connection = Connection()
all_good = True
for n in range(1, 3):
    key = str(uuid.uuid4())
    body = json.dumps({"reference": f"{prefix}-{n}", "product": "harbour-tour", "guests": n})
    for _delivery in range(2):
        booking = call(connection, "POST", path, body, key, lambda answer: bool(answer.get("id")))
        all_good = booking is not None and all_good
sys.exit(0 if all_good else 1)
