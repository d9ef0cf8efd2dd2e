import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestOutcome } from "./outcome.ts";
import { MOST_LOSSES, Recorder } from "./recorder.ts";

const ok: RequestOutcome = { kind: "ok", detail: "", phase: "body", bytes: 3, reused: true, backend: "a" };
const reset: RequestOutcome = { ...ok, kind: "reset", phase: "wait", bytes: 0 };

function enter(recorder: Recorder, outcome: RequestOutcome | undefined, target = "a:80"): void {
  recorder.start();
  recorder.end(target, { scheduledMs: performance.now(), startedMs: performance.now() }, outcome);
}

test("every request is in exactly one count", () => {
  const recorder = new Recorder();
  for (const outcome of [ok, ok, reset, { ...reset, reused: false }, undefined]) enter(recorder, outcome);
  enter(recorder, { ...reset, kind: "5xx", detail: "502" }, "b:80");
  recorder.start();
  recorder.skip();
  const totals = recorder.totals();
  assert.equal(totals.started, 7);
  assert.equal(totals.lost, 3);
  assert.equal(totals.unfinished, 1);
  assert.equal(totals.unsent, 1);
  assert.deepEqual([totals.outcomes.ok, totals.outcomes.reset, totals.outcomes["5xx"]], [2, 2, 1]);
  assert.deepEqual(totals.details, { "5xx": { 502: 1 } });
  assert.deepEqual(totals.lostByTarget, { "a:80": 2, "b:80": 1 });
  assert.deepEqual(totals.lostOnReused, { reset: 1, "5xx": 1 });
  assert.deepEqual(totals.hiddenBy, { any: 0, idempotent: 2, status: 1, none: 0 });
  assert.deepEqual(recorder.progress, { started: 7, ok: 2, lost: 3, inFlight: 1 });
});

test("what ended before the trigger is kept apart", () => {
  const recorder = new Recorder();
  enter(recorder, ok);
  enter(recorder, reset);
  recorder.markTrigger();
  enter(recorder, reset);
  recorder.markTrigger();
  const { lostBeforeTrigger, endedBeforeTrigger, lost } = recorder.totals();
  assert.deepEqual(
    { lostBeforeTrigger, endedBeforeTrigger, lost },
    { lostBeforeTrigger: 1, endedBeforeTrigger: 2, lost: 2 },
  );
});

test("losses are counted without end and kept one by one up to a limit", () => {
  const recorder = new Recorder();
  for (let index = 0; index < MOST_LOSSES + 5; index += 1) enter(recorder, reset);
  assert.equal(recorder.totals().lost, MOST_LOSSES + 5);
  assert.equal(recorder.totals().losses.length, MOST_LOSSES);
});

test("latency counts from the scheduled instant, and leaves out what has none", () => {
  const recorder = new Recorder();
  const now = performance.now();
  recorder.end("a:80", { scheduledMs: now - 2000, startedMs: now }, ok);
  recorder.end("a:80", { scheduledMs: undefined, startedMs: now - 60_000 }, ok);
  const { latencyMs, timeline } = recorder.totals();
  assert.ok(latencyMs.p50 >= 1990 && latencyMs.max < 60_000, JSON.stringify(latencyMs));
  assert.equal(timeline.slices[0]?.counts.ok, 2);
  assert.deepEqual(new Recorder().totals().latencyMs, { p50: 0, p90: 0, p99: 0, max: 0 });
});
