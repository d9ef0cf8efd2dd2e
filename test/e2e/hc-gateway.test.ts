/**
 * hc beside a real Envoy under a real pilot-agent: what is in flight, every order of signals, and when the proxy ends.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, suite, type TestContext, test } from "node:test";
import { HcProcess, until } from "../integration/hc-process.ts";
import { executables, skip, upstream } from "./hc/components.ts";
import { Gateway, type GatewayOptions } from "./hc/gateway.ts";
import { ask, keepAlive, tcp, webSocket } from "./hc/traffic.ts";

suite("a real gateway", { skip, concurrency: 3 }, async () => {
  const application = skip === false ? await upstream() : undefined;
  after(() => application?.stop(0));

  async function gateway(context: TestContext, options: Partial<GatewayOptions> = {}): Promise<Gateway> {
    assert.ok(application !== undefined);
    const { port: upstreamPort, tcpPort: upstreamTcpPort } = application;
    const started = await Gateway.start({ ...executables, upstreamPort, upstreamTcpPort, ...options });
    context.after(() => started.cleanUp());
    return started;
  }

  const inFlight = (of: Gateway, expected: number) =>
    until(
      `${expected} in flight`,
      async () => (await of.status()).inFlight === expected,
      () => of.hcLog,
    );

  test("in flight is the truth: requests, streams, WebSockets and TCP count, idle connections do not", async (context) => {
    const pod = await gateway(context, { env: { POLL_INTERVAL: "100ms", DRAIN_TIMEOUT: "50" } });
    const { http, tcp: tcpPort } = pod.ports;
    const idle = keepAlive();
    context.after(() => idle.destroy());
    assert.equal((await ask(http, "/sleep?seconds=0", idle).done).status, 200);
    await inFlight(pod, 0);
    const sleeps = [ask(http, "/sleep?seconds=60"), ask(http, "/sleep?seconds=60"), ask(http, "/sleep?seconds=60")];
    await inFlight(pod, 3);
    const stream = ask(http, "/stream?chunks=600&interval=0.1");
    await inFlight(pod, 4);
    const socket = await webSocket(http);
    await inFlight(pod, 5);
    const connections = [await tcp(tcpPort), await tcp(tcpPort)];
    await inFlight(pod, 7);

    // It must not read 0 at any poll, whatever short requests come and go beside it.
    pod.signalHc("SIGTERM");
    await pod.reaches("DRAINING");
    const seen = new Set<number | undefined>();
    for (let round = 0; round < 40; round++) {
      await Promise.all([ask(http, "/sleep?seconds=0.02").done, ask(http, "/sleep?seconds=0.05").done]);
      seen.add((await pod.status()).inFlight);
    }
    assert.ok(
      [...seen].every((value) => value !== undefined && value >= 7 && value <= 9),
      [...seen].join(" "),
    );
    for (const sleep of sleeps) sleep.end();
    stream.end();
    await inFlight(pod, 3);
    socket.destroy();
    await inFlight(pod, 2);
    connections[0]?.destroy();
    await inFlight(pod, 1);
    assert.equal((await pod.status()).state, "DRAINING");
    assert.match(pod.hcLog, /event=waiting on="connections without an HTTP connection manager"/);
    connections[1]?.destroy();
    await pod.reaches("CLOSING");
    assert.equal(pod.path.at(-1), "CLOSING quiet");
  });

  for (const first of ["hook", "signal"] as const) {
    test(`no traffic, ${first} first: the proxy ends by itself, at minimum drain + 1 s`, async (context) => {
      const pod = await gateway(context);
      const deletion = await pod.delete(first);
      assert.deepEqual([deletion.exitCodes, deletion.killed], [[0, 0], false]);
      assert.equal(pod.message.proxy, "ended by itself");
      assert.ok(deletion.proxyEnded - deletion.held < 6, JSON.stringify(deletion));
      context.diagnostic(`no traffic, ${first} first: ${JSON.stringify(deletion)}`);
    });

    test(`a long request, ${first} first: it has its whole answer, and the proxy is held until then`, async (context) => {
      const pod = await gateway(context);
      const long = ask(pod.ports.http, "/sleep?seconds=9");
      await inFlight(pod, 1);
      const deletion = await pod.delete(first);
      const { status, body, connection } = await long.done;
      assert.deepEqual([status, body, connection], [200, "slept 9 s\n", "close"]);
      assert.deepEqual([deletion.exitCodes, deletion.killed], [[0, 0], false]);
      assert.ok(deletion.held > 8, JSON.stringify(deletion));
      context.diagnostic(`long request of 9 s, ${first} first: ${JSON.stringify(deletion)}`);
    });

    test(`an idle keep-alive connection, ${first} first: hc ends the proxy, no SIGKILL`, async (context) => {
      const pod = await gateway(context);
      const idle = keepAlive();
      context.after(() => idle.destroy());
      await ask(pod.ports.http, "/sleep?seconds=0", idle).done;
      const deletion = await pod.delete(first);
      assert.deepEqual([deletion.exitCodes, deletion.killed], [[0, 0], false]);
      assert.equal(pod.message.proxy, "ended by hc");
      context.diagnostic(`idle connection, ${first} first: ${JSON.stringify(deletion)}`);
    });
  }

  test("a SIGTERM to the agent alone: the drain begins at once, and a fresh proxy opens the gateway again", async (context) => {
    const pod = await gateway(context);
    const long = ask(pod.ports.http, "/sleep?seconds=4");
    await inFlight(pod, 1);
    pod.signalAgent("SIGTERM");
    await until("the drain begins", () => pod.path.includes("DRAINING proxy-stopping"));
    assert.equal((await long.done).status, 200);
    await pod.agentExit;
    pod.startProxy();
    await pod.reaches("OPEN");
    assert.equal(pod.path.at(-1), "OPEN proxy-restarted");
    const client = keepAlive();
    context.after(() => client.destroy());
    const { connection } = await ask(pod.ports.http, "/sleep?seconds=0", client).done;
    assert.notEqual(connection, "close", "a fresh Envoy keeps connections");
  });

  test("a SIGTERM to the agent first, then to hc: the request in flight has its answer", async (context) => {
    const pod = await gateway(context);
    const long = ask(pod.ports.http, "/sleep?seconds=6");
    await inFlight(pod, 1);
    pod.signalAgent("SIGTERM");
    setTimeout(() => pod.signalHc("SIGTERM"), 100);
    assert.equal((await long.done).status, 200);
    assert.deepEqual(await Promise.all([pod.agentExit, pod.hcExit]), [0, 0]);
  });

  test("retired connections: close on every response, readiness as it was, and undone by a reopening", async (context) => {
    const pod = await gateway(context);
    const idle = keepAlive();
    context.after(() => idle.destroy());
    const control = (path: string) => fetch(`http://127.0.0.1:${pod.ports.control}${path}`, { method: "POST" });
    assert.notEqual((await ask(pod.ports.http, "/sleep?seconds=0", idle).done).connection, "close");
    await control("/drain");
    await until("connections are retired", async () => (await pod.status()).connectionsRetired === true);
    assert.equal((await ask(pod.ports.http, "/sleep?seconds=0", idle).done).connection, "close");
    assert.equal(await pod.proxyReady(), 200);
    await control("/reopen");
    await until("connections are kept", async () => (await pod.status()).connectionsRetired === false);
    assert.notEqual((await ask(pod.ports.http, "/sleep?seconds=0", idle).done).connection, "close");
  });

  test("stats as Istio shows them by default: OPEN all the same, and the drain is blind", async (context) => {
    const pod = await gateway(context, { inclusionSuffixes: [], env: { DRAIN_TIMEOUT: "6" } });
    await until("hc says so", () => /code=GG701 .*downstream_rq_active/.test(pod.hcLog));
    const long = ask(pod.ports.http, "/sleep?seconds=4");
    const deletion = await pod.delete();
    assert.equal((await long.done).status, 200);
    assert.ok(deletion.held >= 6, "the whole drain timeout");
    assert.ok(pod.path.includes("CLOSING blind"));
    assert.equal(deletion.killed, false);
  });

  test("an Envoy that is frozen for five seconds is not dead, and answers do not wait for it", async (context) => {
    const pod = await gateway(context);
    const envoy = childOf(pod.agentPid);
    process.kill(envoy, "SIGSTOP");
    try {
      const end = Date.now() + 5000;
      let checks = 0;
      while (Date.now() < end) {
        assert.equal((await ask(pod.ports.health, "/health_check.html").done).status, 200);
        checks += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.ok(checks > 20);
    } finally {
      process.kill(envoy, "SIGCONT");
    }
    await inFlight(pod, 0);
    assert.deepEqual(pod.path, ["OPEN proxy-ready"]);
  });

  test("a hc that is killed and comes back answers 200 from the first check on", async (context) => {
    const pod = await gateway(context);
    pod.signalHc("SIGKILL");
    await pod.hcExit;
    const env = {
      ENVOY_ADMIN_PORT: String(pod.ports.admin),
      AGENT_STATUS_PORT: String(pod.ports.agent),
      PROXY_READY_PORT: String(pod.ports.ready),
    };
    const again = await HcProcess.start(context, env);
    assert.equal(await again.lb(), 200);
    assert.match(await again.metrics(), /health_answers_total\{code="503"\} 0/);
  });

  test("a request that outlives everything is cut by hc before the kubelet's SIGKILL", async (context) => {
    const pod = await gateway(context, { env: { GRACE_PERIOD: "16", DRAIN_TIMEOUT: "3", LB_BUFFER: "2" } });
    const endless = ask(pod.ports.http, "/sleep?seconds=300");
    await inFlight(pod, 1);
    const deletion = await pod.delete("signal", 16);
    assert.deepEqual([deletion.exitCodes, deletion.killed], [[0, 0], false]);
    await assert.rejects(endless.done);
    assert.ok(pod.path.includes("FAULT drain-timeout"));
    context.diagnostic(`endless request, grace 16 s: ${JSON.stringify(deletion)}`);
  });
});

/** The child of a process, Envoy under its agent; any thread of the agent may have started it. */
function childOf(pid: number): number {
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const [child] = readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ");
    // Never 0: a signal to it would reach the tests themselves.
    if (Number(child) > 1) return Number(child);
  }
  throw new Error(`process ${pid} has no child`);
}
