import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { inSeconds, seconds } from "../units/milliseconds.ts";
import { setBy } from "./because.ts";
import type { Budget, ProxyStop } from "./budget.ts";
import { written } from "./formula.ts";
import { type SidecarInput, sidecarBudget } from "./sidecar.ts";

const explicit = (value: number) =>
  ({ drainTimeout: { value: seconds(value), level: 4, origin: "GracePolicy shop/default" } }) as const;
const p99 = (value: number) =>
  ({ requestP99: { value: seconds(value), level: 4, origin: "GracePolicy shop/default" } }) as const;
const stop = (kind: "Sleep" | "Sigterm" | "None"): ProxyStop => ({ kind });
const own = (length: number | undefined): ProxyStop => ({
  kind: "own",
  length: length === undefined ? undefined : seconds(length),
});
const apps = (...stops: number[]) =>
  stops.map((value, index) => ({ container: `app${index}`, length: seconds(value) }));

/** An input with durations in seconds. */
interface Given extends Pick<SidecarInput, "drain" | "appStops" | "exitOnZero" | "proxyStop"> {
  readonly terminationDrainDuration: number | undefined;
  readonly usersTerminationDrainDuration: number | undefined;
  readonly minimumDrainDuration: number | undefined;
  readonly margin: number;
  readonly grace: { readonly users: number; readonly max: number };
  readonly meshDrainDuration?: number;
}

const inputOf = (given: Given): SidecarInput => {
  const { terminationDrainDuration, usersTerminationDrainDuration, minimumDrainDuration, margin, grace } = given;
  const sourced = (value: number) => ({ value: seconds(value), level: 4, origin: "GracePolicy shop/default" }) as const;
  const set = (name: string, value: number | undefined) =>
    value === undefined ? undefined : setBy(name, sourced(value));
  const optional = (value: number | undefined) => (value === undefined ? undefined : seconds(value));
  return {
    ...given,
    terminationDrainDuration: set("terminationDrainDuration", terminationDrainDuration),
    writtenDrain:
      usersTerminationDrainDuration === undefined
        ? undefined
        : { value: seconds(usersTerminationDrainDuration), because: { tag: "own drain" } },
    minimumDrainDuration: set("minimumDrainDuration", minimumDrainDuration),
    margin: sourced(margin),
    grace: { users: sourced(grace.users), max: sourced(grace.max) },
    meshDrainDuration: optional(given.meshDrainDuration),
  };
};
const budgetOf = (given: Given): Budget => sidecarBudget(inputOf(given));

const base: Given = {
  drain: undefined,
  appStops: [],
  terminationDrainDuration: undefined,
  usersTerminationDrainDuration: undefined,
  minimumDrainDuration: undefined,
  exitOnZero: true,
  proxyStop: stop("Sigterm"),
  margin: 5,
  grace: { users: 30, max: 600 },
};
const users = (time: number) => ({ terminationDrainDuration: time, usersTerminationDrainDuration: time });

interface Numbers {
  readonly drain: number;
  readonly hook?: number;
  readonly stop?: number;
  readonly tdd: number;
  readonly minimum: number;
  readonly grace: number;
  readonly margin?: number;
  readonly accepts?: number;
  readonly codes?: readonly string[];
}

