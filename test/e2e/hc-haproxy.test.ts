/**
 * Two gateways behind a real HAProxy, one of them deleted under load, measured by `gracegate probe`: HTTP/1.1 through a
 * frontend in mode http and one in mode tcp, HTTP/2 through the latter.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, suite, type TestContext, test } from "node:test";
import { ended, start } from "../integration/program.ts";
import { type Balancer, startBalancer } from "./hc/balancer.ts";
import { executables, skip as gatewaySkip, upstream } from "./hc/components.ts";
import { Gateway } from "./hc/gateway.ts";
import { debian } from "./install/components.ts";

const found = debian("haproxy", ["haproxy"]);
const haproxy = found.missing === undefined ? found.path : "";
const skip = gatewaySkip || (found.missing ?? false);

/** What probe counts: SPEC 13 keeps 5xx and connection errors apart. */
interface Count {
  readonly started: number;
  readonly lost: number;
  readonly connectionErrors: number;
  readonly outcomes: Record<string, number>;
}

interface Scenario {
  readonly env: Readonly<Record<string, string>>;
  readonly disableOn404?: boolean;
  readonly killsSessions: boolean;
  readonly withoutHc?: boolean;
  /** Instead of 50 requests/s without a pause: bursts of one second with pauses of three. */
  readonly inBursts?: boolean;
}

suite("a gateway leaves HAProxy under load", { skip }, async () => {
  const application = skip === false ? await upstream() : undefined;
  after(() => application?.stop(0));

  /** Runs a scenario and gives what was lost, by kind of client. */
  async function lossesOf(context: TestContext, scenario: Scenario): Promise<Record<string, Count>> {
    assert.ok(application !== undefined);
    const common = { ...executables, upstreamPort: application.port, upstreamTcpPort: application.tcpPort };
    const leaving = await Gateway.start({ ...common, env: scenario.env, withoutHc: scenario.withoutHc === true });
    context.after(() => leaving.cleanUp());
    const staying = await Gateway.start({ ...common, env: scenario.env });
    context.after(() => staying.cleanUp());
    const atOnce = scenario.withoutHc === true ? await startAtOnce(leaving) : undefined;
    context.after(() => atOnce?.stop());
    const balancer = await startBalancer({
      haproxy,
      servers: [
        { name: "leaving", ports: leaving.ports },
        { name: "staying", ports: staying.ports },
      ],
      disableOn404: scenario.disableOn404 === true,
      killsSessions: scenario.killsSessions,
    });
    context.after(() => balancer.stop());

    const clients = scenario.inBursts ? burstsAt(balancer, context) : steadyAt(balancer);
    await new Promise((resolve) => setTimeout(resolve, 4000));
    const deletion = atOnce === undefined ? await leaving.delete() : await atOnce.delete();
    context.diagnostic(`${context.name}: ${JSON.stringify(deletion)} ${leaving.path.join(", ")}`);
    if (atOnce === undefined) {
      await leaving.restart();
      await balancer.isUp("leaving");
    }
    const counts = await clients;
    for (const [client, { started, lost, connectionErrors, outcomes }] of Object.entries(counts)) {
      context.diagnostic(
        `${context.name}: ${client}: ${lost} of ${started} lost, ${connectionErrors} below HTTP, ${JSON.stringify(outcomes)}`,
      );
    }
    logs.set(context.name, leaving.hcLog);
    return counts;
  }

  const logs = new Map<string, string>();
  const nothingLost = (counts: Record<string, Count>) => {
    for (const [client, { lost, started, outcomes }] of Object.entries(counts)) {
      assert.ok(started > 50, `${client} has sent too little: ${started}`);
      assert.equal(lost, 0, `${client}: ${JSON.stringify(outcomes)}`);
    }
  };
  const haproxyProfile = { LB_PROFILE: "haproxy", LB_DETECTION: "1", LB_BUFFER: "3", DRAIN_TIMEOUT: "30" };

  test("haproxy with disable-on-404: nothing is lost", async (context) => {
    nothingLost(await lossesOf(context, { env: haproxyProfile, disableOn404: true, killsSessions: false }));
  });

  test("haproxy with disable-on-404 and shutdown-sessions: nothing is lost", async (context) => {
    nothingLost(await lossesOf(context, { env: haproxyProfile, disableOn404: true, killsSessions: true }));
  });

  const generic = { LB_PROFILE: "generic", LB_BUFFER: "3", DRAIN_TIMEOUT: "20", POLL_INTERVAL: "250ms" };

  test("generic with shutdown-sessions under bursts with pauses of 3 s: nothing is lost", async (context) => {
    nothingLost(await lossesOf(context, { env: generic, killsSessions: true, inBursts: true }));
  });

  test("generic with shutdown-sessions under unbroken load: hc says why it could not do better", async (context) => {
    const env = { ...generic, DRAIN_TIMEOUT: "8", GRACE_PERIOD: "30" };
    await lossesOf(context, { env, killsSessions: true });
    assert.match(logs.get(context.name) ?? "", /code=GG702 .*no answer that stops it/);
  });

  test("503 at once, instead of hc, loses what is in flight: the load and the balancer do prove something", async (context) => {
    const counts = await lossesOf(context, {
      env: haproxyProfile,
      disableOn404: true,
      killsSessions: true,
      withoutHc: true,
    });
    const lost = Object.values(counts).reduce((sum, count) => sum + count.lost, 0);
    assert.ok(lost > 0, JSON.stringify(counts));
  });
});

