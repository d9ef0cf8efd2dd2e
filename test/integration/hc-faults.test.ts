/**
 * What hc must survive: an admin port that misbehaves, errors of its own, deaths around it, a clock that jumps.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { suite, test } from "node:test";
import { fakeGateway as gateway } from "./hc-fake-gateway.ts";
import { type AdminMode, FakeProxy } from "./hc-fake-proxy.ts";
import { HcProcess, until } from "./hc-process.ts";

const preload = `--import=${resolve("test/integration/hc-preload.ts")}`;

suite("an admin port", { concurrency: 12 }, () => {
  const failures: readonly [mode: AdminMode, reason: string][] = [
    ["hung", "silent"],
    ["slow", "silent"],
    ["garbled", "garbled"],
    ["error", "status"],
  ];
  for (const [mode, reason] of failures) {
    test(`that is ${mode}: never zero in flight, and the drain ends all the same`, async (context) => {
      const { proxy, hc } = await gateway(context, { GRACE_PERIOD: "10", DRAIN_TIMEOUT: "2500ms" });
      proxy.admin = mode;
      hc.child.kill("SIGTERM");
      await hc.reaches("DRAINING");
      assert.equal(await hc.lb(), 200);
      await until("a poll failed", async () => (await hc.metrics()).includes(`reason="${reason}"} 1`));
      assert.equal((await hc.status()).inFlight, undefined);
      assert.equal(proxy.mostPolls, 1, "one poll at a time");
      await hc.reaches("FAULT");
      assert.equal(await hc.lb(), 200, "an error is not zero");
      await hc.reaches("CLOSED");
      assert.equal(await hc.exited, 0);
      assert.deepEqual(hc.path.slice(2), ["FAULT drain-timeout", "CLOSING time-is-up", "CLOSED buffer-passed"]);
    });
  }

  test("that hangs while OPEN delays no answer and is no death", async (context) => {
    const { proxy, hc } = await gateway(context);
    proxy.admin = "hung";
    await until("a poll failed", async () => (await hc.metrics()).includes('reason="silent"} 1'));
    for (let check = 0; check < 20; check++) assert.equal(await hc.lb(), 200);
    assert.deepEqual(hc.path, ["OPEN proxy-ready"]);
    proxy.admin = "ok";
    await until("it answers again", async () => (await hc.status()).inFlight === 0);
  });

  test("that is refused alone while the readiness is fine is no death", async (context) => {
    const { proxy, hc } = await gateway(context);
    await proxy.closeAdmin();
    await until("a poll failed", async () => (await hc.metrics()).includes('reason="refused"} 1'));
    assert.equal(await hc.lb(), 200);
    assert.deepEqual(hc.path, ["OPEN proxy-ready"]);
  });

  test("that recovers lets the drain end as quiet", async (context) => {
    const { proxy, hc } = await gateway(context, { DRAIN_TIMEOUT: "10", GRACE_PERIOD: "60" });
    proxy.admin = "garbled";
    hc.child.kill("SIGTERM");
    await until("a poll failed", async () => (await hc.metrics()).includes('reason="garbled"} 1'));
    proxy.admin = "ok";
    await hc.reaches("CLOSED");
    assert.equal(hc.path.at(-2), "CLOSING quiet");
  });
});

suite("a proxy", { concurrency: 12 }, () => {
  test("that dies while OPEN is a FAULT with the close answer, and OPEN again at once when it is back", async (context) => {
    const { proxy, hc } = await gateway(context);
    await proxy.stop();
    await hc.reaches("FAULT");
    const status = await hc.status();
    assert.equal(status.cause, "proxy-dead");
    assert.equal(await hc.lb(), 503);
    assert.equal((await hc.get("/health")).status, 503);
    assert.equal((await hc.get("/live")).status, 200);
    await proxy.start();
    await hc.reaches("OPEN");
    assert.equal(await hc.lb(), 200);
  });

  test("that dies and never comes back does not keep a pod that is stopped", async (context) => {
    const { proxy, hc } = await gateway(context);
    await proxy.stop();
    await hc.reaches("FAULT");
    const hook = hc.get("/drained");
    hc.child.kill("SIGTERM");
    assert.equal((await hook).status, 200);
    assert.equal(await hc.exited, 0);
    assert.deepEqual(hc.path.slice(1), ["FAULT proxy-dead", "CLOSING sigterm", "CLOSED buffer-passed"]);
  });

  test("that ends by itself during the drain ends it", async (context) => {
    const { proxy, hc } = await gateway(context, { DRAIN_TIMEOUT: "15", LB_DETECTION: "15" });
    hc.child.kill("SIGTERM");
    await until("a reading", async () => (await hc.status()).inFlight === 0);
    await proxy.stop();
    assert.equal(await hc.exited, 0);
    assert.deepEqual(hc.path.slice(1), ["DRAINING sigterm", "CLOSING proxy-gone", "CLOSED buffer-passed"]);
  });

  test("that listens on ::1 only is seen", async (context) => {
    const proxy = new FakeProxy("::1");
    await proxy.start();
    context.after(() => proxy.stop());
    const hc = await HcProcess.start(context, proxy.environment);
    assert.equal(await hc.lb(), 200);
    proxy.inFlight = 1;
    await until("it is seen", async () => (await hc.status()).inFlight === 1);
  });

  test("whose agent is not ready stays in the load balancer", async (context) => {
    const { proxy, hc } = await gateway(context);
    proxy.ready = 503;
    await until("hc saw it", async () => !(await hc.status()).proxy.ready);
    assert.equal(await hc.lb(), 200);
    assert.deepEqual(hc.path, ["OPEN proxy-ready"]);
  });
});

suite("hc itself", { concurrency: 12 }, () => {
  test("survives an exception, a rejection and a jump of the clock in the middle of a drain", async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "gracegate-loaded-"));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const { proxy, hc } = await gateway(context, { NODE_OPTIONS: preload, LOADED_FILE: join(folder, "loaded") });
    proxy.inFlight = 1;
    hc.child.kill("SIGTERM");
    await hc.reaches("DRAINING");
    hc.child.kill("SIGUSR2");
    await until("both are counted", async () => (await hc.metrics()).includes("unexpected_errors_total 2"));
    assert.equal((await hc.status()).state, "DRAINING", "a day has passed on the clock, and nothing of the drain");
    proxy.inFlight = 0;
    await hc.reaches("CLOSED");
    assert.equal(hc.path.at(-2), "CLOSING quiet");
    assert.match(hc.log, /event=unexpected-error .*an exception from nowhere/);
    const loaded = readFileSync(join(folder, "loaded"), "utf8").split("\n");
    assert.ok(loaded.some((url) => url.endsWith("/src/hc/run.ts")));
    assert.deepEqual(
      loaded.filter(
        (url) => url.includes("/node_modules/") || /src\/(policy|mutate|pod|admission|telemetry)\//.test(url),
      ),
      [],
      "hc loads no package, and nothing of the webhook",
    );
  });

  test("killed and restarted while OPEN answers 200 first and undoes a retirement that was left over", async (context) => {
    const { proxy, hc } = await gateway(context);
    hc.child.kill("SIGKILL");
    await hc.exited;
    const again = await HcProcess.start(context, { ...proxy.environment, RETIRE_CONNECTIONS: "true" });
    assert.equal(await again.lb(), 200);
    assert.match(await again.metrics(), /health_answers_total\{code="503"\} 0/);
    await until("it is undone", () => proxy.posts.includes("/healthcheck/ok"));
  });

  test("goes on when whoever reads its log goes away", async (context) => {
    const { proxy, hc } = await gateway(context);
    hc.child.stdout?.destroy();
    hc.child.stderr?.destroy();
    proxy.inFlight = 1;
    hc.child.kill("SIGTERM");
    await hc.reaches("DRAINING");
    proxy.inFlight = 0;
    await hc.reaches("CLOSED");
  });

  test("runs with defaults where variables cannot be read, and says which", async (context) => {
    const { hc } = await gateway(context, {
      LB_BUFFER: "soon",
      LB_ANSWERS: "{",
      LB_PROFILE: "other",
      LB_DETECTION: "-1",
    });
    assert.equal(await hc.lb(), 200);
    const { findings } = await hc.status();
    assert.deepEqual(findings.map(({ code, text }) => `${code} ${text.split(":")[0]}`).sort(), [
      "GG704 LB_ANSWERS",
      "GG704 LB_BUFFER",
      "GG704 LB_DETECTION",
      "GG704 LB_PROFILE",
    ]);
  });

  test("waits for a port that is taken", async (context) => {
    const { createServer } = await import("node:net");
    const squatter = createServer().listen(0, "::");
    await new Promise((resolve) => squatter.once("listening", resolve));
    const { port } = squatter.address() as { port: number };
    const { hc } = await gateway(context, { METRICS_PORT: String(port) });
    await until("hc says so", () => hc.log.includes("event=listen-failed"));
    assert.equal(await hc.lb(), 200);
    await new Promise((resolve) => squatter.close(resolve));
    await until(
      "it listens",
      async () => (await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined))?.ok === true,
    );
  });
});
