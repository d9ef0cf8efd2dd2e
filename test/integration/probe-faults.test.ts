/**
 * The counts are exact: every fault that the server injects is counted once, in its own class, and nothing else is.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { http1Client } from "../../src/probe/http1.ts";
import { http2Client } from "../../src/probe/http2.ts";
import { load } from "../../src/probe/load.ts";
import { type Kind, kinds } from "../../src/probe/outcome.ts";
import { Recorder, type Totals } from "../../src/probe/recorder.ts";
import { closedPort, type Fault, faultServer } from "./fault-server.ts";
import { until } from "./program.ts";
import { loadSpec } from "./run-specs.ts";

const REQUESTS = 100;
const EVERY = 5;

/** A machine that is busy elsewhere must not look like a fault, milliseconds. */
const PATIENCE_MS = 10_000;
const STALLED_MS = 3000;

const clients = { h1: http1Client, h2: http2Client };

interface Case {
  readonly fault: Fault;
  readonly kind: Kind;
  readonly detail?: string;
  /** Who would have hidden all of them. */
  readonly hiddenBy: keyof Totals["hiddenBy"];
  readonly only?: "h1" | "h2";
}

const cases: readonly Case[] = [
  { fault: "reset before the answer", kind: "reset", hiddenBy: "idempotent" },
  { fault: "reset in the body", kind: "reset", hiddenBy: "none" },
  { fault: "close without an answer", kind: "closed", hiddenBy: "idempotent" },
  { fault: "truncate chunked", kind: "truncated", hiddenBy: "none" },
  { fault: "truncate content-length", kind: "truncated", hiddenBy: "none" },
  { fault: "502", kind: "5xx", detail: "502", hiddenBy: "status" },
  { fault: "404", kind: "status", detail: "404", hiddenBy: "none" },
  { fault: "truncate a 500", kind: "truncated", hiddenBy: "none", only: "h1" },
  { fault: "reset a 500", kind: "reset", hiddenBy: "none", only: "h1" },
  { fault: "101", kind: "error", detail: "101", hiddenBy: "none", only: "h1" },
  { fault: "101 with an upgrade", kind: "error", detail: "101", hiddenBy: "none", only: "h1" },
  { fault: "stall", kind: "timeout", hiddenBy: "none" },
  { fault: "cancel", kind: "stream-reset", detail: "CANCEL", hiddenBy: "idempotent", only: "h2" },
  { fault: "cancel in the body", kind: "stream-reset", detail: "INTERNAL_ERROR", hiddenBy: "none", only: "h2" },
  { fault: "refuse the stream", kind: "stream-reset", detail: "REFUSED_STREAM", hiddenBy: "any", only: "h2" },
  { fault: "goaway", kind: "goaway", hiddenBy: "any", only: "h2" },
  { fault: "goaway with an error", kind: "goaway", hiddenBy: "any", only: "h2" },
];

describe("each fault has its own class", { concurrency: 4 }, () => {
  for (const protocol of ["h1", "h2"] as const) {
    for (const { fault, kind, detail, hiddenBy, only } of cases) {
      if (only !== undefined && only !== protocol) continue;
      test(`${protocol}: every ${EVERY}th request meets "${fault}" and counts as ${kind}`, async () => {
        const server = await faultServer(protocol, fault, EVERY);
        // A GOAWAY needs an earlier stream on the same connection.
        const totals = await (fault.startsWith("goaway")
          ? inTurn(protocol, server.port)
          : count(protocol, [server.port], 1, fault === "stall" ? STALLED_MS : PATIENCE_MS));
        await server.stop();
        assert.equal(server.broken(), REQUESTS / EVERY);
        assert.deepEqual(totals.outcomes, { ...none, ok: REQUESTS - REQUESTS / EVERY, [kind]: REQUESTS / EVERY });
        assert.equal(totals.hiddenBy[hiddenBy], REQUESTS / EVERY);
        assert.deepEqual(totals.details[kind], detail === undefined ? undefined : { [detail]: REQUESTS / EVERY });
        assert.equal(totals.losses.length, REQUESTS / EVERY);
      });
    }

    test(`${protocol}: a refused connection counts as refused, at the target that refused it`, async () => {
      const server = await faultServer(protocol, "stall", REQUESTS * 2);
      const closed = await closedPort();
      const totals = await count(protocol, [server.port, closed], 0.5, PATIENCE_MS);
      await server.stop();
      assert.deepEqual(totals.outcomes, { ...none, ok: REQUESTS / 2, refused: REQUESTS / 2 });
      assert.deepEqual(totals.lostByTarget, { [`127.0.0.1:${closed}`]: REQUESTS / 2 });
      assert.equal(totals.hiddenBy.any, REQUESTS / 2);
    });
  }
});

