import assert from "node:assert/strict";
import { test } from "node:test";
import { LB_PROFILES } from "../balancers/profiles.ts";
import { configurationOf } from "./configuration.ts";
import { variables } from "./variables.ts";

test("without variables the runbook's numbers count", () => {
  const { configuration, problems } = configurationOf({});
  assert.deepEqual(problems, []);
  assert.deepEqual(configuration.timing, {
    drainTimeoutMs: 36_000,
    lbBufferMs: 9000,
    gracePeriodMs: 75_000,
    detectionMs: 2000,
    minimumDrainMs: 5000,
    pollIntervalMs: 1000,
  });
  assert.deepEqual(configuration.healthPaths, ["/health_check.html", "/"]);
});

const good: readonly [name: string, env: Record<string, string>, path: string, expected: unknown][] = [
  ["a number is seconds", { DRAIN_TIMEOUT: "12" }, "timing.drainTimeoutMs", 12_000],
  ["decimals are seconds", { POLL_INTERVAL: "0.25" }, "timing.pollIntervalMs", 250],
  ["fractions of a second are kept", { POLL_INTERVAL: "250ms" }, "timing.pollIntervalMs", 250],
  ["a poll interval that would be a load of its own is raised", { POLL_INTERVAL: "1ms" }, "timing.pollIntervalMs", 50],
  ["detection follows the profile", { LB_PROFILE: "aws-alb" }, "timing.detectionMs", 60_000],
  ["detection that is set wins", { LB_PROFILE: "aws-alb", LB_DETECTION: "3" }, "timing.detectionMs", 3000],
  ["detection of 0 is a value", { LB_DETECTION: "0" }, "timing.detectionMs", 0],
  ["several health paths", { HEALTH_PATHS: "/a, /b" }, "healthPaths", ["/a", "/b", "/"]],
  ["an empty variable counts as none", { HEALTH_PORT: "" }, "healthPort", 18180],
  ["retiring can be turned off", { RETIRE_CONNECTIONS: "false" }, "retires", false],
  ["the gate can be both", { DRAIN_GATE: "both" }, "gate", "both"],
  ["a drain answer of the policy is one", { LB_ANSWERS: '{"draining":{"status":404}}' }, "hasDrainAnswer", true],
];

for (const [name, env, path, expected] of good) {
  test(name, () => {
    const { configuration, problems } = configurationOf(env);
    assert.deepEqual(problems, []);
    const found = path
      .split(".")
      .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], configuration);
    assert.deepEqual(found, expected);
  });
}

const bad: readonly [env: Record<string, string>, problem: RegExp][] = [
  [{ DRAIN_TIMEOUT: "36 sec" }, /^DRAIN_TIMEOUT: "36 sec" is not a duration .*Using 36s\.$/],
  [{ GRACE_PERIOD: "-5" }, /^GRACE_PERIOD: "-5" is not a duration \(it is negative\)/],
  [{ HEALTH_PORT: "70000" }, /^HEALTH_PORT: "70000" is not a port; .* Using 18180\.$/],
  [{ LB_PROFILE: "nginx" }, /^LB_PROFILE: "nginx" is not one of generic, haproxy/],
  [{ LB_DETECTION: "x" }, /Using the profile's\.$/],
  [{ RETIRE_CONNECTIONS: "yes" }, /^RETIRE_CONNECTIONS: "yes" is not one of true, false/],
  [{ HEALTH_PATHS: "/health,no-slash" }, /^HEALTH_PATHS: .*\/health, \/live, \/drained are taken/],
  [{ LB_ANSWERS: "[]" }, /^LB_ANSWERS: /],
  [{ LB_ANSWERS: '{"open":{"status":99}}' }, /^LB_ANSWERS: /],
  [{ LB_ANSWERS: '{"opened":{}}' }, /^LB_ANSWERS: /],
];

for (const [env, problem] of bad) {
  test(`${JSON.stringify(env)} is reported, and its default used`, () => {
    const { configuration, problems } = configurationOf(env);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", problem);
    if (env.LB_DETECTION === undefined) assert.deepEqual(configuration, configurationOf({}).configuration);
  });
}

test("every profile of the policy is one that hc takes", () => {
  for (const LB_PROFILE of LB_PROFILES) assert.deepEqual(configurationOf({ LB_PROFILE }).problems, []);
});

test("every default can be read", () => {
  const defaults = Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, variable.default]));
  assert.deepEqual(configurationOf(defaults).problems, []);
});
