import assert from "node:assert/strict";
import { test } from "node:test";
import { isReady, machineAt, step } from "./machine.ts";
import { EVENTS, type EventName, PHASES, type Phase, phases } from "./states.ts";
import { table, transitions } from "./transitions.ts";

const at = (phase: Phase) => ({ ...machineAt(0), phase, drainSince: phase === "open" ? undefined : 0 });

/** Where each wish of an operator, and a SIGTERM, leads from each phase. `refused` is a 409, `-` changes nothing. */
const wishes: Readonly<Record<Phase, Readonly<Record<string, string>>>> = {
  starting: { sigterm: "closed", drain: "refused", "close-lb": "refused", close: "refused", reopen: "refused" },
  open: { sigterm: "draining", drain: "draining", "close-lb": "closing", close: "closed", reopen: "-" },
  draining: { sigterm: "-", drain: "-", "close-lb": "closing", close: "closed", reopen: "open" },
  overdue: { sigterm: "-", drain: "-", "close-lb": "closing", close: "closed", reopen: "open" },
  dead: { sigterm: "closing", drain: "closing", "close-lb": "closing", close: "closed", reopen: "open" },
  closing: { sigterm: "-", drain: "-", "close-lb": "-", close: "closed", reopen: "open" },
  closed: { sigterm: "-", drain: "-", "close-lb": "-", close: "-", reopen: "refused" },
};

for (const [phase, row] of Object.entries(wishes)) {
  for (const [event, expected] of Object.entries(row)) {
    test(`${event} in ${phase}: ${expected}`, () => {
      const taken = step(at(phase as Phase), event as EventName, 10, false);
      const found = taken.kind === "moved" ? taken.machine.phase : taken.kind === "refused" ? "refused" : "-";
      assert.equal(found, expected);
    });
  }
}

for (const phase of PHASES) {
  test(`there is no reopening after a SIGTERM in ${phase}`, () => {
    const told = { ...at(phase), terminatingSince: 5 };
    const taken = step(told, "reopen", 10, false);
    assert.equal(taken.machine.phase, phase);
    if (phase !== "open") assert.equal(taken.kind, "refused");
  });
}

test("a drain cannot be taken back while the proxy itself is stopping", () => {
  assert.equal(step(at("draining"), "reopen", 10, true).kind, "refused");
});

test("a second SIGTERM does not move the deadline", () => {
  const first = step(at("open"), "sigterm", 10, false).machine;
  assert.equal(first.terminatingSince, 10);
  assert.equal(step(first, "sigterm", 500, false).machine.terminatingSince, 10);
});

test("a SIGTERM during an operator's drain sets the deadline and keeps the drain's start", () => {
  const drained = step(at("open"), "drain", 100, false).machine;
  const told = step(drained, "sigterm", 700, false).machine;
  assert.deepEqual([told.phase, told.drainSince, told.terminatingSince], ["draining", 100, 700]);
});

test("reopening forgets the drain", () => {
  const drained = step(at("open"), "drain", 100, false).machine;
  assert.equal(step(drained, "reopen", 200, false).machine.drainSince, undefined);
});

test("every phase can be reached and, closed apart, left", () => {
  for (const phase of PHASES) {
    if (phase !== "starting") assert.ok(transitions.some(({ to }) => to === phase, `${phase} cannot be reached`));
    assert.ok(
      transitions.some(({ from }) => from === phase),
      `${phase} cannot be left`,
    );
  }
});

test("every event has a place in the table", () => {
  const unused = EVENTS.filter((event) => !PHASES.some((phase) => table[phase][event] !== undefined));
  assert.deepEqual(unused, []);
});

test("whatever closes answers held requests, and nothing else does", () => {
  for (const { from, event, to } of transitions) {
    const cell = table[from][event];
    assert.ok(cell !== undefined && "actions" in cell);
    assert.equal(cell.actions.includes("answer-held"), to === "closed", `${from} ${event}`);
    assert.equal(cell.actions.includes("restore"), to === "open", `${from} ${event}`);
  }
});

test("a drain's result is counted exactly when DRAINING ends", () => {
  for (const { from, event } of transitions) {
    const cell = table[from][event];
    assert.ok(cell !== undefined && "to" in cell);
    assert.equal(cell.result !== undefined, from === "draining", `${from} ${event}`);
  }
});

test("a pod is ready while traffic may still flow", () => {
  const ready = PHASES.filter(isReady);
  assert.deepEqual(ready, ["open", "draining", "overdue", "closing"]);
  assert.equal(phases.overdue, phases.dead);
});