describe("the budget of a sidecar, worked out by hand from SPEC 6", () => {
  const cases: readonly [string, Partial<Given>, Numbers][] = [
    ["nothing set and grace 30: unchanged", {}, { drain: 25, tdd: 25, minimum: 5, grace: 30 }],
    [
      "a user's terminationDrainDuration of 40 s needs 45 s",
      { ...users(40), exitOnZero: false },
      { drain: 40, tdd: 40, minimum: 5, grace: 45 },
    ],
    [
      "the user's less the application's stop",
      { ...users(40), exitOnZero: false, appStops: apps(10) },
      { drain: 30, stop: 10, tdd: 40, minimum: 10, grace: 45 },
    ],
    ["a user's of 2 s is the least", { ...users(2), exitOnZero: false }, { drain: 5, tdd: 5, minimum: 5, grace: 30 }],
    [
      "a policy's terminationDrainDuration is not a wish for the drain",
      { terminationDrainDuration: 40 },
      { drain: 25, tdd: 40, minimum: 5, grace: 45 },
    ],
    ["a p99 of 30 s", { drain: p99(30) }, { drain: 36, tdd: 36, minimum: 5, grace: 41 }],
    ["an explicit drain timeout", { drain: explicit(60) }, { drain: 60, tdd: 60, minimum: 5, grace: 65, accepts: 60 }],
    ["a drain timeout of 0 is the least drain", { drain: explicit(0) }, { drain: 0, tdd: 5, minimum: 5, grace: 30 }],
    [
      "an application's stop of 10 s is taken out of the grace",
      { appStops: apps(10) },
      { drain: 15, stop: 10, tdd: 25, minimum: 10, grace: 30 },
    ],
    [
      "the longest of several stops counts",
      { appStops: apps(3, 10, 7) },
      { drain: 15, stop: 10, tdd: 25, minimum: 10, grace: 30 },
    ],
    ["a stop that leaves the least", { appStops: apps(20) }, { drain: 5, stop: 20, tdd: 25, minimum: 20, grace: 30 }],
    [
      "a stop longer than the grace raises it",
      { appStops: apps(40) },
      { drain: 5, stop: 40, tdd: 45, minimum: 40, grace: 50 },
    ],
    [
      "beyond 45 s Envoy must accept for longer",
      { appStops: apps(41) },
      { drain: 5, stop: 41, tdd: 46, minimum: 41, grace: 51, accepts: 46 },
    ],
    [
      "a long grace is not all for draining",
      { grace: { users: 120, max: 600 } },
      { drain: 40, tdd: 40, minimum: 5, grace: 120 },
    ],
    [
      "Sleep holds for the application's stop",
      { proxyStop: stop("Sleep"), appStops: apps(10) },
      { drain: 15, hook: 10, stop: 10, tdd: 15, minimum: 5, grace: 30 },
    ],
    [
      "Sleep holds for 5 s at least",
      { proxyStop: stop("Sleep") },
      { drain: 25, hook: 5, tdd: 20, minimum: 5, grace: 30 },
    ],
    [
      "a user's own hook counts",
      { proxyStop: own(7), appStops: apps(10) },
      { drain: 15, hook: 7, stop: 10, tdd: 18, minimum: 5, grace: 30 },
    ],
    [
      "one that cannot be read counts as none",
      { proxyStop: own(undefined), appStops: apps(10) },
      { drain: 15, stop: 10, tdd: 25, minimum: 10, grace: 30 },
    ],
    [
      "without EXIT_ON_ZERO and without a wish: the least",
      { exitOnZero: false },
      { drain: 5, tdd: 5, minimum: 5, grace: 30 },
    ],
    [
      "a long minimum drain needs a longer grace",
      { minimumDrainDuration: 60 },
      { drain: 25, tdd: 25, minimum: 60, grace: 66, accepts: 61 },
    ],
    [
      "a minimum drain shorter than the application's stop warns",
      { minimumDrainDuration: 3, appStops: apps(10) },
      { drain: 15, stop: 10, tdd: 25, minimum: 3, grace: 30, codes: ["GG302"] },
    ],
    [
      "it does not matter without EXIT_ON_ZERO",
      { minimumDrainDuration: 3, appStops: apps(10), exitOnZero: false },
      { drain: 5, stop: 10, tdd: 15, minimum: 3, grace: 30 },
    ],
    [
      "a stop beyond the limit counts as what it leaves",
      { appStops: apps(100), grace: { users: 30, max: 60 } },
      { drain: 5, stop: 49, tdd: 54, minimum: 49, grace: 59, accepts: 54, codes: ["GG304"] },
    ],
    [
      "a limit shrinks the drain timeout",
      { drain: explicit(60), grace: { users: 30, max: 30 } },
      { drain: 25, tdd: 25, minimum: 5, grace: 30, codes: ["GG301"] },
    ],
    [
      "then the margin, not under 3 s",
      { drain: explicit(60), grace: { users: 9, max: 9 } },
      { drain: 5, tdd: 5, minimum: 5, grace: 9, margin: 3, codes: ["GG301"] },
    ],
    [
      "an explicit terminationDrainDuration does not shrink, and the limit wins",
      { terminationDrainDuration: 100, grace: { users: 30, max: 60 } },
      { drain: 5, tdd: 100, minimum: 5, grace: 60, margin: 3, accepts: 100, codes: ["GG301", "GG302"] },
    ],
    [
      "the mesh's longer drainDuration is enough",
      { drain: explicit(60), meshDrainDuration: 60 },
      { drain: 60, tdd: 60, minimum: 5, grace: 65 },
    ],
  ];
  for (const [name, input, numbers] of cases) {
    it(name, () => {
      const budget = budgetOf({ ...base, ...input });
      const { margin = 5, accepts, codes = [], hook = 0, stop: appStop = 0 } = numbers;
      assert.deepEqual(
        {
          drain: inSeconds(budget.drainTimeout.value),
          hook: inSeconds(budget.hook.value),
          stop: inSeconds(budget.appStop),
          tdd: inSeconds(budget.terminationDrainDuration.value),
          minimum: inSeconds(budget.minimumDrainDuration.value),
          grace: inSeconds(budget.gracePeriod.value),
          margin: inSeconds(budget.margin),
          accepts: budget.drainDuration && inSeconds(budget.drainDuration.value),
          codes: budget.notices.map(({ code }) => code),
        },
        { ...numbers, margin, accepts, codes, hook, stop: appStop },
      );
      assert.equal(budget.lbBuffer.value, 0);
    });
  }

  const sentences: readonly [string, Partial<Given>, string][] = [
    [
      "a limit shows the arithmetic",
      { drain: explicit(60), grace: { users: 30, max: 30 } },
      "the grace period is limited to 30s, but the budget needs 60s + 5s = 65s; drain timeout 25s.",
    ],
    [
      "a limit that nothing fits",
      { terminationDrainDuration: 100, grace: { users: 30, max: 60 } },
      "the grace period is limited to 60s, but the budget needs 100s + 5s = 105s; even with drain timeout 5s, margin 3s it needs 103s.",
    ],
    [
      "a stop that is too long names its container",
      { appStops: apps(1, 100), grace: { users: 30, max: 60 } },
      'container "app1" stops for 100s, but the limit of 60s leaves 49s; the budget counts 49s.',
    ],
  ];
  for (const [name, input, text] of sentences) {
    it(name, () => assert.equal(budgetOf({ ...base, ...input }).notices[0]?.text, text));
  }

  it("the arithmetic begins with the hook, where there is one", () => {
    assert.equal(written(budgetOf({ ...base, proxyStop: stop("Sleep") }).formula), "5s + 20s + 5s = 30s");
  });
});

