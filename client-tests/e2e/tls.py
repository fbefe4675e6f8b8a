#!/usr/bin/env python3
"""APIs that speak TLS, as users run them: curl, whom it trusts, and what becomes of one that trusts anybody.

Usage: tls.py --mishap BIN --booking BIN --clients FOLDER [unittest arguments]
"""

import pathlib
import shutil
import signal
import ssl
import subprocess
import unittest
import urllib.request

import behaviour
from apis import failing, records
from behaviour import GIVEN, Case

HEALTHY = "mishap: 1\nscenario: healthy-tls\napi: {from: any, tls: true}\n"
EXPIRED = HEALTHY.replace("healthy-tls", "expired") + "faults: [{on: any, fault: certificate}]\n"


@unittest.skipUnless(shutil.which("curl"), "curl is not here")
class Curl(Case):
    def run_anew(self, command, scenario):
        shutil.rmtree(self.path("run"), ignore_errors=True)
        return self.run_core("sh", "-c", command, targets=(scenario,))

    def test_it_trusts_the_file_that_it_is_given(self):
        scenario = self.write("healthy.yaml", HEALTHY)
        for command in ('curl -sf --cacert "$MISHAP_CA" "$MISHAP_URL/v1/x"', "curl -sf --cacert {ca} {url}/v1/x"):
            done, report = self.run_anew(command, scenario)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(failing(report), [])
            lines = records(self.path("run"), "healthy-tls")
            self.assertTrue([r for r in lines if r["kind"] == "connection" and r["tls"]["finished"]])

    def test_it_trusts_nobody_without_it(self):
        scenario = self.write("healthy.yaml", HEALTHY)
        done, _ = self.run_core("sh", "-c", 'curl -s "$MISHAP_URL/v1/x"; test $? = 60', targets=(scenario,))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("TLS failed: the client sent the alert 48", done.stdout + done.stderr)

    def test_it_refuses_a_bad_certificate_and_goes_on_where_it_is_told_to(self):
        scenario = self.write("expired.yaml", EXPIRED)
        for options, exchanges, failed in (('--cacert "$MISHAP_CA"', 0, []), ("--insecure", 1, ["tls_verification_enforced"])):
            _, report = self.run_anew(f'curl -s {options} "$MISHAP_URL/v1/x"; exit 0', scenario)
            self.assertEqual(failing(report), failed)
            lines = records(self.path("run"), "expired")
            self.assertEqual(len([r for r in lines if r["kind"] == "exchange"]), exchanges, options)
            rule = next(r for r in lines if r["kind"] == "connection")["rules"][0]
            self.assertTrue(rule["delivered"], rule)

    def test_one_that_falls_back_to_plain_http_fails(self):
        scenario = self.write("spoiled.yaml", EXPIRED.replace("fault: certificate", "fault: plain_bytes"))
        _, report = self.run_core("sh", "-c", 'curl -s --cacert "$MISHAP_CA" "$MISHAP_URL/v1/x" ||'
                                  ' curl -s "http://${MISHAP_URL#https://}/v1/x"; exit 0', targets=(scenario,))
        self.assertEqual(failing(report), ["tls_verification_enforced"])


class Authority(Case):
    def test_it_is_written_where_the_api_says(self):
        scenario = self.write("served.yaml", HEALTHY.replace("true", "{names: [api.vendor.com], ca_out: ./ca.pem}"))
        process = subprocess.Popen([GIVEN["mishap"], "serve", scenario], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.kill)
        url = next(word for word in process.stdout.readline().split() if word.startswith("https://"))
        context = ssl.create_default_context(cafile=self.path("ca.pem"))
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        with urllib.request.urlopen(url.rstrip("/") + "/v1/x", context=context, timeout=10) as answer:
            self.assertEqual(answer.status, 200)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertNotIn("PRIVATE", pathlib.Path(self.path("ca.pem")).read_text(encoding="utf-8"))

    def test_names_that_no_certificate_can_have_are_a_mistake_in_the_file(self):
        for names in ("999.1.1.1", "'api.vendor.com:8443'", "'*.com'", "a..b"):
            scenario = self.write("names.yaml", HEALTHY.replace("true", "{names: [" + names + "]}"))
            done = behaviour.mishap("serve", scenario)
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            self.assertIn("names.yaml:3:", done.stderr)

    def test_a_client_over_plain_http_has_none(self):
        scenario = self.write("plain.yaml", "mishap: 1\nscenario: plain\napi: any\n")
        done, _ = self.run_core("curl", "--cacert", "{ca}", "{url}/x", targets=(scenario,))
        self.assertEqual(done.returncode, 3)
        self.assertIn("speaks plain HTTP", done.stderr)


if __name__ == "__main__":
    behaviour.main()