/** 50 requests a second for 40 s over both frontends, one in twenty of 10 s; and HTTP/2 beside it. */
async function steadyAt({ httpPort, tcpPort }: Balancer): Promise<Record<string, Count>> {
  const load = (rate: number, ...more: string[]) =>
    probe(
      "load",
      ...more,
      "--rate",
      String(rate),
      "--duration",
      "34s",
      "--long-share",
      "0.05",
      "--long-path",
      "/sleep?seconds=10",
    );
  const [both, http2] = await Promise.all([
    load(35, `http://127.0.0.1:${httpPort}`, `http://127.0.0.1:${tcpPort}`),
    load(15, `http://127.0.0.1:${tcpPort}`, "--http2"),
  ]);
  return { "HTTP/1.1, mode http and tcp": both, "HTTP/2, mode tcp": http2 };
}

/** Bursts: 50 requests in a second, then three seconds of silence, until the test is over. */
async function burstsAt({ httpPort, tcpPort }: Balancer, context: TestContext): Promise<Record<string, Count>> {
  const counts: Count[] = [];
  for (let burst = 0; burst < 9; burst++) {
    const targets = [`http://127.0.0.1:${httpPort}`, `http://127.0.0.1:${tcpPort}`];
    counts.push(await probe("load", ...targets, "--rate", "50", "--duration", "1s", "--long-share", "0"));
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
  context.diagnostic(`${counts.length} bursts`);
  const sum = (of: (count: Count) => number) => counts.reduce((total, count) => total + of(count), 0);
  const lost = { lost: sum((count) => count.lost), connectionErrors: sum((count) => count.connectionErrors) };
  return { bursts: { started: sum((count) => count.started), ...lost, outcomes: {} } };
}

async function probe(...args: readonly string[]): Promise<Count> {
  const { stdout, stderr, code } = await ended(start(["probe", ...args, "-o", "json"]));
  if (code === 2 || stdout === "") throw new Error(`gracegate probe ${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout);
}

/** What teams write who know no better: 503 with the first signal, the LB buffer, then the proxy's end. */
async function startAtOnce(gateway: Gateway) {
  let status = 200;
  const server = createServer((_, response) => response.writeHead(status, { Connection: "close" }).end());
  await new Promise<void>((resolve) => server.listen(gateway.ports.health, resolve));
  return {
    async delete() {
      status = 503;
      await new Promise((resolve) => setTimeout(resolve, 3000));
      gateway.signalAgent("SIGTERM");
      return { exitCode: await gateway.agentExit };
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
