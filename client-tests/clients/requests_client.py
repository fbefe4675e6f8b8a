#!/usr/bin/env python3
"""Bookings with requests and the Retry of urllib3, configured as its documentation shows."""
import argparse
import os
import sys

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry


def session_of(options):
    methods = set(Retry.DEFAULT_ALLOWED_METHODS)
    if options.retry_post:
        methods.add("POST")
    retry = Retry(
        total=options.retries,
        backoff_factor=options.backoff,
        status_forcelist=[429, 500, 502, 503, 504],
        allowed_methods=methods,
        respect_retry_after_header=True,
    )
    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=retry))
    session.headers["Authorization"] = "Bearer " + os.environ.get("MISHAP_TOKEN", "")
    return session


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--creates", type=int, default=3)
    parser.add_argument("--reads", type=int, default=2)
    parser.add_argument("--retries", type=int, default=3)
    parser.add_argument("--backoff", type=float, default=0.1)
    parser.add_argument("--timeout", type=float, default=1.0)
    parser.add_argument("--retry-post", action="store_true", help="retry POST as well")
    options = parser.parse_args()
    url = os.environ["MISHAP_URL"].rstrip("/")
    prefix = f"py-{os.environ.get('MISHAP_SCENARIO', 'r')}-{os.environ.get('MISHAP_COPY', '0')}"
    session = session_of(options)
    for n in range(1, options.creates + 1):
        body = {"reference": f"{prefix}-{n}", "product": "harbour-tour", "guests": 2}
        answer = session.post(url + "/v1/bookings", json=body, timeout=options.timeout)
        answer.raise_for_status()
        answer.json()["id"]
    for _ in range(options.reads):
        answer = session.get(url + "/v1/products", timeout=options.timeout)
        answer.raise_for_status()
        answer.json()["items"]


if __name__ == "__main__":
    sys.exit(main())
