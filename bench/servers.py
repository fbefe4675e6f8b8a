"""The servers that are measured side by side, each with the same create and, where it can wait, the same one late."""

import os
import shutil
import socket
import subprocess

HELD_MS = 1000  # how long connections are held
DELAYS_MS = (1, 10, 100, 1000)
GATE = "/v1/gate"        # where nobody is answered until all have come
TRICKLE = "/v1/trickle"  # where a byte of the answer comes each second


def late(delay_ms):
    """Where a create is answered after that time."""
    return f"/v1/late-{delay_ms}"


SCENARIO = """mishap: 1
scenario: bench
api: any
faults:
"""
LATE = "  - {{on: POST {path}, fault: {{kind: latency, for: {ms}ms}}}}\n"
BARRIER = "  - {{on: POST {path}, fault: {{kind: barrier, count: {count}, within: 60s}}}}\n"
DRIBBLE = "  - {{on: POST {path}, fault: {{kind: dribble, at: response_head, slice: 1B, gap: 1s}}}}\n"
# Rules that are looked at for every request and apply to none.
RULE = "  - {{on: POST /v1/other-{0}, fault: {{kind: status, code: 503}}}}\n"
# What peers answer, where mishap makes it.
ANSWER = '{"id":"bk_1","reference":"r1","status":"confirmed"}'
NGINX = """daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 20000; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  keepalive_requests 100000000;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{ default_type application/json; return 201 '{answer}'; }}
  }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Mishap:
    own = True
    waits = True
    run_as = "mishap serve"

    def __init__(self, build, rules=0):
        self.binary = os.path.join(build, "mishap")
        self.rules = rules
        self.name = f"mishap with {rules} rules" if rules else "mishap"
        self.work = (f"the same, with {rules} rules that are looked at and apply to nothing" if rules else
                     "all that a verdict needs: journal, ledger, receipts, identity")

    @property
    def version(self):
        told = subprocess.run([self.binary, "--version"], capture_output=True, text=True, timeout=10, check=True)
        return told.stdout.split()[-1]

    def command(self, port, folder):
        text = SCENARIO + "".join(LATE.format(path=late(ms), ms=ms) for ms in DELAYS_MS)
        text += "".join(RULE.format(i) for i in range(self.rules))
        return [self.binary, "serve", write(folder, "bench.yaml", text), "--port", str(port)]


class Scripted(Mishap):
    """mishap with a scenario of its own."""

    def __init__(self, build, name, text):
        super().__init__(build)
        self.name, self.text = name, text

    def command(self, port, folder):
        return [self.binary, "serve", write(folder, "bench.yaml", self.text), "--port", str(port)]


class Raw:
    """The least that a server can do."""

    name = "raw epoll"
    version = ""
    run_as = "mishap-bench-raw"
    work = "the least: parse, match, record; one thread"
    own = True
    waits = False

    def __init__(self, build):
        self.binary = os.path.join(build, "bench", self.run_as)

    def command(self, port, folder):
        return [self.binary, str(port)]


class SameWork(Raw):
    """What the facts cost that a verdict needs, where nothing else is done."""

    name = "raw epoll (same work)"
    run_as = "mishap-bench-same-work"
    work = "the yardstick: fields, content, identity, keys, ledger, receipts, a record with the same facts; one thread"


class Nginx:
    name = "nginx"
    run_as = "nginx"
    work = "what machine and load can do: fixed bytes, no body read, one worker, no log"
    own = False
    waits = False

    def __init__(self):
        self.binary = shutil.which("nginx") or "/usr/sbin/nginx"

    @property
    def version(self):
        told = subprocess.run([self.binary, "-v"], capture_output=True, text=True, timeout=10, check=False)
        return told.stderr.strip().rpartition("/")[2]

    def install(self):
        """Nothing, or why it is not there."""
        return None if os.path.exists(self.binary) else "nginx is not installed (Debian: nginx-light)"

    def command(self, port, folder):
        text = NGINX.format(folder=folder, port=port, answer=ANSWER)
        return [self.binary, "-c", write(folder, "nginx.conf", text), "-p", folder]


def holding(build, connections):
    """mishap with a gate for so many, and answers that come byte by byte."""
    text = SCENARIO + BARRIER.format(path=GATE, count=connections) + DRIBBLE.format(path=TRICKLE)
    return Scripted(build, "mishap", text)


def own_servers(build):
    return [Raw(build), SameWork(build), Mishap(build), Mishap(build, rules=50)]
