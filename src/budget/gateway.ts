/**
 * The budget of a gateway.
 *
 * hc lets everything in flight flow out (drain timeout), then answers the load balancer with the close answer and waits
 * until it has noticed (LB buffer). With Hold or Sleep the proxy gets its SIGTERM only after both; otherwise its own
 * minimum drain must cover what the load balancer needs.
 */
import { type Notice, notice } from "../codes/registry.ts";
import type { DrainSetting } from "../policy/settings.ts";
import type { Seconds } from "../units/duration.ts";
import {
  AFTER_MINIMUM,
  type Budget,
  boundedGrace,
  ENVOY_DRAIN,
  type GraceBounds,
  LEAST_DRAIN,
  LEAST_MARGIN,
  limitOf,
  type ProxyStop,
  UNREADY_AFTER,
} from "./budget.ts";
import { drainTimeoutOfP99 } from "./drain-timeout.ts";
import type { LoadBalancer } from "./load-balancer.ts";
import { shrinkToFit } from "./shrink.ts";

/** What a gateway's budget depends on. */
export interface GatewayInput {
  readonly drain: DrainSetting;
  readonly loadBalancer: LoadBalancer;
  /** A policy's, an override's or the user's own; undefined: computed. */
  readonly terminationDrainDuration: Seconds | undefined;
  readonly minimumDrainDuration: Seconds | undefined;
  readonly exitOnZero: boolean;
  readonly proxyStop: ProxyStop;
  readonly margin: Seconds;
  readonly grace: GraceBounds;
  /** The mesh's drainDuration; Envoy's default unless set. */
  readonly meshDrainDuration?: Seconds | undefined;
}

/** Computes the budget of a gateway. */
export function gatewayBudget(input: GatewayInput): Budget {
  const { loadBalancer, grace } = input;
  const wanted =
    "drainTimeout" in input.drain
      ? input.drain.drainTimeout.value
      : Math.max(drainTimeoutOfP99(input.drain.requestP99.value), loadBalancer.detection);
  const whole = withDrain(input, wanted, input.margin);
  const limit = limitOf(grace);
  if (whole.needs <= limit) return finish(input, whole, whole, []);

  const leastMargin = input.proxyStop.kind === "Hold" ? whole.minimumDrainDuration + AFTER_MINIMUM : LEAST_MARGIN;
  const shrunk = shrinkToFit(
    {
      drainTimeout: wanted,
      leastDrainTimeout: Math.max(LEAST_DRAIN, loadBalancer.detection),
      margin: input.margin,
      leastMargin,
    },
    limit,
    (drainTimeout, margin) => withDrain(input, drainTimeout, margin).needs,
  );
  const fitted = withDrain(input, shrunk.drainTimeout, shrunk.margin);
  return finish(input, fitted, whole, [tooSmall(limit, whole, fitted)]);
}

interface Computed extends Omit<Budget, "gracePeriod" | "notices"> {
  readonly lbNeeds: Seconds;
}

/** The formulas, for one drain timeout and margin. */
function withDrain(input: GatewayInput, drainTimeout: Seconds, margin: Seconds): Computed {
  const { lbBuffer, detection, drainAnswer } = input.loadBalancer;
  const holds = drainTimeout + lbBuffer;
  const hook = hookOf(input.proxyStop, holds);
  const lbNeeds = drainAnswer !== undefined && hook < holds ? detection + lbBuffer : holds;
  const terminationDrainDuration = Math.max(input.terminationDrainDuration ?? 0, drainTimeout, lbNeeds - hook);
  const minimumDrainDuration = input.minimumDrainDuration ?? Math.max(LEAST_DRAIN, lbNeeds - hook);
  const accepts = holds + LEAST_DRAIN - hook;

  const drained = Math.max(holds, terminationDrainDuration) + margin;
  const proxyGone = hook + minimumDrainDuration + AFTER_MINIMUM;
  // Without EXIT_ON_ZERO the proxy's own drain takes its whole time, and starts only when the hook ends.
  const proxyDrained = !input.exitOnZero && hook > 0 ? hook + terminationDrainDuration + margin : 0;
  const needs = Math.max(drained, proxyGone, proxyDrained);
  return {
    drainTimeout,
    lbBuffer,
    hook,
    appStop: 0,
    lbNeeds,
    terminationDrainDuration,
    minimumDrainDuration,
    exitOnZero: input.exitOnZero,
    drainDuration: accepts > (input.meshDrainDuration ?? ENVOY_DRAIN) ? accepts : undefined,
    margin,
    needs,
    arithmetic:
      needs === drained
        ? `max(${drainTimeout}s + ${lbBuffer}s, ${terminationDrainDuration}s) + ${margin}s = ${needs}s`
        : needs === proxyDrained
          ? `${hook}s + ${terminationDrainDuration}s + ${margin}s = ${needs}s`
          : `${hook}s + ${minimumDrainDuration}s + ${AFTER_MINIMUM}s = ${needs}s`,
  };
}

