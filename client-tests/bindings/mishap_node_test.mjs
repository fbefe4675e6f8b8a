// The binding for node:test, tried with a client that is right and one that is wrong.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { MishapError, start } from "./mishap_node.mjs";

const LOST = "POST /v1/bookings response_lost attempt=1";
const mishap = await start();
after(() => mishap.stop());

async function book(url, reference, key) {
  for (let attempt = 0; attempt < 3; ++attempt) {
    if (attempt > 0) await pause(150 * 2 ** attempt);
    try {
      const answer = await fetch(`${url}/v1/bookings`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key ? { "idempotency-key": key } : {}) },
        body: JSON.stringify({ reference, product: "prod_1" }),
      });
      if (answer.status === 201) return await answer.json();
    } catch {
      // Lost: try again.
    }
  }
  return null;
}

test("a client with one key for all attempts passes", async () => {
  const report = await mishap.run(LOST, { api: "booking" }, async (api) => {
    const booking = await book(api.url, "r-1", "k-1");
    await api.outcome("r-1", "succeeded", { id: booking.id });
    assert.equal(await api.requests(), 2);
  });
  assert.equal(report.verdict, "pass");
});

test("a client without a key fails with the report", async () => {
  await assert.rejects(
    mishap.run(LOST, { api: "booking" }, (api) => book(api.url, "r-1")),
    (error) => error.code === "ERR_ASSERTION" && /2 bookings for one operation/.test(error.message),
  );
});

test("a false outcome fails", async () => {
  await assert.rejects(
    mishap.run(LOST, { api: "booking" }, async (api) => {
      await book(api.url, "r-1", "k-1");
      await api.outcome("r-1", "failed");
    }),
    /outcome_truthful/,
  );
});

test("a run that nobody calls is inconclusive, which fails unless it is allowed", async () => {
  await assert.rejects(mishap.run(LOST, { api: "booking" }, () => {}), /no request came/);
  const report = await mishap.run(LOST, { api: "booking", inconclusive: "pass" }, () => {});
  assert.equal(report.verdict, "inconclusive");
});

test("an error of the test's own stays, and says what the wire saw", async () => {
  await assert.rejects(
    mishap.run(LOST, { api: "booking" }, async (api) => {
      await book(api.url, "r-1");
      throw new TypeError("mine");
    }),
    (error) => error instanceof TypeError && /mine\nmishap: fail: 2 bookings/.test(error.message),
  );
});

test("a wrong fault is an error that helps", async () => {
  await assert.rejects(
    mishap.run("POST /x respons_lost", {}, () => {}),
    (error) => error instanceof MishapError && /did you mean "response_lost"/.test(error.message),
  );
});

test("runs side by side do not see each other", async () => {
  const verdicts = await Promise.all(
    [...Array(8).keys()].map((number) =>
      mishap
        .run(LOST, { api: "booking", name: `run-${number}` }, (api) => book(api.url, "r-1", number % 2 ? "k-1" : undefined))
        .then(() => "pass", (error) => (/2 bookings for one operation/.test(error.message) ? "fail" : error.message)),
    ),
  );
  assert.deepEqual(verdicts, [..."01010101"].map((one) => (one === "1" ? "pass" : "fail")));
});

test("a file that forgets stop() ends all the same", () => {
  const script = `import { start } from ${JSON.stringify(new URL("./mishap_node.mjs", import.meta.url).href)}; await start();`;
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 30_000, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
});

test("a binary that is not there is said so", () => {
  const script = `import { start } from ${JSON.stringify(new URL("./mishap_node.mjs", import.meta.url).href)}; await start();`;
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    timeout: 30_000, encoding: "utf8", env: { ...process.env, MISHAP_BIN: "/no/such/mishap" },
  });
  assert.equal(done.status, 1);
  assert.match(done.stderr, /mishap did not start/);
});
