import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runTrigger, type TriggerPlan } from "./trigger.ts";

async function fire(spec: TriggerPlan, signal = new AbortController().signal) {
  const lines: string[] = [];
  let marks = 0;
  const began = performance.now();
  const world = {
    now: () => performance.now() - began,
    mark: () => {
      marks += 1;
    },
    say: (line: string) => lines.push(line),
  };
  return { result: await runTrigger(spec, world, signal), lines, marks };
}

test("the command is run, its lines are passed on, and its exit code is kept", async () => {
  const { result, lines, marks } = await fire({ command: "echo one; echo two >&2; exit 4", atMs: 10 });
  assert.equal(result.state, "ended");
  assert.equal(result.state === "ended" && result.code, 4);
  assert.deepEqual(lines.sort(), ["trigger: one", "trigger: two"]);
  assert.equal(marks, 1);
});

test("without a command the moment is marked for a person", async () => {
  const { result, marks } = await fire({ command: undefined, atMs: 0 });
  assert.equal(result.state, "by hand");
  assert.equal(marks, 1);
});

test("a run that is over before the moment runs nothing", async () => {
  const { result, marks } = await fire({ command: "exit 0", atMs: 60_000 }, AbortSignal.abort());
  assert.deepEqual(result, { state: "not run" });
  assert.equal(marks, 0);
});

test("a command that outlives the run is ended with what it started", async () => {
  // The child of the shell holds its stdout: were it not ended, this would wait for it.
  const { result, lines } = await fire({ command: "sleep 61 & echo started; wait", atMs: 0 }, AbortSignal.timeout(300));
  assert.equal(result.state, "cut short");
  assert.deepEqual(lines, ["trigger: started"]);
});

test("a signal that ends the command counts as a failure", async () => {
  const { result } = await fire({ command: "kill -9 $$", atMs: 0 });
  assert.equal(result.state === "ended" && result.code, 128);
});

test("a process left in the background that holds the output does not hold the trigger", async () => {
  const { result, lines } = await fire({ command: "sleep 20 & echo $!; exit 0", atMs: 0 });
  process.kill(Number(lines[0]?.replace("trigger: ", "")));
  assert.equal(result.state === "ended" && result.code, 0);
});

test("a command that ignores SIGTERM is killed, with what it started", async () => {
  const command = "trap '' TERM; sleep 62 & echo $!; wait; sleep 62";
  const { result, lines } = await fire({ command, atMs: 0 }, AbortSignal.timeout(300));
  assert.equal(result.state, "cut short");
  const child = Number(lines[0]?.replace("trigger: ", ""));
  assert.ok(child > 0);
  assert.ok(!isRunning(child));
});

/** Whether a process runs; one that nobody has reaped yet does not. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
