import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ProxyStop } from "./budget.ts";
import { type GatewayInput, gatewayBudget } from "./gateway.ts";
import type { LoadBalancer } from "./load-balancer.ts";

const generic: LoadBalancer = {
  checkInterval: 2,
  checkFall: 2,
  checkRise: 2,
  checkTimeout: 1,
  drainAnswer: undefined,
  detection: 2,
  lbBuffer: 9,
  lbBufferFrom: "",
};
const haproxy: LoadBalancer = { ...generic, drainAnswer: { status: 404 } };
const alb: LoadBalancer = { ...generic, drainAnswer: { status: 503 }, detection: 60, lbBuffer: 65 };
const explicit = (value: number) =>
  ({ drainTimeout: { value, level: 4, origin: "GracePolicy shop/default" } }) as const;
const p99 = (value: number) => ({ requestP99: { value, level: 0, origin: "built-in" } }) as const;
const stop = (kind: "Hold" | "Sleep" | "Sigterm" | "None"): ProxyStop => ({ kind });
const own = (seconds: number | undefined): ProxyStop => ({ kind: "own", seconds });

const base: GatewayInput = {
  drain: p99(30),
  loadBalancer: generic,
  terminationDrainDuration: undefined,
  minimumDrainDuration: undefined,
  exitOnZero: true,
  proxyStop: stop("Hold"),
  margin: 30,
  grace: { users: 30, max: 600 },
};

interface Numbers {
  readonly drain: number;
  readonly hook: number;
  readonly tdd: number;
  readonly minimum: number;
  readonly grace: number;
  readonly margin?: number;
  readonly accepts?: number;
  readonly codes?: readonly string[];
}

