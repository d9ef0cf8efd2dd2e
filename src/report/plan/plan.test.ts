import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LB_PROFILES } from "../../balancers/profiles.ts";
import { sum } from "../../budget/formula.ts";
import type { JsonObject } from "../../pod/json.ts";
import { seconds } from "../../units/milliseconds.ts";
import { plain } from "../paint.ts";
import { adviceFor } from "./advice.ts";
import { type Plan, type PlanWish, planOf } from "./plan.ts";
import { planData, snippetsOf } from "./present.ts";
import { planMarkdown, planText } from "./text.ts";

const reach = { nodePort: 30180, path: "/health_check.html" };

function made(settings: JsonObject, more: Partial<PlanWish> = {}): Plan {
  const planned = planOf({
    role: "gateway",
    name: "default",
    namespace: "edge",
    settings,
    applicationStop: 0,
    ...more,
  });
  assert.ok(planned.ok, JSON.stringify(planned));
  return planned.plan;
}

function numbers(plan: Plan): Record<string, number> {
  return Object.fromEntries(plan.terms.map(({ key, span }) => [key, span / 1000]));
}

describe("planOf", () => {
  const cases: readonly [
    name: string,
    settings: JsonObject,
    more: Partial<PlanWish>,
    expected: Record<string, number>,
  ][] = [
    [
      "the runbook's numbers: p99 30 s, 2 s × 2",
      { requestP99: "30s", loadBalancer: { checkInterval: "2s", checkFall: 2 } },
      {},
      { drainTimeout: 36, lbBuffer: 9, terminationDrainDuration: 36, gracePeriod: 75, minReadySeconds: 7 },
    ],
    [
      "the blog's: a drain of 40 s takes a grace of 45 s",
      { drainTimeout: "40s" },
      { role: "sidecar" },
      { terminationDrainDuration: 40, gracePeriod: 45 },
    ],
    [
      "a sidecar waits for its application",
      { drainTimeout: "40s" },
      { role: "sidecar", applicationStop: 10 },
      { applicationPreStop: 10, terminationDrainDuration: 50, gracePeriod: 55 },
    ],
    [
      "the limit shortens the drain",
      { requestP99: "30s", maxGracePeriod: "60s" },
      {},
      { drainTimeout: 21, gracePeriod: 60 },
    ],
    [
      "a slow drain answer needs a longer drain",
      { requestP99: "10s", loadBalancer: { profile: "aws-nlb-keep" } },
      {},
      { drainTimeout: 90, detection: 90, lbBuffer: 95 },
    ],
  ];
  for (const [name, settings, more, expected] of cases) {
    it(name, () => {
      const plan = made(settings, more);
      assert.deepEqual({ ...numbers(plan), ...expected }, numbers(plan));
    });
  }

  it("a longer way back is minReadySeconds, a shorter one is not", () => {
    for (const [way, expected] of [
      [36, 36],
      [3, 7],
    ] as const) {
      const plan = made({ requestP99: "30s" }, { wayBack: sum(seconds(way)) });
      assert.equal(numbers(plan).minReadySeconds, expected);
      assert.ok(snippetsOf(plan, reach).some(({ text }) => text.includes(`minReadySeconds: ${expected}\n`)));
    }
  });

  it("says what a cloud does not take, but not of what nobody chose", () => {
    const told = (loadBalancer: JsonObject) =>
      adviceFor(made({ requestP99: "30s", loadBalancer })).warnings.filter((one) => one.includes("at least"));
    assert.deepEqual(told({ profile: "aws-nlb" }), []);
    assert.deepEqual(told({ profile: "aws-nlb", checkInterval: "2s", checkFall: 1, checkTimeout: "1s" }), [
      "aws-nlb takes a check interval of at least 5s: 2s is counted as 5s.",
      "aws-nlb takes a check timeout of at least 2s: 1s is counted as 2s.",
      "aws-nlb takes a fall of at least 2: 1 is counted as 2.",
    ]);
  });

  it("shows how each number came about", () => {
    const terms = made({ requestP99: "30s", loadBalancer: { profile: "haproxy" } }).terms;
    assert.deepEqual(
      terms.map(({ key, arithmetic }) => `${key}: ${arithmetic}`),
      [
        "drainTimeout: p99 30s × 1.2 = 36s",
        "lbBuffer: 2s × 3 + 5s = 11s",
        "detection: 1 × interval",
        "preStop: 36s + 11s = 47s",
        "terminationDrainDuration: the drain timeout",
        "minimumDrainDuration: the proxy's own least",
        "gracePeriod: max(36s + 11s, 36s) + 30s = 77s",
        "minReadySeconds: 1s + 2 × 2s + 2s = 7s",
      ],
    );
  });

  it("refuses what a policy refuses, and names the field", () => {
    const planned = planOf({
      role: "gateway",
      name: "a",
      namespace: "b",
      settings: { margin: "soon" },
      applicationStop: 0,
    });
    assert.ok(!planned.ok);
    assert.match(planned.problems[0]?.text ?? "", /spec\.gateway\.margin is "soon", not a duration/);
  });
});

