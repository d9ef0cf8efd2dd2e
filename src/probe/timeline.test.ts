import assert from "node:assert/strict";
import { test } from "node:test";
import { timelineRecorder } from "./timeline.ts";

test("outcomes fall into the slice in which they ended; empty slices are there too", () => {
  const timeline = timelineRecorder(1000);
  timeline.add(100, "ok", 5);
  timeline.add(900, "ok", 40);
  timeline.add(2500, "reset", 999);
  assert.deepEqual(timeline.upTo(3900), {
    sliceMs: 1000,
    slices: [
      { counts: { ok: 2 }, slowestMs: 40 },
      { counts: {}, slowestMs: 0 },
      { counts: { reset: 1 }, slowestMs: 0 },
      { counts: {}, slowestMs: 0 },
    ],
  });
});

test("a run that ends a moment after a full second has no slice for that moment", () => {
  assert.equal(timelineRecorder(1000).upTo(4020).slices.length, 4);
  assert.equal(timelineRecorder(1000).upTo(0).slices.length, 1);
});

test("memory is bounded: what comes after two hours is added to the last slice", () => {
  const timeline = timelineRecorder(1);
  timeline.add(1e9, "ok", 1);
  assert.equal(timeline.upTo(1e9).slices.length, 7200);
  assert.deepEqual(timeline.upTo(1e9).slices.at(-1)?.counts, { ok: 1 });
});
