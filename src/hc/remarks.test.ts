import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationOf } from "./configuration.ts";
import type { Situation } from "./due.ts";
import { Findings } from "./findings.ts";
import { machineAt, type Transition } from "./machine.ts";
import { Remarks } from "./remarks.ts";
import type { Phase } from "./states.ts";
import { nothingSeen, type Reading } from "./view.ts";

function setUp(env: Record<string, string> = {}) {
  const lines: string[] = [];
  const { configuration } = configurationOf(env);
  const log = (_: string, event: string, fields: object = {}) => lines.push(`${event} ${JSON.stringify(fields)}`);
  const findings = new Findings(log);
  const situation = (phase: Phase, reading?: Reading): Situation => ({
    machine: { ...machineAt(0), phase },
    view: { ...nothingSeen, reading: reading && { ...reading, at: 0 } },
    timing: configuration.timing,
    retires: true,
  });
  const codes = () => findings.current.map(({ code }) => code);
  return { lines, situation, codes, remarks: new Remarks(findings, log, configuration) };
}

const idle: Reading = { inFlight: 0, requests: 1, hidden: [], waitingOn: [], upstream: 0 };
const busy: Reading = { ...idle, inFlight: 2, waitingOn: [{ stat: "http.a;.downstream_rq_active", value: 2 }] };

test("a load balancer that is silent for a minute is a finding, once, until it asks again", () => {
  const { remarks, situation, codes, lines } = setUp();
  remarks.onLbSilence(situation("open"), undefined, 59_000);
  assert.deepEqual(codes(), []);
  for (const now of [60_000, 61_000, 90_000]) remarks.onLbSilence(situation("open"), undefined, now);
  assert.deepEqual(codes(), ["GG703"]);
  assert.equal(lines.length, 1);
  remarks.onLbSilence(situation("open"), 91_000, 92_000);
  assert.deepEqual(codes(), []);
});

test("a silent load balancer is no finding once a drain began", () => {
  const { remarks, situation, codes } = setUp();
  remarks.onLbSilence(situation("open"), undefined, 60_000);
  remarks.onLbSilence(situation("draining"), undefined, 70_000);
  assert.deepEqual(codes(), []);
});

test("hidden stats are a finding for as long as they are hidden, and a failed poll tells nothing about it", () => {
  const { remarks, situation, codes } = setUp();
  remarks.onStats(situation("open", { ...idle, hidden: ["downstream_rq_active"] }), undefined, 0);
  assert.deepEqual(codes(), ["GG701"]);
  remarks.onStats(situation("open"), "silent", 1000);
  assert.deepEqual(codes(), ["GG701"]);
  remarks.onStats(situation("open", idle), undefined, 2000);
  assert.deepEqual(codes(), []);
});

test("an admin port that is not Envoy's is a finding after three polls, while the proxy is ready, until it answers", () => {
  const { remarks, situation, codes } = setUp();
  const open = situation("open");
  const ready = { ...open, view: { ...open.view, isReady: true } };
  for (const failure of ["refused", "silent", "garbled", "status"]) remarks.onStats(ready, failure, 0);
  assert.deepEqual(codes(), []);
  remarks.onStats(ready, "refused", 1000);
  assert.deepEqual(codes(), ["GG705"]);
  remarks.onStats(ready, "silent", 2000);
  assert.deepEqual(codes(), ["GG705"]);
  remarks.onStats(situation("open", idle), undefined, 3000);
  assert.deepEqual(codes(), []);
  for (const now of [4000, 5000, 6000, 7000]) remarks.onStats(open, "refused", now);
  assert.deepEqual(codes(), []);
});

test("a drain says what it waits for when that changes, and every ten seconds", () => {
  const { remarks, situation, lines } = setUp();
  for (const now of [100_000, 101_000, 109_000]) remarks.onStats(situation("draining", busy), undefined, now);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /waiting .*"on":"http\.a;\.downstream_rq_active","value":2,"inFlight":2/);
  remarks.onStats(situation("draining", busy), undefined, 110_000);
  remarks.onStats(situation("draining", idle), undefined, 111_000);
  remarks.onStats(situation("draining"), "silent", 112_000);
  assert.deepEqual(lines.length, 4);
  assert.match(lines[2] ?? "", /"on":"quiet"/);
  assert.match(lines[3] ?? "", /"on":"stats \(silent\)"/);
});

const ended = (result: Transition["result"]): Transition => ({
  from: "draining",
  to: "closing",
  cause: "busy",
  at: 0,
  elapsedMs: 0,
  actions: [],
  result,
});

test("a drain that never got quiet says why, where the balancer has no drain answer", () => {
  const { remarks, codes, lines } = setUp();
  remarks.onTransition(ended("drained"), 0);
  assert.deepEqual(codes(), []);
  remarks.onTransition(ended("busy"), 0);
  assert.deepEqual(codes(), ["GG702"]);
  assert.match(lines[0] ?? "", /the profile generic has no answer that stops it, so hc closes with 0 in flight/);
});

test("with a drain answer a timeout is not the balancer's fault", () => {
  const { remarks, codes } = setUp({ LB_PROFILE: "haproxy" });
  remarks.onTransition(ended("timeout"), 3);
  assert.deepEqual(codes(), []);
});
