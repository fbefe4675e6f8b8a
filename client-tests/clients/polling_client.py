#!/usr/bin/env python3
"""Reads the same URL twenty times, 20 ms apart. A poller, not a retrier: each read is a new one."""
import argparse
import sys
import time

from careful_call import Connection, call

parser = argparse.ArgumentParser()
parser.add_argument("--path", default="/v1/products")
path = parser.parse_args().path

connection = Connection()
all_good = True
for _ in range(20):
    listing = call(connection, "GET", path, is_good=lambda answer: "items" in answer)
    all_good = listing is not None and all_good
    time.sleep(0.02)
sys.exit(0 if all_good else 1)