describe("the budget of a gateway, worked out by hand from SPEC 6", () => {
  const cases: readonly [string, Partial<GatewayInput>, Numbers][] = [
    ["the runbook's example: 36 / 9 / 36 / 75", {}, { drain: 36, hook: 45, tdd: 36, minimum: 5, grace: 75 }],
    [
      "Sleep has the same numbers",
      { proxyStop: stop("Sleep") },
      { drain: 36, hook: 45, tdd: 36, minimum: 5, grace: 75 },
    ],
    [
      "Sigterm: the proxy itself covers what the balancer needs",
      { proxyStop: stop("Sigterm") },
      { drain: 36, hook: 0, tdd: 45, minimum: 45, grace: 75, accepts: 50 },
    ],
    [
      "Sigterm with a drain answer: detection and buffer are enough",
      { proxyStop: stop("Sigterm"), loadBalancer: haproxy },
      { drain: 36, hook: 0, tdd: 36, minimum: 11, grace: 75, accepts: 50 },
    ],
    [
      "None is as Sigterm",
      { proxyStop: stop("None") },
      { drain: 36, hook: 0, tdd: 45, minimum: 45, grace: 75, accepts: 50 },
    ],
    [
      "without EXIT_ON_ZERO the drain starts when the hook ends",
      { exitOnZero: false },
      { drain: 36, hook: 45, tdd: 36, minimum: 5, grace: 111 },
    ],
    [
      "without it and without a hook nothing is added",
      { exitOnZero: false, proxyStop: stop("Sigterm") },
      { drain: 36, hook: 0, tdd: 45, minimum: 45, grace: 75, accepts: 50 },
    ],
    [
      "a user's own hook of 20 s leaves 25 s to the proxy",
      { proxyStop: own(20) },
      { drain: 36, hook: 20, tdd: 36, minimum: 25, grace: 75 },
    ],
    [
      "a user's own hook that covers the drain answer",
      { proxyStop: own(20), loadBalancer: haproxy },
      { drain: 36, hook: 20, tdd: 36, minimum: 5, grace: 75 },
    ],
    [
      "a user's own hook of 100 s needs more than the drain",
      { proxyStop: own(100) },
      { drain: 36, hook: 100, tdd: 36, minimum: 5, grace: 108 },
    ],
    [
      "a user's own hook that cannot be read counts as none",
      { proxyStop: own(undefined) },
      { drain: 36, hook: 0, tdd: 45, minimum: 45, grace: 75, accepts: 50 },
    ],
    [
      "a computed drain timeout is at least the detection",
      { loadBalancer: alb },
      { drain: 60, hook: 125, tdd: 60, minimum: 5, grace: 155 },
    ],
    [
      "an explicit one stays, with a warning",
      { loadBalancer: alb, drain: explicit(10) },
      { drain: 10, hook: 75, tdd: 10, minimum: 5, grace: 105, codes: ["GG302"] },
    ],
    ["an explicit drain timeout", { drain: explicit(60) }, { drain: 60, hook: 69, tdd: 60, minimum: 5, grace: 99 }],
    [
      "a longer terminationDrainDuration needs a longer grace",
      { terminationDrainDuration: 100 },
      { drain: 36, hook: 45, tdd: 100, minimum: 5, grace: 130 },
    ],
    [
      "a shorter one is raised",
      { terminationDrainDuration: 10 },
      { drain: 36, hook: 45, tdd: 36, minimum: 5, grace: 75 },
    ],
    [
      "a long minimum drain needs a longer grace",
      { minimumDrainDuration: 50 },
      { drain: 36, hook: 45, tdd: 36, minimum: 50, grace: 98 },
    ],
    [
      "a minimum drain shorter than the balancer needs warns",
      { proxyStop: stop("Sigterm"), minimumDrainDuration: 5 },
      { drain: 36, hook: 0, tdd: 45, minimum: 5, grace: 75, accepts: 50, codes: ["GG302"] },
    ],
    [
      "a small margin with Hold leaves room for the proxy's end",
      { margin: 0 },
      { drain: 36, hook: 45, tdd: 36, minimum: 5, grace: 53, margin: 0 },
    ],
    [
      "a user's longer grace period stays",
      { grace: { users: 200, max: 600 } },
      { drain: 36, hook: 45, tdd: 36, minimum: 5, grace: 200 },
    ],
    [
      "it is a limit that counts, where the maximum is smaller",
      { grace: { users: 100, max: 60 } },
      { drain: 36, hook: 45, tdd: 36, minimum: 5, grace: 100 },
    ],
    [
      "a limit shrinks the drain timeout first",
      { grace: { users: 30, max: 60 } },
      { drain: 21, hook: 30, tdd: 21, minimum: 5, grace: 60, codes: ["GG301"] },
    ],
    [
      "then the margin",
      { grace: { users: 30, max: 40 } },
      { drain: 5, hook: 14, tdd: 5, minimum: 5, grace: 40, margin: 26, codes: ["GG301"] },
    ],
    [
      "not under what hc needs with Hold",
      { grace: { users: 1, max: 22 } },
      { drain: 5, hook: 14, tdd: 5, minimum: 5, grace: 22, margin: 8, codes: ["GG301"] },
    ],
    [
      "the limit wins over everything",
      { grace: { users: 1, max: 10 } },
      { drain: 5, hook: 14, tdd: 5, minimum: 5, grace: 10, margin: 8, codes: ["GG301", "GG302", "GG302", "GG302"] },
    ],
    [
      "a drain timeout does not shrink under the detection",
      { loadBalancer: alb, grace: { users: 30, max: 100 } },
      { drain: 60, hook: 125, tdd: 60, minimum: 5, grace: 100, margin: 8, codes: ["GG301", "GG302", "GG302", "GG302"] },
    ],
    [
      "an explicit terminationDrainDuration does not shrink",
      { terminationDrainDuration: 50, grace: { users: 30, max: 70 } },
      { drain: 5, hook: 14, tdd: 50, minimum: 5, grace: 70, margin: 20, codes: ["GG301"] },
    ],
    [
      "the mesh's longer drainDuration is enough",
      { proxyStop: stop("Sigterm"), meshDrainDuration: 60 },
      { drain: 36, hook: 0, tdd: 45, minimum: 45, grace: 75 },
    ],
    [
      "the mesh's shorter one is not",
      { proxyStop: own(20), meshDrainDuration: 20 },
      { drain: 36, hook: 20, tdd: 36, minimum: 25, grace: 75, accepts: 30 },
    ],
  ];
  for (const [name, input, numbers] of cases) {
    it(name, () => {
      const budget = gatewayBudget({ ...base, ...input });
      const { margin = input.margin ?? 30, accepts, codes = [] } = numbers;
      assert.deepEqual(
        {
          drain: budget.drainTimeout,
          hook: budget.hook,
          tdd: budget.terminationDrainDuration,
          minimum: budget.minimumDrainDuration,
          grace: budget.gracePeriod,
          margin: budget.margin,
          accepts: budget.drainDuration,
          codes: budget.notices.map(({ code }) => code),
        },
        { ...numbers, margin, accepts, codes },
      );
    });
  }

  const sentences: readonly [string, Partial<GatewayInput>, string][] = [
    [
      "a limit shows the arithmetic",
      { grace: { users: 30, max: 60 } },
      "the grace period is limited to 60s, but the budget needs max(36s + 9s, 36s) + 30s = 75s; drain timeout 60s - 30s - 9s = 21s.",
    ],
    [
      "a limit that also costs margin",
      { grace: { users: 30, max: 40 } },
      "the grace period is limited to 40s, but the budget needs max(36s + 9s, 36s) + 30s = 75s; drain timeout 40s - 26s - 9s = 5s, margin 26s.",
    ],
    [
      "a limit that nothing fits",
      { grace: { users: 1, max: 10 } },
      "the grace period is limited to 10s, but the budget needs max(36s + 9s, 36s) + 30s = 75s; even with drain timeout 5s, margin 8s it needs 22s.",
    ],
    [
      "a broken rule names the value",
      { loadBalancer: alb, drain: explicit(10) },
      "the budget does not hold: the drain timeout of 10s is shorter than the 60s in which the load balancer sees the drain answer.",
    ],
  ];
  for (const [name, input, text] of sentences) {
    it(name, () => assert.equal(gatewayBudget({ ...base, ...input }).notices[0]?.text, text));
  }

  it("the arithmetic is the sum that decided", () => {
    assert.equal(gatewayBudget(base).arithmetic, "max(36s + 9s, 36s) + 30s = 75s");
    assert.equal(gatewayBudget({ ...base, minimumDrainDuration: 50 }).arithmetic, "45s + 50s + 3s = 98s");
    assert.equal(gatewayBudget({ ...base, exitOnZero: false }).arithmetic, "45s + 36s + 30s = 111s");
  });
});

