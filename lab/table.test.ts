import assert from "node:assert/strict";
import { test } from "node:test";
import type { Record } from "./record.ts";
import { goneAfter, linesOf, medianAndWorst, shown } from "./table.ts";

const record = (over: Partial<Record>): Record => ({
  scenario: "S1",
  mode: "improved",
  repeat: 1,
  started: 1,
  lost: 0,
  answered5xx: 0,
  connectionErrors: 0,
  losses: {},
  words: "200 at 60.0 s",
  isVoid: [],
  pods: [],
  failedHooks: 0,
  plots: [],
  ...over,
});

test("the median of an even number is the lower one, and the worst is told where it is another", () => {
  assert.equal(medianAndWorst([3, 1, 2]), "2 (worst 3)");
  assert.equal(medianAndWorst([4, 1, 2, 3]), "2 (worst 4)");
  assert.equal(medianAndWorst([0, 0, 0]), "0");
});

test("single requests are told in words, each or all the same, loads as a sum", () => {
  assert.equal(shown([record({})]), "200 at 60.0 s");
  assert.equal(shown([record({}), record({ repeat: 2 })]), "200 at 60.0 s each");
  assert.equal(shown([record({}), record({ words: "502 at 6.0 s (5xx 502)" })]), "200 at 60.0 s, 502 at 6.0 s");
  assert.equal(shown([record({ started: 900, lost: 2 }), record({ started: 900, lost: 3 })]), "5 lost");
  assert.equal(shown([record({ started: 900, lost: 2, lostElsewhere: 0 })]), "2 lost, 0 at the other gateway");
  assert.equal(shown([record({ isVoid: ["lost before"] })]), "200 at 60.0 s, 1 void");
});

test("lines are in the order of the scenarios' numbers, one a mode and part", () => {
  const lines = linesOf([
    record({ scenario: "S10", part: "hc killed" }),
    record({ scenario: "S2" }),
    record({ scenario: "S2", mode: "current" }),
    record({ scenario: "S2", repeat: 2 }),
  ]);
  assert.deepEqual(
    lines.map(({ scenario, mode, runs }) => [scenario, mode, runs.length]),
    [
      ["S2", "current", 1],
      ["S2", "improved", 2],
      ["S10 hc killed", "improved", 1],
    ],
  );
});

test("how long pods took is a span", () => {
  const pod = (seconds: number) => ({ pod: "a", seconds, exitCodes: {} });
  assert.equal(goneAfter([record({ pods: [pod(12.34), pod(20)] })]), "12.3–20.0 s");
  assert.equal(goneAfter([record({ pods: [pod(20)] })]), "20.0 s");
  assert.equal(goneAfter([record({})]), "");
});
