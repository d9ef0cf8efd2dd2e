import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { inSeconds, type Milliseconds, ms, seconds } from "../units/milliseconds.ts";
import { setBy } from "./because.ts";
import type { Budget, ProxyStop } from "./budget.ts";
import { written } from "./formula.ts";
import { type GatewayInput, gatewayBudget } from "./gateway.ts";
import type { LoadBalancer } from "./load-balancer.ts";

const buffer = (value: Milliseconds) => setBy("buffer", { value, origin: "GracePolicy shop/default" });
const generic: LoadBalancer = {
  checkInterval: seconds(2),
  checkFall: 2,
  checkRise: 2,
  checkTimeout: seconds(1),
  drainAnswer: undefined,
  detection: seconds(2),
  lbBuffer: buffer(seconds(9)),
};
const haproxy: LoadBalancer = { ...generic, drainAnswer: { status: 404 } };
const alb: LoadBalancer = {
  ...generic,
  drainAnswer: { status: 503 },
  detection: seconds(60),
  lbBuffer: buffer(seconds(65)),
};
const explicit = (value: number) =>
  ({ drainTimeout: { value: seconds(value), level: 4, origin: "GracePolicy shop/default" } }) as const;
const p99 = (value: number) => ({ requestP99: { value: seconds(value), level: 0, origin: "built-in" } }) as const;
const stop = (kind: "Hold" | "Sleep" | "Sigterm" | "None"): ProxyStop => ({ kind });
const own = (length: number | undefined): ProxyStop => ({
  kind: "own",
  length: length === undefined ? undefined : seconds(length),
});

/** An input with durations in seconds. */
interface Given extends Pick<GatewayInput, "drain" | "loadBalancer" | "exitOnZero" | "proxyStop"> {
  readonly terminationDrainDuration: number | undefined;
  readonly minimumDrainDuration: number | undefined;
  readonly margin: number;
  readonly grace: { readonly users: number; readonly max: number };
  readonly meshDrainDuration?: number;
}

const inputOf = ({ terminationDrainDuration, minimumDrainDuration, margin, grace, ...given }: Given): GatewayInput => {
  const sourced = (value: number) => ({ value: seconds(value), level: 4, origin: "GracePolicy shop/default" }) as const;
  const set = (name: string, value: number | undefined) =>
    value === undefined ? undefined : setBy(name, sourced(value));
  return {
    ...given,
    terminationDrainDuration: set("terminationDrainDuration", terminationDrainDuration),
    minimumDrainDuration: set("minimumDrainDuration", minimumDrainDuration),
    margin: sourced(margin),
    grace: { users: sourced(grace.users), max: sourced(grace.max) },
    meshDrainDuration: given.meshDrainDuration === undefined ? undefined : seconds(given.meshDrainDuration),
  };
};
const budgetOf = (given: Given): Budget => gatewayBudget(inputOf(given));

/** A budget's numbers, milliseconds. */
const numbersOf = ({ drainTimeout, lbBuffer, hook, gracePeriod, ...rest }: Budget) => ({
  ...rest,
  drainTimeout: drainTimeout.value,
  lbBuffer: lbBuffer.value,
  hook: hook.value,
  gracePeriod: gracePeriod.value,
  terminationDrainDuration: rest.terminationDrainDuration.value,
  minimumDrainDuration: rest.minimumDrainDuration.value,
});