function hookOf(stop: ProxyStop, holds: Seconds): Seconds {
  switch (stop.kind) {
    case "Hold":
    case "Sleep":
      return holds;
    case "own":
      return stop.seconds ?? 0;
    default:
      return 0;
  }
}

function tooSmall(limit: Seconds, whole: Computed, fitted: Computed): Notice {
  const { lbBuffer, margin } = fitted;
  const left =
    limit - margin - lbBuffer === fitted.drainTimeout
      ? `drain timeout ${limit}s - ${margin}s - ${lbBuffer}s = ${fitted.drainTimeout}s`
      : `drain timeout ${fitted.drainTimeout}s`;
  const shrunk = fitted.margin < whole.margin ? `${left}, margin ${fitted.margin}s` : left;
  const fits = fitted.needs <= limit ? shrunk : `even with ${shrunk} it needs ${fitted.needs}s`;
  return notice("GG301", { limit, needs: whole.arithmetic, shrunk: fits });
}

function finish(input: GatewayInput, computed: Computed, whole: Computed, notices: readonly Notice[]): Budget {
  const { lbNeeds, ...fields } = computed;
  const gracePeriod = boundedGrace(computed.needs, input.grace);
  return {
    ...fields,
    needs: whole.needs,
    gracePeriod,
    notices: [...notices, ...brokenRules(input, computed, gracePeriod)],
  };
}

/** What an explicit value or the limit broke. */
function brokenRules(input: GatewayInput, computed: Computed, gracePeriod: Seconds): readonly Notice[] {
  const { drainTimeout, lbBuffer, hook, minimumDrainDuration: minimum, lbNeeds } = computed;
  const { detection } = input.loadBalancer;
  const drain = input.exitOnZero ? minimum : computed.terminationDrainDuration;
  const drainName = input.exitOnZero ? "MINIMUM_DRAIN_DURATION" : "terminationDrainDuration";
  const rules: readonly [boolean, string][] = [
    [
      gracePeriod > drainTimeout + lbBuffer,
      `the grace period of ${gracePeriod}s ends before the drain and the LB buffer do (${drainTimeout}s + ${lbBuffer}s)`,
    ],
    [
      gracePeriod > computed.terminationDrainDuration,
      `the grace period of ${gracePeriod}s is not longer than terminationDrainDuration ${computed.terminationDrainDuration}s`,
    ],
    [
      gracePeriod >= hook + minimum + 1,
      `the grace period of ${gracePeriod}s ends before the proxy can (preStop ${hook}s + MINIMUM_DRAIN_DURATION ${minimum}s + 1s)`,
    ],
    [
      input.proxyStop.kind !== "Hold" || gracePeriod - hook >= minimum + AFTER_MINIMUM,
      `${gracePeriod - hook}s are left after the drain, less than MINIMUM_DRAIN_DURATION ${minimum}s + ${AFTER_MINIMUM}s`,
    ],
    [
      hook + drain >= lbNeeds,
      `the proxy may leave after ${hook + drain}s (${drainName} ${drain}s), but the load balancer needs ${lbNeeds}s`,
    ],
    [
      input.proxyStop.kind !== "Hold" || minimum > UNREADY_AFTER,
      `MINIMUM_DRAIN_DURATION ${minimum}s is not longer than the ${UNREADY_AFTER}s after which the pod is not Ready, so connections may be refused`,
    ],
    [
      drainTimeout >= detection,
      `the drain timeout of ${drainTimeout}s is shorter than the ${detection}s in which the load balancer sees the drain answer`,
    ],
  ];
  return rules.filter(([holds]) => !holds).map(([, rule]) => notice("GG302", { rule }));
}
