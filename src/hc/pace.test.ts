import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationOf } from "./configuration.ts";
import type { Situation } from "./due.ts";
import { machineAt } from "./machine.ts";
import { readinessPauseMs, statsPauseMs } from "./pace.ts";
import type { Phase } from "./states.ts";
import { nothingSeen } from "./view.ts";

const at = (phase: Phase, pollInterval: string, refusals = 0): Situation => ({
  machine: { ...machineAt(0), phase },
  view: { ...nothingSeen, refusals: { count: refusals, since: 0 } },
  timing: configurationOf({ POLL_INTERVAL: pollInterval }).configuration.timing,
  retires: true,
});

const cases: readonly [name: string, situation: Situation, readiness: number, stats: number][] = [
  ["a starting proxy is looked at often", at("starting", "1s"), 200, 1000],
  ["while OPEN the stats are looked at rarely", at("open", "1s"), 1000, 5000],
  ["a drain is watched at the poll interval", at("draining", "2s"), 1000, 2000],
  ["a long poll interval does not make hc late to see a proxy that stops", at("open", "30s"), 1000, 150_000],
  ["a short poll interval counts for both", at("draining", "100ms"), 100, 100],
  ["the expected end of the proxy is confirmed quickly", at("closed", "1s", 1), 250, 1000],
];

for (const [name, situation, readiness, stats] of cases) {
  test(name, () => assert.deepEqual([readinessPauseMs(situation), statsPauseMs(situation)], [readiness, stats]));
}