const base: Given = {
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
  const cases: readonly [string, Partial<Given>, Numbers][] = [
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
    ["a p99 of 2.5 s makes 3 s", { drain: p99(2.5) }, { drain: 3, hook: 12, tdd: 3, minimum: 5, grace: 42 }],
    [
      "a buffer of 6.5 s costs no second twice",
      { loadBalancer: { ...generic, lbBuffer: buffer(ms(6500)) } },
      { drain: 36, hook: 42.5, tdd: 36, minimum: 5, grace: 73 },
    ],
    [
      "a sleep is of whole seconds",
      { loadBalancer: { ...generic, lbBuffer: buffer(ms(6500)) }, proxyStop: stop("Sleep") },
      { drain: 36, hook: 43, tdd: 36, minimum: 5, grace: 73 },
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
      const budget = budgetOf({ ...base, ...input });
      const { margin = input.margin ?? 30, accepts, codes = [] } = numbers;
      assert.deepEqual(
        {
          drain: inSeconds(budget.drainTimeout.value),
          hook: inSeconds(budget.hook.value),
          tdd: inSeconds(budget.terminationDrainDuration.value),
          minimum: inSeconds(budget.minimumDrainDuration.value),
          grace: inSeconds(budget.gracePeriod.value),
          margin: inSeconds(budget.margin),
          accepts: budget.drainDuration && inSeconds(budget.drainDuration.value),
          codes: budget.notices.map(({ code }) => code),
        },
        { ...numbers, margin, accepts, codes },
      );
    });
  }

  const sentences: readonly [string, Partial<Given>, string][] = [
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
      "a limit under which neither drain nor margin can shrink",
      { margin: 60, minimumDrainDuration: 60, drain: explicit(5), grace: { users: 1, max: 60 } },
      "the grace period is limited to 60s, but the budget needs 14s + 60s + 3s = 77s; even with drain timeout 5s it needs 77s.",
    ],
    [
      "a broken rule names the value",
      { loadBalancer: alb, drain: explicit(10) },
      "the budget does not hold: the drain timeout of 10s is shorter than the 60s in which the load balancer sees the drain answer.",
    ],
  ];
  for (const [name, input, text] of sentences) {
    it(name, () => assert.equal(budgetOf({ ...base, ...input }).notices[0]?.text, text));
  }

  const milliseconds: readonly [string, Given["drain"], string | undefined][] = [
    ["a p99 in milliseconds is asked about", p99(20_000), "did you mean 20s?"],
    ["so is a drain timeout", explicit(2500), "did you mean 2.5s?"],
    ["an hour is meant", p99(3600), undefined],
    ["what is not round in milliseconds is meant", p99(1234), undefined],
  ];
  for (const [name, drain, question] of milliseconds) {
    it(name, () => {
      const told = budgetOf({ ...base, drain }).notices.find(({ code }) => code === "GG306")?.text;
      if (question === undefined) assert.equal(told, undefined);
      else assert.ok(told?.endsWith(question), told);
    });
  }

  it("what fits is never asked about", () => {
    const fits = budgetOf({ ...base, drain: p99(2000), grace: { users: 30, max: 3600 } });
    assert.deepEqual(fits.notices, []);
  });

  it("the arithmetic is the sum that decided", () => {
    assert.equal(written(budgetOf(base).formula), "max(36s + 9s, 36s) + 30s = 75s");
    assert.equal(written(budgetOf({ ...base, minimumDrainDuration: 50 }).formula), "45s + 50s + 3s = 98s");
    assert.equal(written(budgetOf({ ...base, exitOnZero: false }).formula), "45s + 36s + 30s = 111s");
  });
});

