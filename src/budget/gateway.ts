/**
 * The budget of a gateway.
 *
 * hc lets everything in flight flow out (drain timeout), then answers the load balancer with the close answer and waits
 * until it has noticed (LB buffer). With Hold or Sleep the proxy gets its SIGTERM only after both; otherwise its own
 * minimum drain must cover what the load balancer needs.
 */
import type { Notice } from "../codes/registry.ts";
import type { DrainSetting } from "../policy/settings.ts";
import { formatDuration, type Milliseconds, ms, seconds, wholeSeconds } from "../units/milliseconds.ts";
import type { Because, Duration } from "./because.ts";
import {
  AFTER_MINIMUM,
  accepting,
  type Budget,
  type BudgetInput,
  broken,
  drainOf,
  endRules,
  LEAST_DRAIN,
  p99Of,
  UNREADY_LOOKS,
} from "./budget.ts";
import { type Formula, greatest, longest, max, rounded, sum } from "./formula.ts";
import { boundedGrace, fitted, LEAST_MARGIN } from "./limit.ts";
import type { LoadBalancer } from "./load-balancer.ts";

/** What a gateway's budget depends on. */
export interface GatewayInput extends BudgetInput {
  readonly drain: DrainSetting;
  readonly loadBalancer: LoadBalancer;
}

/** Computes the budget of a gateway. */
export function gatewayBudget(input: GatewayInput): Budget {
  const { loadBalancer, margin, grace, proxyStop } = input;
  const wanted = wantedDrain(input);
  const compute = (drainTimeout: Duration, rest: Milliseconds) => withDrain(input, drainTimeout, rest);
  const whole = compute(wanted, margin.value);
  const { computed, notices } = fitted(
    whole,
    {
      drainTimeout: wanted,
      leastDrainTimeout: longest(LEAST_DRAIN, loadBalancer.detection),
      margin: margin.value,
      leastMargin: proxyStop.kind === "Hold" ? ms(whole.minimumDrainDuration.value + AFTER_MINIMUM) : LEAST_MARGIN,
      grace,
    },
    compute,
  );
  const { lbNeeds: _, ...fields } = computed;
  const needs = whole.formula.value;
  const gracePeriod = boundedGrace(computed.formula, needs, grace);
  return { ...fields, needs, gracePeriod, notices: [...notices, ...brokenRules(input, computed, gracePeriod.value)] };
}

/** A computed drain timeout is at least as long as the balancer takes to see the drain answer. */
function wantedDrain({ drain, loadBalancer: { detection } }: GatewayInput): Duration {
  if ("drainTimeout" in drain) return drainOf(drain);
  const p99 = p99Of(drain.requestP99);
  const isLonger = p99.formula.value >= detection;
  return isLonger
    ? { value: p99.formula.value, because: p99 }
    : { value: detection, because: { tag: "detection", p99, detection } };
}

interface Computed extends Omit<Budget, "needs" | "gracePeriod" | "notices"> {
  readonly lbNeeds: Milliseconds;
}

/** The formulas, for one drain timeout and margin. */
function withDrain(input: GatewayInput, drainTimeout: Duration, margin: Milliseconds): Computed {
  const { lbBuffer, detection, drainAnswer } = input.loadBalancer;
  const holds = sum(drainTimeout.value, lbBuffer.value);
  const hook = hookOf(input, holds);
  const lbNeeds = drainAnswer !== undefined && hook.value < holds.value ? sum(detection, lbBuffer.value) : holds;
  const uncovered = ms(lbNeeds.value - hook.value);
  const balancer: Because = { tag: "balancer", needs: lbNeeds, hook: hook.value };
  const terminationDrainDuration = drainDurationOf(input, drainTimeout, { value: uncovered, because: balancer });
  const minimumDrainDuration = input.minimumDrainDuration ?? {
    value: wholeSeconds(longest(LEAST_DRAIN, uncovered)),
    because: uncovered > LEAST_DRAIN ? balancer : { tag: "least minimum", held: input.proxyStop.kind === "Hold" },
  };

  const drained = sum(max(holds, terminationDrainDuration.value), margin);
  const proxyGone = sum(hook.value, minimumDrainDuration.value, AFTER_MINIMUM);
  // Without EXIT_ON_ZERO the proxy's own drain takes its whole time, and starts only when the hook ends.
  const proxyDrained =
    !input.exitOnZero && hook.value > 0 ? [sum(hook.value, terminationDrainDuration.value, margin)] : [];
  return {
    drainTimeout,
    lbBuffer,
    hook,
    appStop: seconds(0),
    lbNeeds: lbNeeds.value,
    terminationDrainDuration,
    minimumDrainDuration,
    exitOnZero: input.exitOnZero,
    drainDuration: accepting(wholeSeconds(ms(holds.value + LEAST_DRAIN - hook.value)), input),
    margin,
    formula: rounded(greatest(drained, ...proxyDrained, proxyGone)),
  };
}

