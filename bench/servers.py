"""The servers that are measured side by side, each with the same create and, where it can wait, a slow read."""

import os
import shutil

DELAY_MS = 1000
SCENARIO = f"""mishap: 1
scenario: bench
api: any
faults:
  - {{on: GET /v1/slow, fault: {{kind: latency, for: {DELAY_MS}ms}}}}
"""
# Rules that are looked at for every request and apply to none.
RULE = "  - {{on: POST /v1/other-{0}, fault: {{kind: status, code: 503}}}}\n"
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
    location / {{ default_type application/json; return 201 '{{"id":"bk_1","reference":"r1","status":"confirmed"}}'; }}
  }}
}}
"""


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Mishap:
    waits = True

    def __init__(self, build, rules=0):
        self.binary = os.path.join(build, "mishap")
        self.rules = rules
        self.name = "mishap" if rules == 0 else f"mishap, {rules} rules"
        self.work = "all that a verdict needs"

    def command(self, port, folder):
        text = SCENARIO + "".join(RULE.format(i) for i in range(self.rules))
        return [self.binary, "serve", write(folder, "bench.yaml", text), "--port", str(port)]


class Raw:
    name = "raw epoll"
    work = "parse, match, record; one thread"
    waits = False

    def __init__(self, build):
        self.binary = os.path.join(build, "bench", "mishap-bench-raw")

    def command(self, port, folder):
        return [self.binary, str(port)]


class Nginx:
    name = "nginx"
    work = "fixed bytes, no body read"
    waits = False

    def command(self, port, folder):
        return [shutil.which("nginx") or "/usr/sbin/nginx", "-c",
                write(folder, "nginx.conf", NGINX.format(folder=folder, port=port)), "-p", folder]


def all_servers(build):
    servers = [Raw(build), Mishap(build), Mishap(build, rules=50)]
    return servers + ([Nginx()] if shutil.which("nginx") or os.path.exists("/usr/sbin/nginx") else [])