test("a connection that the server closes as a request arrives is a loss on a reused connection", async () => {
  const server = await faultServer("h1", "close without an answer", 2);
  const totals = await inTurn("h1", server.port);
  await server.stop();
  assert.equal(totals.outcomes.closed, 50);
  assert.equal(totals.lostOnReused.closed, 50);
});

test("all streams of an HTTP/2 connection that closes are lost, each counted once", async () => {
  const server = await faultServer("h2", "stall", 1);
  const { spec, scenario } = loadSpec([server.port], { rate: 100, durationMs: 200, oneShot: 0 });
  const recorder = new Recorder();
  const client = http2Client(spec.client);
  const running = load({ ...spec, timeoutMs: 5000 }, scenario, client, recorder, new AbortController().signal);
  await until(() => server.broken() === 20);
  await server.stop();
  await running;
  client.close();
  const totals = recorder.totals();
  assert.deepEqual(totals.outcomes, { ...none, closed: 20 });
  assert.equal(totals.lostOnReused.closed, 19);
});

for (const protocol of ["h1", "h2"] as const) {
  test(`${protocol}: requests in flight when the client closes are unfinished, neither ok nor lost`, async () => {
    const server = await faultServer(protocol, "stall", 1);
    const { spec, scenario } = loadSpec([server.port], { rate: 100, durationMs: 100 });
    const recorder = new Recorder();
    const client = clients[protocol](spec.client);
    const running = load({ ...spec, timeoutMs: 5000 }, scenario, client, recorder, new AbortController().signal);
    await until(() => server.broken() === 10);
    client.close();
    await running;
    await server.stop();
    const { unfinished, lost } = recorder.totals();
    assert.deepEqual({ unfinished, lost }, { unfinished: 10, lost: 0 });
  });
}

test("requests that are due while too many are in flight count as not sent", async () => {
  const server = await faultServer("h1", "stall", 1);
  const { spec, scenario } = loadSpec([server.port], { rate: 100, durationMs: 200, mostInFlight: 5 });
  const recorder = new Recorder();
  const client = http1Client(spec.client);
  await load(spec, scenario, client, recorder, new AbortController().signal);
  client.close();
  await server.stop();
  const { unsent, outcomes } = recorder.totals();
  assert.deepEqual({ unsent, timeout: outcomes.timeout }, { unsent: 15, timeout: 5 });
});

const none = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;

/** Sends the requests by the load generator. */
async function count(
  protocol: "h1" | "h2",
  ports: readonly number[],
  oneShot: number,
  timeoutMs: number,
): Promise<Totals> {
  const { spec, scenario } = loadSpec(ports, { rate: 200, durationMs: (REQUESTS / 200) * 1000, oneShot });
  const client = clients[protocol](spec.client);
  const recorder = new Recorder();
  await load({ ...spec, timeoutMs }, scenario, client, recorder, new AbortController().signal);
  client.close();
  return recorder.totals();
}

/** Sends the requests one after the other on a kept connection, so that a fault cannot hit a neighbour. */
async function inTurn(protocol: "h1" | "h2", port: number): Promise<Totals> {
  const { spec } = loadSpec([port]);
  const client = clients[protocol](spec.client);
  const recorder = new Recorder();
  for (const target of spec.targets) {
    for (let index = 0; index < REQUESTS; index += 1) {
      const now = performance.now();
      const outcome = await client.request({ target, path: "/", lane: 0, timeoutMs: PATIENCE_MS, lines: undefined });
      recorder.end(target.label, { scheduledMs: now, startedMs: now }, outcome);
    }
  }
  client.close();
  return recorder.totals();
}
