/**
 * What strangers can do to hc, and a mesh by its size: the balancer's check and the kubelet's hook must not notice.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { suite, type TestContext, test } from "node:test";
import { fakeGateway as gateway } from "./hc-fake-gateway.ts";
import { type AdminMode, FakeProxy } from "./hc-fake-proxy.ts";
import { ask, freePort, until } from "./hc-process.ts";

/** Keeps so many connections, each of which sends something; one that ends is replaced. */
function strangers(context: TestContext, port: number, count: number, bytes: string, address: (at: number) => string) {
  const sockets = new Set<Socket>();
  let isOn = true;
  const open = (at: number) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: address(at) }, () => socket.write(bytes));
    sockets.add(socket);
    socket.on("error", () => {}).resume();
    socket.once("close", () => {
      sockets.delete(socket);
      if (isOn) setImmediate(open, at);
    });
  };
  for (let at = 0; at < count; at++) open(at);
  context.after(() => {
    isOn = false;
    for (const socket of sockets) socket.destroy();
  });
}

suite("strangers", { concurrency: 2 }, () => {
  test("who take all places of /drained do not take the kubelet's, nor one of a hook without a token", async (context) => {
    const { proxy, hc } = await gateway(context, { HOOK_TOKEN: "secret" });
    proxy.inFlight = 1;
    strangers(context, hc.ports.health, 400, "GET /drained HTTP/1.1\r\n\r\n", (at) => `127.0.1.${1 + (at % 50)}`);
    await until("all places are taken", async () => (await hc.status()).heldRequests === 256);
    hc.child.kill("SIGTERM");
    let answered = 0;
    const token = { "Gracegate-Hook": "secret" };
    const hooks = [token, token, {}].map(async (headers) => {
      const { status } = await hc.get("/drained", "GET", headers);
      answered += 1;
      return status;
    });
    await hc.reaches("DRAINING");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.equal(answered, 0, "the proxy must go on serving");
    proxy.inFlight = 0;
    assert.deepEqual(await Promise.all(hooks), [200, 200, 200]);
    assert.equal(hc.path.at(-2), "CLOSING quiet");
  });

  const floods: readonly [name: string, bytes: string][] = [
    ["whole requests", "GET /health_check.html HTTP/1.1\r\n\r\n"],
    ["half requests", "GET /hea"],
    ["a thousand requests in a packet", "GET / HTTP/1.1\r\n\r\n".repeat(1000)],
    ["a body that nobody asked for", `POST / HTTP/1.1\r\nContent-Length: 999999\r\n\r\n${"x".repeat(100_000)}`],
  ];
  for (const [name, bytes] of floods) {
    test(`who flood the health port with ${name} cost little memory and no check`, async (context) => {
      // As the image starts it.
      const { hc } = await gateway(context, { NODE_OPTIONS: "--max-semi-space-size=1" });
      strangers(context, hc.ports.health, 300, bytes, () => "127.0.0.3");
      const before = anonymousMiB(hc.child);
      for (let check = 0; check < 50; check++) assert.equal(await hc.lb(), 200);
      assert.ok(anonymousMiB(hc.child) - before < 64, `${before} MiB became ${anonymousMiB(hc.child)}`);
      assert.equal(hc.log.split("\n").filter((line) => !line.includes("event=listen")).length < 20, true, hc.log);
      assert.match(await hc.metrics(), /unexpected_errors_total 0/);
    });
  }
});

suite("the stats of a big mesh", { concurrency: 4 }, () => {
  test("are counted, whatever their size, and the drain ends with them", async (context) => {
    const { proxy, hc } = await gateway(context);
    proxy.services = 100_000;
    proxy.inFlight = 3;
    hc.child.kill("SIGTERM");
    await until("they are counted", async () => (await hc.status()).inFlight === 3);
    proxy.inFlight = 0;
    await hc.reaches("CLOSED");
    assert.equal((await hc.status()).result, "drained");
    assert.match(await hc.metrics(), /stats_errors_total\{reason="endless"\} 0/);
  });

  test("that come slowly are waited for", async (context) => {
    const { proxy, hc } = await gateway(context, { POLL_INTERVAL: "1s" });
    proxy.admin = "trickling";
    proxy.inFlight = 3;
    hc.child.kill("SIGTERM");
    await until("they are counted", async () => (await hc.status()).inFlight === 3);
    assert.match(await hc.metrics(), /stats_errors_total\{reason="silent"\} 0/);
  });

  const unreadable: readonly [mode: AdminMode, reason: string][] = [
    ["endless", "endless"],
    ["gzip", "garbled"],
  ];
  for (const [mode, reason] of unreadable) {
    test(`that are ${mode} are an error, which is not zero, and delay no check`, async (context) => {
      const { proxy, hc } = await gateway(context, { DRAIN_TIMEOUT: "12", GRACE_PERIOD: "20" });
      proxy.admin = mode;
      hc.child.kill("SIGTERM");
      await until("a poll failed", async () => (await hc.metrics()).includes(`reason="${reason}"} 1`));
      assert.equal((await hc.status()).inFlight, undefined);
      for (let check = 0; check < 20; check++) assert.equal(await hc.lb(), 200);
      await hc.reaches("CLOSED");
      assert.equal(hc.path.at(-3), "FAULT drain-timeout");
    });
  }
});

suite("a SIGTERM to PID 1", () => {
  test("that comes before hc can listen is not lost", async (context) => {
    const proxy = new FakeProxy();
    await proxy.start();
    context.after(() => proxy.stop());
    const [health, control, metrics] = await Promise.all([freePort(), freePort(), freePort()]);
    const env = { ...process.env, ...proxy.environment, TERMINATION_MESSAGE: "/dev/null", GRACE_PERIOD: "30" };
    const ports = { HEALTH_PORT: `${health}`, CONTROL_PORT: `${control}`, METRICS_PORT: `${metrics}` };
    const command = [process.execPath, "--import=data:text/javascript,process.kill(1,'SIGTERM')", "src/main.ts", "hc"];
    const unshare = ["-pf", "--kill-child", "--mount-proc", ...command];
    const child = spawn("unshare", unshare, { env: { ...env, ...ports }, stdio: ["ignore", "pipe", "pipe"] });
    context.after(() => child.kill("SIGKILL"));
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    const ended = new Promise<boolean>((resolve) => child.once("close", () => resolve(true)));
    const isUp = until(
      "hc is up",
      () => said.includes("event=start"),
      () => said,
    ).then(() => false);
    if ((await Promise.race([ended, isUp])) && /unshare: /.test(said)) return context.skip(said);
    await until(
      "it drains",
      async () => (await statusOf(control)).terminating === true,
      () => said,
    );
  });
});

async function statusOf(control: number): Promise<{ terminating?: boolean }> {
  return JSON.parse(
    await ask(control, "/status", "GET").then(
      ({ body }) => body,
      () => "{}",
    ),
  );
}

function anonymousMiB({ pid }: ChildProcess): number {
  const [, kib] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}
