"""Mock servers of others, each told to do what mishap does in the bench: answer a create with 201 and a small body,
at once and after a delay. Versions are pinned in peers/package.json; each is installed into a folder of its own,
so that one which will not install takes no other with it.
"""

import json
import os
import pathlib
import shutil
import subprocess

from servers import ANSWER, DELAYS_MS, free_port, late, write

ROOT = pathlib.Path(__file__).resolve().parent.parent
PINS = json.loads((ROOT / "bench" / "peers" / "package.json").read_text(encoding="utf-8"))["dependencies"]
INSTALLED = ROOT / "build" / "bench-peers"
NEEDED = {"node": "nodejs", "npm": "npm", "java": "default-jre-headless"}
JSON = {"Content-Type": "application/json"}
ROUTES = [("/v1/bookings", 0)] + [(late(ms), ms) for ms in DELAYS_MS]


class Peer:
    """A mock server from npm: what is common to all of them."""

    own = False
    waits = True
    runs_on = "node"
    package = ""

    def __init__(self):
        self.folder = INSTALLED / self.package.strip("@").replace("/", "-")
        self.version = PINS[self.package]

    def module(self, *path):
        return str(self.folder.joinpath("node_modules", self.package, *path))

    def is_installed(self):
        try:
            with open(self.module("package.json"), encoding="utf-8") as file:
                return json.load(file)["version"] == self.version
        except OSError:
            return False

    def install(self):
        """Nothing, or why it is not there."""
        for program in {"node", self.runs_on}:
            if not shutil.which(program):
                return f"{program} is missing (Debian: {NEEDED[program]})"
        if self.is_installed():
            return None
        if not shutil.which("npm"):
            return "npm is missing"
        self.folder.mkdir(parents=True, exist_ok=True)
        # What they run when they are installed is not needed to serve.
        command = ["npm", "install", "--prefix", str(self.folder), "--no-save", "--no-audit", "--no-fund",
                   "--ignore-scripts", f"{self.package}@{self.version}"]
        with open(f"{self.folder}.log", "wb") as log:
            try:
                code = subprocess.run(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, timeout=300,
                                      check=False).returncode
            except subprocess.TimeoutExpired:
                return "npm did not install it within 300 s"
        return None if code == 0 else f"npm could not install it: see build/bench-peers/{self.folder.name}.log"


# What its documentation says for performance tests, and for those with delays.
TUNED = ("--no-request-journal --disable-request-logging --disable-response-templating --container-threads 50"
         " --jetty-accept-queue-size 4096 --async-response-enabled true --async-response-threads 10").split()


class WireMock(Peer):
    """The jar that the package brings, run by java itself: what starts it from npm only adds memory and time."""

    package = "wiremock"
    runs_on = "java"

    def __init__(self, name="wiremock", flags=(), work="journal of all requests; 25 threads"):
        super().__init__()
        self.name, self.flags, self.work = name, flags, work
        self.run_as = " ".join(["java -jar wiremock-standalone.jar", *flags])

    def command(self, port, folder):
        mappings = os.path.join(folder, "mappings")
        os.makedirs(mappings, exist_ok=True)
        for path, delay in ROUTES:
            answer = {"status": 201, "headers": JSON, "body": ANSWER, **({"fixedDelayMilliseconds": delay} if delay else {})}
            stub = {"request": {"method": "POST", "urlPath": path}, "response": answer}
            write(mappings, path.rpartition("/")[2] + ".json", json.dumps(stub))
        return ["java", "-jar", self.module("build", f"wiremock-standalone-{self.version}.jar"), "--port", str(port),
                "--bind-address", "127.0.0.1", "--root-dir", folder, "--disable-banner", *self.flags]


