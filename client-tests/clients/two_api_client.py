#!/usr/bin/env python3
"""Charges in one API and notes each charge in another: two base URLs, one business action.

Three ways of being wrong: --no-key leaves the idempotency key of the charge away, --fresh-key makes another one for each
attempt, --notes-first tells the second API of a charge that has not been made yet.
"""
import argparse
import json
import os
import sys
import uuid

from careful_call import Connection, call

parser = argparse.ArgumentParser()
parser.add_argument("--pay", default=os.environ.get("MISHAP_URL_PAY"))
parser.add_argument("--crm", default=os.environ.get("MISHAP_URL_CRM"))
parser.add_argument("--no-key", action="store_true")
parser.add_argument("--fresh-key", action="store_true")
parser.add_argument("--notes-first", action="store_true")
given = parser.parse_args()

pay, crm = Connection(given.pay), Connection(given.crm)


def charge(number):
    key = None if given.no_key else str(uuid.uuid4())
    if given.fresh_key:
        key = uuid.uuid4
    body = json.dumps({"amount": number})
    return call(pay, "POST", "/v1/charges", body, key, lambda answer: bool(answer.get("id")))


def note(number):
    body = json.dumps({"amount": number})
    return call(crm, "POST", "/v1/charges", body, str(uuid.uuid4()), lambda answer: bool(answer.get("id")))


steps = (note, charge) if given.notes_first else (charge, note)
all_good = True
for n in range(1, 3):
    for step in steps:
        all_good = step(n) is not None and all_good
sys.exit(0 if all_good else 1)
