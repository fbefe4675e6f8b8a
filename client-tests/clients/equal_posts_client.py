#!/usr/bin/env python3
"""Makes two bookings with equal bytes, on purpose: two keys, so two bookings are right.

The body carries no reference of its own: the key is all that tells the two apart.
"""
import argparse
import json
import sys
import uuid

from careful_call import Connection, call

parser = argparse.ArgumentParser()
parser.add_argument("--path", default="/v1/bookings")
path = parser.parse_args().path

body = json.dumps({"product": "harbour-tour", "guests": 2, "date": "2031-06-16"})
connection = Connection()
all_good = True
for _ in range(2):
    key = str(uuid.uuid4())  # one per booking, the same for each of its attempts
    booking = call(connection, "POST", path, body, key, lambda answer: bool(answer.get("id")))
    all_good = booking is not None and all_good
sys.exit(0 if all_good else 1)
