import assert from "node:assert/strict";
import { test } from "node:test";
import { keepSchedule, pause } from "./schedule.ts";

test("every request is started once, in order, at evenly spaced instants", async () => {
  const started: number[] = [];
  const instants: number[] = [];
  const { signal } = new AbortController();
  const punctuality = await keepSchedule({ rate: 1000, durationMs: 50, signal }, (index, scheduledMs) => {
    started.push(index);
    instants.push(scheduledMs);
  });
  assert.deepEqual(started, [...Array(50).keys()]);
  assert.ok(instants.every((at, index) => Math.abs(at - (instants[0] ?? 0) - index) < 1e-6));
  assert.ok(punctuality.lagMs.max >= punctuality.lagMs.p50);
});

test("a generator that is blocked catches up, and its lag is told", async () => {
  const { signal } = new AbortController();
  let started = 0;
  const punctuality = await keepSchedule({ rate: 1000, durationMs: 100, signal }, (index) => {
    started += 1;
    const until = performance.now() + 40;
    while (index === 10 && performance.now() < until);
  });
  assert.equal(started, 100);
  assert.ok(punctuality.lagMs.max >= 35, `lag ${punctuality.lagMs.max}`);
  assert.ok(punctuality.behind > 0);
});

test("an aborted schedule starts no more", async () => {
  const controller = new AbortController();
  let started = 0;
  await keepSchedule({ rate: 1000, durationMs: 60_000, signal: controller.signal }, (index) => {
    started += 1;
    if (index === 5) controller.abort();
  });
  assert.ok(started >= 6 && started < 1000, String(started));
  const none = await keepSchedule({ rate: 1, durationMs: 1000, signal: controller.signal }, () => assert.fail());
  assert.deepEqual(none.lagMs, { p50: 0, p99: 0, max: 0 });
});

test("a pause ends early when it is aborted", async () => {
  await pause(60_000, AbortSignal.abort());
});