describe("for every gateway", () => {
  const seconds = (max: number) => fc.integer({ min: 0, max });
  const stops = fc.oneof(
    fc.constantFrom(stop("Hold"), stop("Sleep"), stop("Sigterm"), stop("None")),
    seconds(200).map(own),
  );
  const input = fc.record({
    drain: fc.oneof(seconds(300).map(p99), seconds(300).map(explicit)),
    loadBalancer: fc
      .record({ base: fc.constantFrom(generic, haproxy, alb), lbBuffer: seconds(100) })
      .map(({ base: lb, lbBuffer }) => ({ ...lb, lbBuffer })),
    terminationDrainDuration: fc.option(seconds(300), { nil: undefined }),
    minimumDrainDuration: fc.option(seconds(100), { nil: undefined }),
    exitOnZero: fc.boolean(),
    proxyStop: stops,
    margin: seconds(60),
    grace: fc.record({ users: seconds(400), max: fc.integer({ min: 1, max: 900 }) }),
  });

  it("every invariant holds, or a notice says which does not", () => {
    fc.assert(
      fc.property(input, (given) => {
        const b = gatewayBudget(given);
        const answered = given.loadBalancer.drainAnswer !== undefined && b.hook < b.drainTimeout + b.lbBuffer;
        const lbNeeds = (answered ? given.loadBalancer.detection : b.drainTimeout) + b.lbBuffer;
        const holds = [
          b.gracePeriod > b.terminationDrainDuration,
          b.gracePeriod > b.drainTimeout + b.lbBuffer,
          b.gracePeriod >= b.hook + b.minimumDrainDuration + 1,
          b.hook + (b.exitOnZero ? b.minimumDrainDuration : b.terminationDrainDuration) >= lbNeeds,
          given.proxyStop.kind !== "Hold" || b.gracePeriod - b.hook >= b.minimumDrainDuration + 3,
          b.drainTimeout >= given.loadBalancer.detection,
        ].every((rule) => rule);
        const told = b.notices.some(({ code }) => code === "GG302" || code === "GG301");
        assert.ok(holds || told, JSON.stringify(b));
        assert.ok(b.gracePeriod >= given.grace.users);
        assert.ok(b.gracePeriod <= Math.max(given.grace.users, given.grace.max));
      }),
      { numRuns: 2000 },
    );
  });

  it("nothing shrinks where the limit allows all", () => {
    fc.assert(
      fc.property(input, (given) => {
        const b = gatewayBudget({ ...given, grace: { users: 30, max: 100_000 } });
        assert.equal(b.margin, given.margin);
        assert.ok(!b.notices.some(({ code }) => code === "GG301"));
        if ("drainTimeout" in given.drain) assert.equal(b.drainTimeout, given.drain.drainTimeout.value);
      }),
    );
  });
});