describe("for every gateway", () => {
  /** Whole seconds, and spans to the millisecond. */
  const span = (max: number) =>
    fc.oneof(
      fc.integer({ min: 0, max }),
      fc.integer({ min: 0, max: max * 1000 }).map((count) => count / 1000),
    );
  const stops = fc.oneof(
    fc.constantFrom(stop("Hold"), stop("Sleep"), stop("Sigterm"), stop("None")),
    span(200).map(own),
  );
  const input = fc.record({
    drain: fc.oneof(span(300).map(p99), span(300).map(explicit)),
    loadBalancer: fc
      .record({ base: fc.constantFrom(generic, haproxy, alb), lbBuffer: span(100) })
      .map(({ base: lb, lbBuffer }) => ({ ...lb, lbBuffer: buffer(seconds(lbBuffer)) })),
    terminationDrainDuration: fc.option(span(300), { nil: undefined }),
    minimumDrainDuration: fc.option(span(100), { nil: undefined }),
    exitOnZero: fc.boolean(),
    proxyStop: stops,
    margin: span(60),
    grace: fc.record({ users: fc.integer({ min: 0, max: 400 }), max: fc.integer({ min: 1, max: 900 }) }),
  });

  it("every invariant holds, or a notice says which does not", () => {
    fc.assert(
      fc.property(input, (given) => {
        const b = numbersOf(budgetOf(given));
        const { loadBalancer, proxyStop } = given;
        const answered = loadBalancer.drainAnswer !== undefined && b.hook < b.drainTimeout + b.lbBuffer;
        const lbNeeds = (answered ? loadBalancer.detection : b.drainTimeout) + b.lbBuffer;
        const holds = [
          b.gracePeriod > b.terminationDrainDuration,
          b.gracePeriod > b.drainTimeout + b.lbBuffer,
          b.gracePeriod >= b.hook + b.minimumDrainDuration + 1000,
          b.hook + (b.exitOnZero ? b.minimumDrainDuration : b.terminationDrainDuration) >= lbNeeds,
          proxyStop.kind !== "Hold" || b.gracePeriod - b.hook >= b.minimumDrainDuration + 3000,
          b.drainTimeout >= loadBalancer.detection,
        ].every((rule) => rule);
        const told = b.notices.some(({ code }) => code === "GG302" || code === "GG301");
        assert.ok(holds || told, JSON.stringify(b));
        assert.ok(b.gracePeriod >= seconds(given.grace.users));
        assert.ok(b.gracePeriod <= seconds(Math.max(given.grace.users, given.grace.max)));
      }),
      { numRuns: 2000 },
    );
  });

  it("nothing shrinks where the limit allows all", () => {
    fc.assert(
      fc.property(input, (given) => {
        const b = budgetOf({ ...given, grace: { users: 30, max: 86_400 } });
        assert.equal(b.margin, seconds(given.margin));
        assert.ok(!b.notices.some(({ code }) => code === "GG301"));
        if ("drainTimeout" in given.drain) assert.equal(b.drainTimeout.value, given.drain.drainTimeout.value);
      }),
    );
  });

  it("every number is of whole milliseconds, and what Kubernetes and Istio get of whole seconds", () => {
    fc.assert(
      fc.property(input, (given) => {
        const b = numbersOf(budgetOf(given));
        for (const number of [b.drainTimeout, b.lbBuffer, b.hook, b.margin, b.needs])
          assert.ok(Number.isInteger(number));
        assert.equal(b.gracePeriod % 1000, 0);
        if (given.terminationDrainDuration === undefined) assert.equal(b.terminationDrainDuration % 1000, 0);
        if (given.minimumDrainDuration === undefined) assert.equal(b.minimumDrainDuration % 1000, 0);
        if (given.proxyStop.kind === "Sleep") assert.equal(b.hook % 1000, 0);
      }),
    );
  });

  it("what nothing limits needs no second more than the exact sum", () => {
    fc.assert(
      fc.property(input, (given) => {
        const b = numbersOf(
          budgetOf({ ...given, proxyStop: stop("Hold"), exitOnZero: true, grace: { users: 0, max: 86_400 } }),
        );
        const drained = Math.max(b.drainTimeout + b.lbBuffer, b.terminationDrainDuration) + b.margin;
        const exact = Math.max(drained, b.hook + b.minimumDrainDuration + 3000);
        assert.equal(b.gracePeriod, Math.ceil(exact / 1000) * 1000);
      }),
    );
  });

  it("a longer request, buffer or margin never needs a shorter grace period", () => {
    fc.assert(
      fc.property(input, fc.integer({ min: 1, max: 5000 }), (given, more) => {
        const needs = (other: Given) => budgetOf({ ...other, grace: { users: 0, max: 86_400 } }).needs;
        const longer = (value: number) => ms(seconds(value) + more) / 1000;
        const drain = "drainTimeout" in given.drain ? explicit : p99;
        const old = "drainTimeout" in given.drain ? given.drain.drainTimeout : given.drain.requestP99;
        const lbBuffer = buffer(ms(given.loadBalancer.lbBuffer.value + more));
        const least = needs(given);
        assert.ok(needs({ ...given, drain: drain(longer(inSeconds(old.value))) }) >= least);
        assert.ok(needs({ ...given, loadBalancer: { ...given.loadBalancer, lbBuffer } }) >= least);
        assert.ok(needs({ ...given, margin: longer(given.margin) }) >= least);
      }),
    );
  });
});
