// For node:test (node 18 or later, no dependencies): prove in a test how your API client behaves when
// the API misbehaves.
//
//   import { after, test } from "node:test";
//   import { start } from "./mishap_node.mjs";
//   const mishap = await start();
//   after(() => mishap.stop());
//   test("a lost answer books once", () =>
//     mishap.run("POST /v1/bookings response_lost attempt=1", { api: "booking" }, async (api) => {
//       await book(api.url, "r-1");
//     }));
//
// When the function ends, mishap judges what your client did; a verdict that is not `pass` rejects with
// the report as its message. README.md beside this file tells the options.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";

const STARTS_WITHIN_MS = 20_000;

export class MishapError extends Error {}

function told(status, problem) {
  const place = (one) => ("line" in one ? `${one.source}:${one.line}:${one.column}: ` : "");
  const lines = (problem.errors ?? []).map((one) => place(one) + one.detail);
  if (lines.length === 0) lines.push(problem.detail ?? `the control API answered ${status}`);
  if (problem.hint) lines.push(problem.hint);
  return lines.join("\n");
}

class Control {
  constructor(url, token) {
    this.url = url.replace(/\/+$/, "");
    this.headers = token ? { authorization: `Bearer ${token}` } : {};
  }

  async call(method, path, body) {
    const headers = { ...this.headers };
    if (body !== undefined) headers["content-type"] = "application/json";
    let answer;
    try {
      answer = await fetch(this.url + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    } catch (error) {
      throw new MishapError(`the control API at ${this.url} does not answer: ${error.cause?.message ?? error.message}`);
    }
    const text = await answer.text();
    const json = text === "" ? {} : JSON.parse(text);
    if (!answer.ok) throw new MishapError(told(answer.status, json));
    return json;
  }
}

class Run {
  constructor(control, begun) {
    this.control = control;
    Object.assign(this, begun); // id, name, url, urls, copies, token, seed
    this.report = null;
  }

  /** What your client says became of an operation: succeeded, failed or pending. */
  outcome(operation, outcome, { copy = 0, ...more } = {}) {
    return this.control.call("POST", `/v1/runs/${this.id}/outcomes?copy=${copy}`, { operation, outcome, ...more });
  }

  async requests() {
    return (await this.control.call("GET", `/v1/runs/${this.id}`)).requests;
  }

  async end(how = {}) {
    this.report = await this.control.call("POST", `/v1/runs/${this.id}/end`, how);
    return this.report;
  }
}

class Mishap {
  constructor(control, stop, inconclusive) {
    this.control = control;
    this.stop = stop;
    this.inconclusive = inconclusive;
  }

  /**
   * Begins a run, calls `body` with it, ends and judges it. `faults`: one quick fault or a list of them.
   * Options: scenario, yaml, api, set, promise, name, require, ignore, seed, copies; and background,
   * exitCode, control (an ended Run), inconclusive: "fail" or "pass". Gives the report.
   */
  async run(faults, options, body) {
    const { background = false, exitCode, control, inconclusive = this.inconclusive, ...request } = options;
    const begun = await this.control.call("POST", "/v1/runs", { faults: [faults ?? []].flat(), ...request });
    const run = new Run(this.control, begun);
    try {
      await body(run);
    } catch (error) {
      const report = await run.end().catch(() => null);
      if (report && error instanceof Error) error.message += `\nmishap: ${report.verdict}: ${report.headline}`;
      throw error;
    }
    const how = { done: !background };
    if (exitCode !== undefined) how.exit_code = exitCode;
    if (control !== undefined) how.control = control.id;
    const report = await run.end(how);
    const fine = report.verdict === "pass" || (report.verdict !== "fail" && inconclusive === "pass");
    if (!fine) assert.fail(report.text);
    return report;
  }
}

function readReady(child, errors) {
  return new Promise((resolve, reject) => {
    let text = "";
    const fail = (why) => reject(new MishapError(`mishap did not start: ${errors.text.trim() || why}`));
    const timer = setTimeout(() => fail(`no word of it within ${STARTS_WITHIN_MS / 1000} s`), STARTS_WITHIN_MS);
    child.on("error", (error) => fail(error.message));
    child.stdio[3].on("data", (piece) => (text += piece));
    child.stdio[3].on("error", () => {});
    child.stdio[3].on("close", () => {
      clearTimeout(timer);
      const line = text.split("\n").find((one) => one.startsWith("ready control "));
      line ? resolve(line.split(" ")[2]) : child.once("exit", () => fail("it ended at once"));
    });
  });
}

/** A control API: the one that MISHAP_CONTROL_URL names, or one of our own, which ends with this process. */
export async function start({ inconclusive = "fail" } = {}) {
  const { MISHAP_CONTROL_URL: url, MISHAP_CONTROL_TOKEN: token, MISHAP_BIN: binary = "mishap" } = process.env;
  if (url) return new Mishap(new Control(url, token), async () => {}, inconclusive);
  const child = spawn(binary, ["serve", "--control", "0", "--ready-fd", "3", "--until-eof"], {
    stdio: ["pipe", "ignore", "pipe", "pipe"],
  });
  const errors = { text: "" };
  child.stderr.on("data", (piece) => (errors.text += piece));
  child.stdin.on("error", () => {});
  const ready = await readReady(child, errors);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  // A test file that forgets stop() may end all the same: the server sees its standard input close.
  for (const handle of [child, child.stdin, child.stderr]) handle.unref();
  const stop = async () => {
    child.ref();
    child.stdin.end();
    await ended;
  };
  return new Mishap(new Control(ready, token), stop, inconclusive);
}
