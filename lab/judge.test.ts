import assert from "node:assert/strict";
import { test } from "node:test";
import { judge, judgeTimes, LONGEST_END_S } from "./judge.ts";
import type { Record } from "./record.ts";

const whole: Record = {
  scenario: "S3",
  mode: "improved",
  repeat: 1,
  started: 2000,
  lost: 0,
  answered5xx: 0,
  connectionErrors: 0,
  losses: {},
  words: "0 / 0 of 2000",
  isVoid: [],
  pods: [{ pod: "gateway-a-1", seconds: 20, exitCodes: { "istio-proxy": 0, hc: 0 } }],
  failedHooks: 0,
  plots: [],
};

const lossy: Record = { ...whole, lost: 2, answered5xx: 2, losses: { "5xx 502": 2 } };

const cases: readonly (readonly [claim: string, record: Record, sentence: RegExp | undefined])[] = [
  ["an improved rollout that lost nothing is as it has to be", whole, undefined],
  ["one that lost something is not", lossy, /S3 improved 1 lost 2/],
  ["nor is one on the same node", { ...lossy, mode: "same-node" }, /S3 same-node 1 lost 2/],
  ["without a drain answer a load that never pauses may lose", { ...lossy, mode: "runbook" }, undefined],
  ["but a single request may not", { ...lossy, mode: "runbook", scenario: "S1" }, /S1 runbook 1 lost 2/],
  ["today's setup has to lose", { ...lossy, mode: "current" }, undefined],
  ["and proves nothing where it does not", { ...whole, mode: "current" }, /the rig proves nothing/],
  ["nor where it loses for another reason", { ...lossy, mode: "current", losses: { timeout: 2 } }, /another reason/],
  ["a native sidecar needs no help", { ...whole, scenario: "S6", part: "native", mode: "current" }, undefined],
  ["a void run is told", { ...whole, isVoid: ["lost before"] }, /S3 improved 1 is void: lost before/],
  [
    "a pod that was killed is told",
    { ...whole, pods: [{ pod: "gateway-a-1", seconds: 75, exitCodes: { hc: 137 } }] },
    /SIGKILL/,
  ],
  ["a hook that failed is told", { ...whole, failedHooks: 1 }, /1 preStop hooks failed/],
  ["a death in a drain may cost its own gateway something", { ...lossy, scenario: "S10", lostElsewhere: 0 }, undefined],
  ["but not the other one", { ...lossy, scenario: "S10", lostElsewhere: 1 }, /the other gateway lost 1/],
];

for (const [claim, record, sentence] of cases) {
  test(claim, () => {
    const found = judge([record]).join("\n");
    if (sentence === undefined) assert.equal(found, "");
    else assert.match(found, sentence);
  });
}

test("a gateway that takes longer to end than it needs is told", () => {
  const slow = [{ pod: "gateway-a-1", seconds: LONGEST_END_S + 1, exitCodes: {} }];
  assert.equal(judgeTimes([whole]).length, 0);
  assert.match(judgeTimes([{ ...whole, pods: slow }]).join("\n"), /gateway-a-1 took 28.5 s/);
});