function hookOf({ proxyStop }: GatewayInput, holds: Formula): Duration {
  switch (proxyStop.kind) {
    case "Hold":
      return { value: holds.value, because: { tag: "sum", formula: holds } };
    case "Sleep": {
      const formula = rounded(holds);
      return { value: formula.value, because: { tag: "sum", formula } };
    }
    case "own":
      return { value: proxyStop.length ?? seconds(0), because: { tag: "own hook" } };
    default:
      return { value: seconds(0), because: { tag: "no hook" } };
  }
}

/** The longest of what somebody set, the drain timeout, and what the balancer needs after the hook. */
function drainDurationOf(
  { terminationDrainDuration: set }: GatewayInput,
  drainTimeout: Duration,
  uncovered: Duration,
): Duration {
  const none = seconds(0);
  const own: Duration = {
    value: wholeSeconds(drainTimeout.value),
    because: { tag: "drain", appStop: none, drainTimeout, hook: none },
  };
  const computed = uncovered.value > own.value ? { ...uncovered, value: wholeSeconds(uncovered.value) } : own;
  return set !== undefined && set.value >= computed.value ? set : computed;
}

/** What an explicit value or the limit broke. */
function brokenRules(input: GatewayInput, computed: Computed, gracePeriod: Milliseconds): readonly Notice[] {
  const { lbNeeds } = computed;
  const { detection } = input.loadBalancer;
  const [drainTimeout, lbBuffer, hook] = [computed.drainTimeout.value, computed.lbBuffer.value, computed.hook.value];
  const minimum = computed.minimumDrainDuration.value;
  const drain = input.exitOnZero ? minimum : computed.terminationDrainDuration.value;
  const drainName = input.exitOnZero ? "MINIMUM_DRAIN_DURATION" : "terminationDrainDuration";
  const unready = seconds(UNREADY_LOOKS);
  const text = (span: number) => formatDuration(ms(span));
  const [outlastsDrain, outlastsProxy] = endRules(computed, gracePeriod);
  return broken([
    [
      gracePeriod > drainTimeout + lbBuffer,
      () =>
        `the grace period of ${text(gracePeriod)} ends before the drain and the LB buffer do (${text(drainTimeout)} + ${text(lbBuffer)})`,
    ],
    outlastsDrain,
    outlastsProxy,
    [
      input.proxyStop.kind !== "Hold" || gracePeriod - hook >= minimum + AFTER_MINIMUM,
      () =>
        `${text(gracePeriod - hook)} are left after the drain, less than MINIMUM_DRAIN_DURATION ${text(minimum)} + ${text(AFTER_MINIMUM)}`,
    ],
    [
      hook + drain >= lbNeeds,
      () =>
        `the proxy may leave after ${text(hook + drain)} (${drainName} ${text(drain)}), but the load balancer needs ${text(lbNeeds)}`,
    ],
    [
      input.proxyStop.kind !== "Hold" || minimum > unready,
      () =>
        `MINIMUM_DRAIN_DURATION ${text(minimum)} is not longer than the ${text(unready)} after which the pod is not Ready, so connections may be refused`,
    ],
    [
      drainTimeout >= detection,
      () =>
        `the drain timeout of ${text(drainTimeout)} is shorter than the ${text(detection)} in which the load balancer sees the drain answer`,
    ],
  ]);
}
