/**
 * Drains of a real hc process: every order of signals, hooks and wishes. The proxy is a stand-in (hc-fake-proxy.ts), so
 * that a test decides what is in flight; test/e2e/hc-gateway.test.ts has the real one.
 */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fakeGateway as gateway } from "./hc-fake-gateway.ts";
import { FakeProxy } from "./hc-fake-proxy.ts";
import { HcProcess, until } from "./hc-process.ts";

/** What the kubelet does once the hook is answered: SIGTERM to the agent, which ends when nothing is connected. */
async function proxyEnds(proxy: FakeProxy): Promise<void> {
  await proxy.stopAgent();
  await proxy.stop();
}

suite("a drain", { concurrency: 12 }, () => {
  test("waits for what is in flight, then closes, answers the hook, and ends with the proxy", async (context) => {
    const { proxy, hc } = await gateway(context, { LB_PROFILE: "haproxy", LB_BUFFER: "2" });
    assert.equal(await hc.lb(), 200);
    proxy.inFlight = 2;
    const hook = hc.get("/drained");
    hc.child.kill("SIGTERM");
    await hc.reaches("DRAINING");
    await until("both are seen", async () => (await hc.status()).inFlight === 2);
    assert.equal(await hc.lb(), 404);
    assert.equal((await hc.get("/health")).status, 200);
    proxy.inFlight = 0;
    await hc.reaches("CLOSING");
    assert.equal(await hc.lb(), 503);
    assert.equal((await hc.get("/health")).status, 200);
    assert.equal((await hook).status, 200);
    assert.equal((await hc.status()).state, "CLOSED");
    assert.equal((await hc.get("/health")).status, 503);
    assert.equal((await hc.get("/live")).status, 200);
    await proxyEnds(proxy);
    assert.equal(await hc.exited, 0);
    assert.deepEqual(hc.path, ["OPEN proxy-ready", "DRAINING sigterm", "CLOSING quiet", "CLOSED buffer-passed"]);
    assert.equal(hc.message.result, "drained");
    assert.equal(hc.message.mostInFlight, 2);
    assert.equal(hc.message.inFlightAtClose, 0);
  });

  test("answers the hook whether it comes before SIGTERM, after it, or twice", async (context) => {
    const { proxy, hc } = await gateway(context);
    proxy.inFlight = 1;
    const before = hc.get("/drained");
    await until("the hook is held", async () => (await hc.status()).heldRequests === 1);
    hc.child.kill("SIGTERM");
    await hc.reaches("DRAINING");
    const after = hc.get("/drained");
    const again = hc.get("/drained");
    await until("all are held", async () => (await hc.status()).heldRequests === 3);
    proxy.inFlight = 0;
    assert.deepEqual(
      (await Promise.all([before, after, again])).map(({ status }) => status),
      [200, 200, 200],
    );
    // A kubelet that was restarted asks again, after the end.
    assert.equal((await hc.get("/drained")).status, 200);
  });

  test("a hook that hangs up is forgotten", async (context) => {
    const { hc } = await gateway(context);
    const { request } = await import("node:http");
    const hook = request({ port: hc.ports.health, host: "127.0.0.1", path: "/drained", agent: false }).end();
    hook.on("error", () => {});
    await until("the hook is held", async () => (await hc.status()).heldRequests === 1);
    hook.destroy();
    await until("the hook is forgotten", async () => (await hc.status()).heldRequests === 0);
  });

  test("/drained without a drain is answered, so that a restart of the proxy alone does not hang", async (context) => {
    const { hc } = await gateway(context);
    assert.equal((await hc.get("/drained")).status, 503);
  });

  test("no more than eight hooks are held, and the kubelet's own is not among those that go", async (context) => {
    const { proxy, hc } = await gateway(context);
    proxy.inFlight = 1;
    const first = hc.get("/drained");
    await until("it is held", async () => (await hc.status()).heldRequests === 1);
    const others = Array.from({ length: 8 }, () => hc.get("/drained"));
    assert.equal((await first).status, 503);
    await until("the others are held", async () => (await hc.status()).heldRequests === 8);
    hc.child.kill("SIGTERM");
    await hc.reaches("DRAINING");
    assert.equal((await hc.get("/drained")).status, 503);
    proxy.inFlight = 0;
    assert.deepEqual(new Set((await Promise.all(others)).map(({ status }) => status)), new Set([200]));
  });

  test("a SIGTERM before the proxy was ever ready never opens the gateway", async (context) => {
    const proxy = new FakeProxy();
    await proxy.start();
    proxy.ready = 503;
    context.after(() => proxy.stop());
    const hc = await HcProcess.start(context, proxy.environment);
    assert.equal(await hc.lb(), 503);
    assert.equal((await hc.get("/health")).status, 503);
    const hook = hc.get("/drained");
    hc.child.kill("SIGTERM");
    assert.equal((await hook).status, 200);
    proxy.ready = 200;
    await until("hc sees a ready proxy", async () => (await hc.status()).proxy.ready);
    assert.equal(await hc.lb(), 503);
    await proxyEnds(proxy);
    assert.equal(await hc.exited, 0);
    assert.deepEqual(hc.path, ["CLOSED sigterm"]);
  });

  test("a second SIGTERM changes nothing", async (context) => {
    const { proxy, hc } = await gateway(context);
    proxy.inFlight = 1;
    hc.child.kill("SIGTERM");
    await hc.reaches("DRAINING");
    hc.child.kill("SIGTERM");
    await until("the second was seen", () => hc.log.includes("wish=sigterm"));
    assert.equal((await hc.status()).state, "DRAINING");
    proxy.inFlight = 0;
    await hc.reaches("CLOSED");
  });

  test("a trickle that never stops closes at the timeout and is no fault", async (context) => {
    const { proxy, hc } = await gateway(context, {
      DRAIN_TIMEOUT: "1",
      MINIMUM_DRAIN_DURATION: "60",
      GRACE_PERIOD: "90",
    });
    const trickle = setInterval(() => {
      proxy.requests += 1;
    }, 20);
    context.after(() => clearInterval(trickle));
    hc.child.kill("SIGTERM");
    await hc.reaches("CLOSED");
    assert.deepEqual(hc.path.slice(1), ["DRAINING sigterm", "CLOSING busy", "CLOSED buffer-passed"]);
    assert.match(await hc.metrics(), /drains_total\{result="busy"\} 1/);
    assert.match(hc.log, /code=GG702/, "hc says why it could not do better");
  });

  test("a stream that never ends is a fault that keeps the drain answer, and leaves the LB its buffer", async (context) => {
    const env = { DRAIN_TIMEOUT: "1", GRACE_PERIOD: "8", LB_BUFFER: "1", LB_PROFILE: "haproxy" };
    const { proxy, hc } = await gateway(context, env);
    proxy.inFlight = 1;
    hc.child.kill("SIGTERM");
    await hc.reaches("FAULT");
    assert.equal((await hc.status()).cause, "drain-timeout");
    assert.equal(await hc.lb(), 404);
    assert.equal((await hc.get("/health")).status, 200);
    const metrics = await hc.metrics();
    assert.match(metrics, /gracegate_hc_state\{state="FAULT"\} 1/);
    assert.match(metrics, /gracegate_hc_fault\{cause="drain-timeout"\} 1\ngracegate_hc_fault\{cause="proxy-dead"\} 0/);
    assert.match(metrics, /gracegate_hc_drains_total\{result="timeout"\} 1/);
    await hc.reaches("CLOSED");
    await proxy.stopAgent();
    // The proxy waits for the stream for ever: hc ends it three seconds before the deadline.
    assert.equal(await hc.exited, 0);
    assert.deepEqual(proxy.posts, ["/quitquitquit"]);
    assert.deepEqual(hc.path.slice(1), [
      "DRAINING sigterm",
      "FAULT drain-timeout",
      "CLOSING time-is-up",
      "CLOSED buffer-passed",
    ]);
    assert.equal(hc.message.result, "timeout");
    assert.equal(hc.message.proxy, "ended by hc");
  });

  test("an idle connection that keeps the proxy is ended by quitquitquit, well before SIGKILL", async (context) => {
    const { proxy, hc } = await gateway(context);
    hc.child.kill("SIGTERM");
    await hc.reaches("CLOSED");
    assert.deepEqual(proxy.posts, []);
    await proxy.stopAgent();
    assert.equal(await hc.exited, 0);
    assert.deepEqual(proxy.posts, ["/quitquitquit"]);
    assert.ok(Number(hc.message.terminatedSeconds) < 35);
  });

  test("a proxy that does not obey is left at the deadline", async (context) => {
    const { proxy, hc } = await gateway(context, { GRACE_PERIOD: "7" });
    proxy.quits = false;
    hc.child.kill("SIGTERM");
    await hc.reaches("CLOSED");
    await proxy.stopAgent();
    assert.equal(await hc.exited, 0);
    assert.equal(hc.message.state, "CLOSED");
  });

  test("hidden stats make a drain blind: it holds the whole drain timeout, then closes", async (context) => {
    const { proxy, hc } = await gateway(context, { DRAIN_TIMEOUT: "1500ms" });
    proxy.hidden = ["rq_active", "rq_total"];
    await until("hc says so", () => /code=GG701 .*downstream_rq_active/.test(hc.log));
    assert.equal(await hc.lb(), 200, "a gateway that serves belongs in the load balancer");
    // A poll that fails on a slow machine tells nothing: then neither is shown, until the next one.
    await until("the metrics say so", async () => /gracegate_hc_stats_visible 0/.test(await hc.metrics()));
    assert.doesNotMatch(await hc.metrics(), /^gracegate_hc_in_flight /m, "what is hidden is not zero");
    assert.equal((await hc.status()).inFlight, undefined);
    hc.child.kill("SIGTERM");
    await hc.reaches("CLOSED");
    assert.deepEqual(hc.path.slice(1), ["DRAINING sigterm", "CLOSING blind", "CLOSED buffer-passed"]);
    const [, elapsed] = /to=CLOSING cause=blind inFlight=unknown elapsed=([0-9.]+)s/.exec(hc.log) ?? [];
    assert.ok(Number(elapsed) >= 1.5, `only ${elapsed}s`);
  });

  test("connections of TCP listeners count, and requests to services do not", async (context) => {
    const { proxy, hc } = await gateway(context, { DRAIN_TIMEOUT: "30" });
    proxy.tcp = 1;
    proxy.upstream = 3;
    hc.child.kill("SIGTERM");
    await until("hc names what it waits for", () => /event=waiting on="connections without/.test(hc.log));
    assert.equal((await hc.status()).inFlight, 1);
    proxy.tcp = 0;
    await hc.reaches("CLOSED");
    assert.equal(hc.message.result ?? (await hc.status()).result, "drained");
  });

  test("retired connections are waited for, and kept again after a reopening", async (context) => {
    const { proxy, hc } = await gateway(context, { RETIRE_CONNECTIONS: "true", DRAIN_TIMEOUT: "20" });
    await until("a left-over retirement is undone", () => proxy.posts.includes("/healthcheck/ok"));
    proxy.inFlight = 1;
    await hc.post("/drain");
    await until("connections are retired", () => proxy.posts.at(-1) === "/healthcheck/fail");
    assert.equal((await hc.post("/reopen")).status, 200);
    await until("connections are kept", () => proxy.posts.at(-1) === "/healthcheck/ok");
    proxy.inFlight = 0;
    await hc.post("/drain");
    await until("it closes", () => hc.path.includes("CLOSING quiet"));
    const [, elapsed] = /cause=quiet inFlight=0 elapsed=([0-9.]+)s/.exec(hc.log) ?? [];
    assert.ok(Number(elapsed) >= 5, `HTTP/2 accepts streams for 5 s, and hc closed after ${elapsed}s`);
  });

  test("an operator's drain ends in CLOSED, and a SIGTERM later ends the pod", async (context) => {
    const { proxy, hc } = await gateway(context);
    assert.equal((await hc.post("/drain")).status, 200);
    await hc.reaches("CLOSED");
    assert.equal((await hc.post("/reopen")).status, 409);
    hc.child.kill("SIGTERM");
    await proxyEnds(proxy);
    assert.equal(await hc.exited, 0);
  });
});

suite("a reopening", { concurrency: 12 }, () => {
  test("is possible from DRAINING and CLOSING, with a warning there, and not after SIGTERM", async (context) => {
    const { proxy, hc } = await gateway(context, { LB_BUFFER: "30", GRACE_PERIOD: "90" });
    assert.equal((await hc.post("/reopen")).status, 200, "OPEN already");
    proxy.inFlight = 1;
    await hc.post("/drain");
    assert.equal((await hc.post("/reopen")).status, 200);
    assert.equal((await hc.status()).state, "OPEN");
    await hc.post("/close-lb");
    assert.equal(await hc.lb(), 503);
    const reopened = await hc.post("/reopen");
    assert.match(String(reopened.headers.warning), /^199 gracegate ".*rise x interval/);
    assert.equal(await hc.lb(), 200);
    hc.child.kill("SIGTERM");
    await hc.reaches("DRAINING");
    assert.equal((await hc.post("/reopen")).status, 409);
    assert.equal((await hc.status()).state, "DRAINING");
  });

  test("is possible from FAULT after an operator's drain, which has no deadline", async (context) => {
    const { proxy, hc } = await gateway(context, { DRAIN_TIMEOUT: "300ms" });
    proxy.inFlight = 1;
    await hc.post("/drain");
    await hc.reaches("FAULT");
    assert.equal((await hc.post("/reopen")).status, 200);
    assert.equal((await hc.status()).state, "OPEN");
    assert.match(await hc.metrics(), /transitions_total\{from="FAULT",to="OPEN",cause="reopen"\} 1/);
  });

  test("comes by itself when the proxy alone was restarted", async (context) => {
    const { proxy, hc } = await gateway(context);
    proxy.inFlight = 1;
    await proxy.stopAgent();
    await until("the drain begins", () => hc.path.includes("DRAINING proxy-stopping"));
    assert.equal((await hc.post("/reopen")).status, 409, "the proxy is stopping");
    await proxy.stop();
    proxy.inFlight = 0;
    await proxy.start();
    await until("it is OPEN again", () => hc.path.at(-1) === "OPEN proxy-restarted");
    assert.equal(await hc.lb(), 200);
  });

  test("comes by itself also from CLOSED", async (context) => {
    const { proxy, hc } = await gateway(context);
    await proxy.stopAgent();
    await hc.reaches("CLOSED");
    await proxy.stop();
    await proxy.start();
    await until("it is OPEN again", () => hc.path.at(-1) === "OPEN proxy-restarted");
    assert.equal(hc.child.exitCode, null, "without a SIGTERM of its own hc stays");
  });
});
