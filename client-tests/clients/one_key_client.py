#!/usr/bin/env python3
"""Makes three different bookings under one key, as a client does that has a key per user."""
import argparse
import json
import os
import sys
import uuid

from careful_call import Connection, call

parser = argparse.ArgumentParser()
parser.add_argument("--path", default="/v1/bookings")
path = parser.parse_args().path

prefix = f"one-{os.environ.get('MISHAP_SCENARIO', 'r')}-{os.environ.get('MISHAP_COPY', '0')}"
key = str(uuid.uuid4())
connection = Connection()
all_good = True
for n in range(1, 4):
    body = json.dumps({"reference": f"{prefix}-{n}", "product": "harbour-tour", "guests": n})
    booking = call(connection, "POST", path, body, key, lambda answer: bool(answer.get("id")))
    all_good = booking is not None and all_good
sys.exit(0 if all_good else 1)