describe("what a plan says", () => {
  for (const profile of LB_PROFILES) {
    it(`${profile}: settings in its own language with the plan's numbers`, () => {
      const plan = made({ loadBalancer: { profile, checkInterval: "7s", checkFall: 4, checkRise: 3 } });
      const text = snippetsOf(plan, reach)
        .slice(1, -2)
        .map((snippet) => snippet.text)
        .join("\n");
      // F5 has one timeout instead of a fall: 7 × 4 + 1.
      for (const wanted of [/\b30180\b/, /\b7\b|7s/, profile === "f5" ? /timeout 29/ : /\b4\b/])
        assert.match(text, wanted);
      if (profile !== "azure") assert.match(text, /\/health_check\.html/);
    });

    it(`${profile}: recommends where there is no drain answer, and only there`, () => {
      const plan = made({ loadBalancer: { profile } });
      const { recommendations, warnings } = adviceFor(plan);
      const isDeaf = plan.gateway?.balancer.drainAnswer === undefined;
      assert.equal(recommendations.length, isDeaf ? 3 : 0);
      assert.equal(
        warnings.some((sentence) => sentence.includes("has no drain answer")),
        isDeaf,
      );
      if (isDeaf) {
        assert.match(recommendations[0] ?? "", /replacement start on the same node/);
        assert.match(recommendations[1] ?? "", /drain answer/);
        assert.match(recommendations[2] ?? "", /keeps sessions/);
      }
    });
  }

  it("warns of a grace period that the cluster autoscaler does not grant, and of a check timeout over the interval", () => {
    const plan = made({ requestP99: "10m", maxGracePeriod: "1h", loadBalancer: { checkTimeout: "5s" } });
    const { warnings } = adviceFor(plan);
    assert.ok(warnings.some((sentence) => sentence.includes("the cluster autoscaler grants")));
    assert.ok(warnings.some((sentence) => sentence.includes("check timeout of 5s is longer than the interval of 2s")));
  });

  it("text has no line over 80 columns but what is to be pasted, Markdown has code blocks, JSON has the policy", () => {
    const plan = made({ requestP99: "30s" });
    const text = planText(plan, reach, plain);
    assert.ok(text.split("\n").every((line) => line.length <= 80));
    const markdown = planMarkdown(plan, reach);
    assert.match(markdown, /^\| grace period \| 75 s \| max\(36s \+ 9s, 36s\) \+ 30s = 75s \|$/m);
    assert.equal(markdown.match(/^```/gm)?.length, 2 * snippetsOf(plan, reach).length);
    const data = planData(plan, reach);
    assert.equal(data.policy, plan.policy);
    assert.deepEqual((data.budget as JsonObject).gracePeriod, {
      seconds: 75,
      arithmetic: "max(36s + 9s, 36s) + 30s = 75s",
    });
  });

  it("a sidecar's plan has no balancer and tells of idle connections", () => {
    const plan = made({ drainTimeout: "40s" }, { role: "sidecar" });
    assert.deepEqual(
      snippetsOf(plan, reach).map(({ title }) => title),
      ["GracePolicy"],
    );
    assert.match(adviceFor(plan).warnings.join("\n"), /idle keep-alive connection/);
    assert.equal(planData(plan, reach).profile, null);
  });
});
