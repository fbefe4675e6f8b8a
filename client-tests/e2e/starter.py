#!/usr/bin/env python3
"""init, and what is said when the healthy control is not healthy.

Usage: starter.py --mishap BIN [unittest arguments]
"""

import json
import os
import pathlib
import shutil
import socket

import jsonschema
import yaml

import project_case
from project_case import PYTHON, Case, findings


class Init(Case):
    def init(self, *arguments, code=0, **options):
        done = self.mishap("init", *arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_from_init_to_a_true_verdict(self):
        self.init("--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py")
        self.assertEqual(len(self.starts()), 1)
        written = self.read("mishap.yaml")
        for text in ("sync.py", "VENDOR_URL: \"{url}\"", "POST /v1/orders", "no idempotency key", "# promise: b2b",
                     "external_id", "exit code 0"):
            self.assertIn(text, written)
        linted = self.mishap("lint")
        self.assertEqual(linted.returncode, 0, linted.stdout)
        self.assertIn("0 errors, 0 warnings in 1 file", linted.stdout)
        # Without an argument it runs the core pack with this client.
        done, report = self.run_test("--jobs", "16", "--promise", "attempt_timeout=1s", code=1)
        self.assertGreater(len(report["cases"]), 40)
        self.assertTrue(done.stdout.startswith("project   mishap.yaml"), done.stdout[:200])
        self.assertEqual(findings(report, "response-lost-after-create")["no_duplicate_effects"], "fail")
        # The same client with a key is right where it was wrong.
        self.init("--force", "--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py", "--key")
        self.assertIn("an idempotency key came with 1 of 1", self.read("mishap.yaml"))
        _, report = self.run_test("core/response-lost-after-create", "core/healthy", "core/reset-before-effect",
                                  "--promise", "attempt_timeout=1s", code=0)
        self.assertEqual(findings(report, "response-lost-after-create")["no_duplicate_effects"], "pass")

    def test_the_written_file_fits_the_schema(self):
        import jsonschema
        import yaml
        self.init("--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py", "--note", "a: b # c\n'\"{x}")
        schema = json.loads(self.mishap("schema", "project").stdout)
        document = yaml.safe_load(self.read("mishap.yaml"))
        self.assertEqual([error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document)], [])
        self.assertEqual(document["client"]["command"][-1], "a: b # c\n'\"{x}")

    def test_a_client_whose_url_cannot_be_changed(self):
        client = ("curl", "-sf", "--json", '{"external_id": "o-1"}', "https://api.vendor.example/v1/orders")
        self.init("--intercept", "api.vendor.example", "--", *client)
        document = yaml.safe_load(self.read("mishap.yaml"))
        self.assertEqual(document["api"], {"from": "any", "intercept": ["api.vendor.example"]})
        self.assertIn("POST /v1/orders", self.read("mishap.yaml"))
        self.run_test("core/healthy", code=0)
        done = self.init("--force", "--intercept", "api.vendor.example:0", "--", *client, code=3)
        self.assertIn("has no port between 1 and 65535", done.stderr)

    def test_a_file_that_is_there_is_kept(self):
        self.write("mishap.yaml", "mishap: 1\n")
        done = self.init("--", PYTHON, "sync.py", code=3)
        self.assertIn("--force", done.stderr)
        self.assertEqual(self.read("mishap.yaml"), "mishap: 1\n")
        self.assertEqual(self.starts(), [])

    def test_a_client_that_goes_elsewhere_is_told_where_its_url_may_be(self):
        env = {"VENDOR_URL": "http://ann:pa55word@127.0.0.1:9/v1?key=s3cret"}
        done = self.init("--", PYTHON, "sync.py", "--copy=http://bob:pa55word@127.0.0.1:9/x", code=2, env=env)
        self.assertIn("--env VENDOR_URL={url}", done.stdout)
        self.assertIn("--copy=http://127.0.0.1:9", done.stdout)
        self.assertNotIn("pa55word", done.stdout + done.stderr)
        self.assertNotIn("s3cret", done.stdout + done.stderr)
        self.assertFalse(os.path.exists(self.path("mishap.yaml")))
        self.assertEqual(len(self.starts()), 1)

    def test_a_secret_is_not_written(self):
        done = self.init("--env", "VENDOR_URL={url}", "--env", "API_TOKEN=abc123def", "--", PYTHON, "sync.py")
        self.assertNotIn("abc123def", self.read("mishap.yaml") + done.stdout + done.stderr)
        self.assertIn("API_TOKEN", self.read("mishap.yaml"))
        refused = self.init("--force", "--env", "API_TOKEN=abc123def", "--", PYTHON, "sync.py", "abc123def", code=3)
        self.assertNotIn("abc123def", refused.stdout + refused.stderr)

    def test_an_unhealthy_run_gets_a_vendor_to_go_on_with(self):
        done = self.init("--api", "booking", "--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py", code=2)
        self.assertIn("no route for POST /v1/orders", done.stdout)
        self.assertIn("refused 404", done.stdout)
        self.assertIn("./api.yaml", self.read("mishap.yaml"))
        linted = self.mishap("lint", "mishap.yaml", "api.yaml")
        self.assertEqual(linted.returncode, 0, linted.stdout)
        self.assertIn("0 errors, 0 warnings in 2 files", linted.stdout)
        self.run_test("core/healthy", code=0)

    def test_a_client_that_lives_on_is_written_as_a_service(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.write("live.py", "import os, socket, sys, urllib.request\n"
                              "server = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
                              "urllib.request.urlopen(os.environ['MISHAP_URL'] + '/v1/jobs').read()\n"
                              "while True:\n"
                              "    server.accept()[0].close()\n")
        done = self.init("--kill-after", "4s", "--", PYTHON, "live.py", str(port))
        written = self.read("mishap.yaml")
        self.assertIn("kind: service", written)
        self.assertIn(f"ready: port {port} ", written)
        self.assertIn("until: quiet 3s", written)
        self.assertIn("did not end by itself", done.stdout)
        self.assertEqual(self.mishap("lint").returncode, 0)
        # As it is written it can be judged.
        self.run_test("core/healthy", code=0)


class Unhealthy(Case):
    def test_the_starter_makes_the_control_well(self):
        client = ("--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py")
        done, _ = self.run_test("core/healthy", "--api", "booking", *client, code=1)
        self.assertIn("POST /v1/orders -> 404", done.stdout)
        self.assertIn("no route for POST /v1/orders; there are GET /v1/ping", done.stdout)
        self.assertIn("refused 404", done.stdout)
        starter = self.path("run/api.yaml")
        self.assertIn("mishap test core/healthy --env 'VENDOR_URL={url}' --api " + starter, done.stdout)
        self.assertEqual(self.mishap("lint", starter).returncode, 0)
        text = pathlib.Path(starter).read_text(encoding="utf-8")
        self.assertIn("external_id: {type: string}", text)
        self.assertNotIn("o-1", text, "no value of a body")
        shutil.copy(starter, self.path("api.yaml"))
        self.run_test("core/healthy", "--api", "api.yaml", *client, code=0)

    def test_a_refusal_is_told_with_its_reason(self):
        self.write("strict.yaml", "mishap: 1\napi: strict\nresources:\n  orders:\n    path: /v1/orders\n"
                                  "    schema: {type: object, required: [sku]}\n")
        self.write("closed.yaml", "mishap: 1\napi: closed\nany_path: true\nauth: {bearer: required}\n")
        client = ("--env", "VENDOR_URL={url}", "--", PYTHON, "sync.py")
        done, _ = self.run_test("core/healthy", "--api", "strict.yaml", *client, code=1)
        self.assertRegex(done.stdout, r"-> 422\n\s+.*sku")
        done, _ = self.run_test("core/healthy", "--api", "closed.yaml", *client, code=1)
        self.assertRegex(done.stdout, r"-> 401\n\s+a bearer token is needed")

    def test_a_wrong_base_url_lets_one_run_leave(self):
        """Whatever the options: where no request arrives, the client was started once."""
        elsewhere = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(elsewhere.close)
        url = f"http://127.0.0.1:{elsewhere.getsockname()[1]}"
        client = ("--", PYTHON, "sync.py")
        runs = [("core", "--jobs", "8", "--env", f"VENDOR_URL={url}", *client),
                ("core", "--jobs", "1", "--env", f"VENDOR_URL={url}", *client),
                ("core", "--jobs", "8")]
        self.write("mishap.yaml", "mishap: 1\njobs: 8\npromise: b2b\n"
                                  f"client: {{command: [{PYTHON}, sync.py], env: {{VENDOR_URL: '{url}'}}}}\n")
        for number, run in enumerate(runs, 1):
            extra = () if "--" not in run else ("--no-project",)
            done, _ = self.run_test(*extra, *run, code=2)
            self.assertEqual(len(self.starts()), number, run)
            self.assertIn("sent no request", done.stdout)
            self.assertIn("--env VENDOR_URL={url}", done.stdout)


if __name__ == "__main__":
    project_case.main()
