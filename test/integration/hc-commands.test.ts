/**
 * `gracegate drain`, `gracegate hc-ctl` and graceful-drain.sh against a real hc process.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { fakeGateway } from "./hc-fake-gateway.ts";
import { FakeProxy } from "./hc-fake-proxy.ts";
import { freePort, HcProcess, until } from "./hc-process.ts";

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
  return new Promise((done) => {
    const child = spawn(command, args, { env: { ...rest, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    child.once("close", (code) => done({ code, out, err }));
  });
}

const gracegate = (...args: string[]) => run(process.execPath, ["src/main.ts", ...args]);

async function gateway(context: TestContext, env: Record<string, string> = {}) {
  const started = await fakeGateway(context, env);
  return { ...started, port: `--port=${started.hc.ports.control}` };
}

suite("gracegate drain", { concurrency: 4 }, () => {
  test("blocks until CLOSED and prints the transitions in the words of the log", async (context) => {
    const { proxy, hc, port } = await gateway(context);
    proxy.inFlight = 1;
    const drain = gracegate("drain", port);
    await hc.reaches("DRAINING");
    proxy.inFlight = 0;
    const { code, out } = await drain;
    assert.equal(code, 0);
    assert.deepEqual(
      out
        .trim()
        .split("\n")
        .map((line) => line.replace(/ inFlight=.*/, "")),
      [
        "event=transition from=OPEN to=DRAINING cause=drain",
        "event=transition from=DRAINING to=CLOSING cause=quiet",
        "event=transition from=CLOSING to=CLOSED cause=buffer-passed",
      ],
    );
    assert.equal((await gracegate("drain", port)).code, 0, "a drain that is over needs no other");
  });

  test("fails when the drain is taken back", async (context) => {
    const { proxy, hc, port } = await gateway(context);
    proxy.inFlight = 1;
    const drain = gracegate("drain", port);
    await hc.reaches("DRAINING");
    assert.equal((await gracegate("hc-ctl", "reopen", port)).code, 0);
    const { code, err } = await drain;
    assert.equal(code, 1);
    assert.match(err, /taken back/);
  });

  test("does not wait with --no-wait", async (context) => {
    const { proxy, hc, port } = await gateway(context);
    proxy.inFlight = 1;
    assert.equal((await gracegate("drain", "--no-wait", port)).code, 0);
    await hc.reaches("DRAINING");
  });

  test("has nothing to do before the proxy was ever ready", async (context) => {
    const { err, code } = await (async () => {
      const proxy = new FakeProxy();
      await proxy.start();
      proxy.ready = 503;
      context.after(() => proxy.stop());
      const hc = await HcProcess.start(context, proxy.environment);
      return gracegate("drain", `--port=${hc.ports.control}`);
    })();
    assert.equal(code, 0);
    assert.match(err, /Nothing to drain/);
  });

  test("goes on with the drain when it is interrupted itself", async (context) => {
    const { proxy, hc } = await gateway(context);
    proxy.inFlight = 1;
    const child = spawn(process.execPath, ["src/main.ts", "drain", `--port=${hc.ports.control}`], { stdio: "ignore" });
    await hc.reaches("DRAINING");
    child.kill("SIGINT");
    assert.equal(await new Promise((done) => child.once("exit", done)), 1);
    assert.equal((await hc.status()).state, "DRAINING");
  });

  test("is what graceful-drain.sh calls", async (context) => {
    const { hc } = await gateway(context);
    const folder = mkdtempSync(join(tmpdir(), "gracegate-image-"));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync(resolve("image/graceful-drain.sh"), join(folder, "graceful-drain.sh"));
    const main = resolve("src/main.ts");
    writeFileSync(join(folder, "gracegate"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
    const path = [folder, process.env.PATH].join(delimiter);
    const env = { PATH: path, CONTROL_PORT: String(hc.ports.control) };
    const { code, out, err } = await run(join(folder, "graceful-drain.sh"), [], env);
    assert.equal(code, 0, err);
    assert.match(out, /to=CLOSED/);
  });
});

suite("gracegate hc-ctl", { concurrency: 4 }, () => {
  test("shows the state in words and in JSON", async (context) => {
    const { proxy, port } = await gateway(context);
    proxy.inFlight = 3;
    await until("it is seen", async () => (await gracegate("hc-ctl", "status", port)).out.includes("in flight: 3"));
    const { out } = await gracegate("hc-ctl", "status", port);
    assert.match(
      out,
      /^OPEN for [0-9.]+s because of proxy-ready\nin flight: 3\n {2}3 {2}http\.outbound_0\.0\.0\.0_8080;/,
    );
    const json = JSON.parse((await gracegate("hc-ctl", "status", "-o", "json", port)).out);
    assert.deepEqual([json.state, json.inFlight, json.lb.profile], ["OPEN", 3, "generic"]);
  });

  test("closes the load balancer's side, then all, and says why there is no way back", async (context) => {
    const { hc, port } = await gateway(context, { LB_BUFFER: "20", GRACE_PERIOD: "90" });
    assert.match((await gracegate("hc-ctl", "close-lb", port)).out, /^CLOSING/);
    assert.equal(await hc.lb(), 503);
    assert.match((await gracegate("hc-ctl", "close", port)).out, /^CLOSED/);
    const { code, err } = await gracegate("hc-ctl", "reopen", port);
    assert.equal(code, 1);
    assert.match(err, /the drain is over/);
  });

  test("says what is wrong where there is no hc", async (context) => {
    const nobody = await gracegate("hc-ctl", "status", `--port=${await freePort()}`);
    assert.deepEqual([nobody.code, nobody.out], [1, ""]);
    assert.match(nobody.err, /nobody listens there/);
    const other = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    context.after(() => other.close());
    await new Promise((done) => other.once("listening", done));
    const wrong = await gracegate("drain", `--port=${(other.address() as AddressInfo).port}`);
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /is not hc/);
  });

  test("is used wrongly without an action, with another one, or with no port", async () => {
    assert.equal((await gracegate("hc-ctl")).code, 2);
    assert.equal((await gracegate("hc-ctl", "open")).code, 2);
    assert.equal((await gracegate("hc-ctl", "status", "--port", "x")).code, 2);
    const help = await gracegate("hc", "--help");
    assert.equal(help.code, 0);
    assert.match(help.out, /docs\/hc\.md/);
  });
});