class Mountebank(Peer):
    name = "mountebank"
    package = "mountebank"
    run_as = "mb --nologfile --loglevel warn --localOnly"
    work = "matches a predicate; no journal; told to keep connections"

    def command(self, port, folder):
        # Without the field it closes the connection after each answer.
        headers = {**JSON, "Connection": "keep-alive"}
        stubs = [{"predicates": [{"equals": {"method": "POST", "path": path}}],
                  "responses": [{"is": {"statusCode": 201, "headers": headers, "body": ANSWER},
                                 **({"behaviors": [{"wait": delay}]} if delay else {})}]} for path, delay in ROUTES]
        imposters = {"imposters": [{"port": port, "host": "127.0.0.1", "protocol": "http", "stubs": stubs}]}
        return ["node", self.module("bin", "mb"), "--port", str(free_port()), "--host", "127.0.0.1", "--localOnly",
                "--nologfile", "--loglevel", "warn", "--pidfile", os.path.join(folder, "mb.pid"), "--noParse",
                "--configfile", write(folder, "imposters.json", json.dumps(imposters))]


class Mockttp(Peer):
    name = "mockttp"
    package = "mockttp"
    run_as = "node bench/peers/mockttp.js"
    work = "matches rules; keeps the requests of each"

    def command(self, port, folder):
        routes = [{"path": path, "delay": delay, "body": ANSWER} for path, delay in ROUTES]
        return ["node", str(ROOT / "bench" / "peers" / "mockttp.js"), str(self.folder), str(port),
                write(folder, "routes.json", json.dumps(routes))]


class Prism(Peer):
    name = "prism"
    package = "@stoplight/prism-cli"
    run_as = "prism mock --verboseLevel warn"
    work = "holds the request against an OpenAPI schema; no delay, no journal"
    waits = False

    def command(self, port, folder):
        fields = {"reference": "string", "product": "string", "guests": "integer", "date": "string"}
        booking = {"type": "object", "required": list(fields), "properties": {k: {"type": t} for k, t in fields.items()}}
        create = {"requestBody": {"required": True, "content": {"application/json": {"schema": booking}}},
                  "responses": {"201": {"description": "Created", "content": {
                      "application/json": {"schema": {"type": "object"}, "example": json.loads(ANSWER)}}}}}
        document = {"openapi": "3.0.3", "info": {"title": "bench", "version": "1"},
                    "paths": {"/v1/bookings": {"post": create}}}
        return ["node", self.module("dist", "index.js"), "mock", "--host", "127.0.0.1", "--port", str(port),
                "--verboseLevel", "warn", write(folder, "openapi.json", json.dumps(document))]


class Mockoon(Peer):
    name = "mockoon"
    package = "@mockoon/cli"
    run_as = "mockoon-cli start --disable-log-to-file"
    work = "matches a route; keeps the last 100 transactions"

    def command(self, port, folder):
        headers = [{"key": key, "value": value} for key, value in JSON.items()]
        routes = [{"uuid": f"route-{delay}", "type": "http", "method": "post", "endpoint": path.lstrip("/"),
                   "responses": [{"uuid": f"answer-{delay}", "body": ANSWER, "latency": delay, "statusCode": 201,
                                  "headers": headers, "bodyType": "INLINE", "rules": [], "rulesOperator": "OR",
                                  "default": True}]} for path, delay in ROUTES]
        environment = {"uuid": "bench", "lastMigration": 33, "name": "bench", "hostname": "127.0.0.1", "port": port,
                       "routes": routes,
                       "rootChildren": [{"type": "route", "uuid": route["uuid"]} for route in routes]}
        return ["node", self.module("bin", "run.js"), "start", "--data",
                write(folder, "mockoon.json", json.dumps(environment)), "--port", str(port), "--hostname", "127.0.0.1",
                "--disable-log-to-file", "--repair"]


def all_peers():
    tuned = WireMock("wiremock tuned", TUNED, "no journal; answers that wait hold no thread")
    return [WireMock(), tuned, Mountebank(), Mockttp(), Prism(), Mockoon()]