describe("for every sidecar", () => {
  /** Whole seconds, and spans to the millisecond. */
  const span = (max: number) =>
    fc.oneof(
      fc.integer({ min: 0, max }),
      fc.integer({ min: 0, max: max * 1000 }).map((count) => count / 1000),
    );
  const optional = (max: number) => fc.option(span(max), { nil: undefined });
  const input = fc.record({
    drain: fc.oneof(fc.constant(undefined), span(300).map(p99), span(300).map(explicit)),
    appStops: fc.array(span(200), { maxLength: 3 }).map((list) => apps(...list)),
    terminationDrainDuration: optional(300),
    usersTerminationDrainDuration: optional(300),
    minimumDrainDuration: optional(100),
    exitOnZero: fc.boolean(),
    proxyStop: fc.oneof(fc.constantFrom(stop("Sleep"), stop("Sigterm"), stop("None")), span(100).map(own)),
    margin: span(60),
    grace: fc.record({ users: fc.integer({ min: 0, max: 400 }), max: fc.integer({ min: 1, max: 900 }) }),
  });

  it("every invariant holds, or a notice says which does not", () => {
    fc.assert(
      fc.property(input, (given) => {
        const b = budgetOf(given);
        const [grace, hook, drain] = [b.gracePeriod.value, b.hook.value, b.terminationDrainDuration.value];
        const holds = [
          grace > drain,
          grace >= hook + b.minimumDrainDuration.value + 1000,
          hook + drain >= b.appStop + b.drainTimeout.value,
          hook <= grace,
        ].every((rule) => rule);
        assert.ok(holds || b.notices.length > 0, JSON.stringify(b));
        assert.ok(grace >= seconds(given.grace.users));
        assert.ok(grace <= seconds(Math.max(given.grace.users, given.grace.max)));
      }),
      { numRuns: 2000 },
    );
  });

  it("every number is of whole milliseconds, and what Kubernetes and Istio get of whole seconds", () => {
    fc.assert(
      fc.property(input, (given) => {
        const b = budgetOf(given);
        for (const { value } of [b.drainTimeout, b.hook, b.gracePeriod]) assert.ok(Number.isInteger(value));
        assert.equal(b.gracePeriod.value % 1000, 0);
        if (given.terminationDrainDuration === undefined) assert.equal(b.terminationDrainDuration.value % 1000, 0);
        if (given.minimumDrainDuration === undefined) assert.equal(b.minimumDrainDuration.value % 1000, 0);
      }),
    );
  });

  it("a longer stop or margin never needs a shorter grace period, with a drain that is set", () => {
    fc.assert(
      fc.property(input, span(50), (given, more) => {
        const set = { ...given, drain: given.drain ?? explicit(20), grace: { users: 0, max: 86_400 } };
        const least = budgetOf(set).needs;
        assert.ok(budgetOf({ ...set, margin: set.margin + more }).needs >= least);
        const stops = set.appStops.map(({ container, length }) => ({
          container,
          length: seconds(inSeconds(length) + more),
        }));
        assert.ok(budgetOf({ ...set, appStops: stops }).needs >= least);
      }),
    );
  });
});
