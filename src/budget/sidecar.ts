/**
 * The budget of a sidecar.
 *
 * The proxy must outlive the application: its preStop (appStop) and then the requests that it still answers (drain
 * timeout). Nothing set, it takes what the pod's grace period leaves. A native sidecar uses none of the proxy's own
 * durations, since Istio's hook drains it; its application needs the same time.
 */
import { type Notice, notice } from "../codes/registry.ts";
import type { DrainSetting } from "../policy/settings.ts";
import { formatDuration, inSeconds, type Milliseconds, ms, seconds, wholeSeconds } from "../units/milliseconds.ts";
import type { Duration } from "./because.ts";
import {
  AGENT_TICK,
  accepting,
  type Budget,
  type BudgetInput,
  broken,
  drainOf,
  endRules,
  LEAST_DRAIN,
} from "./budget.ts";
import { longest, rounded, sum } from "./formula.ts";
import { boundedGrace, fitted, LEAST_MARGIN, limitOf } from "./limit.ts";

/** Most that a sidecar drains for when only the grace period limits it: a long grace is not all for draining. */
export const MOST_LEFT_OVER: Milliseconds = seconds(40);

/** An application container's preStop, as it counts. */
export interface AppStop {
  readonly container: string;
  /** 0 where it cannot be read. */
  readonly length: Milliseconds;
  /** There is a preStop whose length cannot be read. */
  readonly isUnread?: boolean;
}

/** What a sidecar's budget depends on. */
export interface SidecarInput extends BudgetInput {
  readonly drain: DrainSetting | undefined;
  /** preStops whose length is known, also the ones that are added. */
  readonly appStops: readonly AppStop[];
  /** A terminationDrainDuration for this pod; the drain timeout follows it where nothing else says one. */
  readonly writtenDrain: Duration | undefined;
}

/** Computes the budget of a sidecar. */
export function sidecarBudget(input: SidecarInput): Budget {
  const { margin, grace } = input;
  const stop = longestStop(input, limitOf(grace).value);
  const wanted = wantedDrain(input, stop.appStop);
  const compute = (drainTimeout: Duration, rest: Milliseconds) => withDrain(input, stop.appStop, drainTimeout, rest);
  const whole = compute(wanted, margin.value);
  const { computed, notices } = fitted(
    whole,
    {
      drainTimeout: wanted,
      leastDrainTimeout: LEAST_DRAIN,
      margin: margin.value,
      leastMargin: LEAST_MARGIN,
      grace,
    },
    compute,
  );
  const needs = whole.formula.value;
  const gracePeriod = boundedGrace(computed.formula, needs, grace);
  const told = [...stop.notices, ...notices, ...brokenRules(computed, gracePeriod.value)];
  return { ...computed, needs, gracePeriod, notices: told };
}

function longestStop(input: SidecarInput, limit: Milliseconds) {
  const none: AppStop = { container: "", length: seconds(0) };
  const { container, length } = input.appStops.reduce<AppStop>((a, b) => (b.length > a.length ? b : a), none);
  const most = longest(seconds(0), ms(limit - input.margin.value - LEAST_DRAIN - AGENT_TICK));
  if (length <= most) return { appStop: length, notices: [] };
  const told = { container, seconds: inSeconds(length), most: inSeconds(most), limit: inSeconds(limit) };
  return { appStop: most, notices: [notice("GG304", told)] };
}

function wantedDrain(input: SidecarInput, appStop: Milliseconds): Duration {
  if (input.drain !== undefined) return drainOf(input.drain);
  const own = input.writtenDrain;
  if (own !== undefined) return { ...own, value: longest(LEAST_DRAIN, ms(own.value - appStop)) };
  if (!input.exitOnZero) return { value: LEAST_DRAIN, because: { tag: "least drain" } };
  const { margin } = input;
  const grace = input.grace.users.value;
  const left = longest(ms(grace - margin.value - appStop), LEAST_DRAIN);
  return { value: ms(Math.min(left, MOST_LEFT_OVER)), because: { tag: "left over", grace, margin } };
}

type Computed = Omit<Budget, "needs" | "gracePeriod" | "notices">;

/** The formulas, for one drain timeout and margin. */
function withDrain(input: SidecarInput, appStop: Milliseconds, drainTimeout: Duration, margin: Milliseconds): Computed {
  const hook = hookOf(input, appStop);
  const terminationDrainDuration = drainDurationOf(input, appStop, drainTimeout, hook.value);
  const uncovered = ms(appStop - hook.value);
  const minimumDrainDuration = input.minimumDrainDuration ?? {
    value: wholeSeconds(longest(LEAST_DRAIN, uncovered)),
    because: uncovered > LEAST_DRAIN ? { tag: "outlives", appStop } : { tag: "least minimum", held: false },
  };
  const drain = longest(terminationDrainDuration.value, ms(minimumDrainDuration.value + AGENT_TICK));
  return {
    drainTimeout,
    lbBuffer: { value: seconds(0), because: { tag: "no hook" } },
    hook,
    appStop,
    terminationDrainDuration,
    minimumDrainDuration,
    exitOnZero: input.exitOnZero,
    drainDuration: accepting(wholeSeconds(drain), input),
    margin,
    formula: rounded(hook.value > 0 ? sum(hook.value, drain, margin) : sum(drain, margin)),
  };
}

/** The longest of what somebody set, what application and requests need after the hook, and Istio's least. */
function drainDurationOf(
  { terminationDrainDuration: set }: SidecarInput,
  appStop: Milliseconds,
  drainTimeout: Duration,
  hook: Milliseconds,
): Duration {
  const drained = wholeSeconds(ms(appStop + drainTimeout.value - hook));
  const computed: Duration =
    drained >= LEAST_DRAIN
      ? { value: drained, because: { tag: "drain", appStop, drainTimeout, hook } }
      : { value: LEAST_DRAIN, because: { tag: "least drain" } };
  if (set === undefined || set.value < computed.value) return computed;
  const follows = set.value === computed.value && drainTimeout.because.tag === "own drain";
  return follows ? computed : set;
}

function hookOf({ proxyStop }: SidecarInput, appStop: Milliseconds): Duration {
  if (proxyStop.kind === "Sleep") {
    const formula = rounded(sum(longest(LEAST_DRAIN, appStop)));
    return { value: formula.value, because: { tag: "sum", formula } };
  }
  const own = proxyStop.kind === "own" ? proxyStop.length : undefined;
  return { value: own ?? seconds(0), because: { tag: own === undefined ? "no hook" : "own hook" } };
}

/** What an explicit value or the limit broke. */
function brokenRules(computed: Computed, gracePeriod: Milliseconds): readonly Notice[] {
  const { appStop, exitOnZero } = computed;
  const [drainTimeout, hook] = [computed.drainTimeout.value, computed.hook.value];
  const minimum = computed.minimumDrainDuration.value;
  const text = formatDuration;
  return broken([
    ...endRules(computed, gracePeriod),
    [
      gracePeriod > appStop + drainTimeout,
      () =>
        `the grace period of ${text(gracePeriod)} leaves no time after the drain (application preStop ${text(appStop)} + drain timeout ${text(drainTimeout)})`,
    ],
    [
      !exitOnZero || hook + minimum >= appStop,
      () =>
        `the proxy may leave after ${text(ms(hook + minimum))} (MINIMUM_DRAIN_DURATION ${text(minimum)}), before the application's preStop of ${text(appStop)} ends`,
    ],
  ]);
}
