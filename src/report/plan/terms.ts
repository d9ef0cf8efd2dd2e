/**
 * A budget as a list of its numbers, each with the arithmetic that made it: what `plan` shows.
 */

import { type Budget, LEAST_DRAIN } from "../../budget/budget.ts";
import { drainTimeoutOfP99, P99_FACTOR } from "../../budget/drain-timeout.ts";
import { loadBalancerOf } from "../../budget/load-balancer.ts";
import { minReadySeconds } from "../../budget/min-ready.ts";
import type { DrainSetting, GatewaySettings } from "../../policy/settings.ts";
import type { Seconds } from "../../units/duration.ts";

/** One number of a budget. */
export interface Term {
  /** For people, as the vocabulary has it. */
  readonly name: string;
  /** For programs. */
  readonly key: string;
  readonly seconds: Seconds;
  readonly arithmetic: string;
}

/** The numbers of a gateway. */
export function gatewayTerms(budget: Budget, settings: GatewaySettings): readonly Term[] {
  const balancer = loadBalancerOf(settings.loadBalancer);
  const { drainTimeout, lbBuffer, hook, terminationDrainDuration, minimumDrainDuration } = budget;
  const ready = minReadySeconds(settings.loadBalancer);
  return [
    term(
      "drainTimeout",
      "drain timeout",
      drainTimeout,
      drainArithmetic(settings.drain, drainTimeout, balancer.detection),
    ),
    term(
      "lbBuffer",
      "LB buffer",
      lbBuffer,
      settings.loadBalancer.buffer === undefined ? `${balancer.lbBufferFrom} = ${lbBuffer}s` : "as set",
    ),
    ...(balancer.drainAnswer === undefined
      ? []
      : [
          term(
            "detection",
            "drain answer is seen in",
            balancer.detection,
            balancer.detection === balancer.checkInterval
              ? "1 × interval"
              : `${balancer.checkInterval}s × ${balancer.checkFall} = ${balancer.detection}s`,
          ),
        ]),
    term("preStop", "istio-proxy's preStop", hook, hook > 0 ? `${drainTimeout}s + ${lbBuffer}s = ${hook}s` : "none"),
    term(
      "terminationDrainDuration",
      "termination drain duration",
      terminationDrainDuration,
      terminationDrainDuration === drainTimeout ? "the drain timeout" : "as set, or what the balancer needs",
    ),
    term(
      "minimumDrainDuration",
      "minimum drain duration",
      minimumDrainDuration,
      minimumDrainDuration === LEAST_DRAIN
        ? "the proxy's own least"
        : "what the balancer needs after the preStop, or as set",
    ),
    term("gracePeriod", "grace period", budget.gracePeriod, graceArithmetic(budget)),
    term("minReadySeconds", "minReadySeconds", ready.seconds, ready.arithmetic),
  ];
}

/** The numbers of a sidecar. */
export function sidecarTerms(budget: Budget, drain: DrainSetting | undefined): readonly Term[] {
  const { appStop, drainTimeout, terminationDrainDuration: drained } = budget;
  return [
    ...(appStop > 0 ? [term("applicationPreStop", "application's preStop", appStop, "as set")] : []),
    term("drainTimeout", "drain timeout", drainTimeout, drainArithmetic(drain, drainTimeout, 0)),
    term(
      "terminationDrainDuration",
      "termination drain duration",
      drained,
      drained !== appStop + drainTimeout
        ? "as set, or Istio's own least"
        : appStop > 0
          ? `${appStop}s + ${drainTimeout}s = ${drained}s`
          : "the drain timeout",
    ),
    term(
      "minimumDrainDuration",
      "minimum drain duration",
      budget.minimumDrainDuration,
      budget.minimumDrainDuration === LEAST_DRAIN ? "the proxy's own least" : "the application's preStop",
    ),
    term("gracePeriod", "grace period", budget.gracePeriod, graceArithmetic(budget)),
  ];
}

function term(key: string, name: string, seconds: Seconds, arithmetic: string): Term {
  return { key, name, seconds, arithmetic };
}

function drainArithmetic(drain: DrainSetting | undefined, result: Seconds, detection: Seconds): string {
  if (drain === undefined) return "what the grace period leaves";
  if ("drainTimeout" in drain) {
    return drain.drainTimeout.value === result ? "as set" : `as set ${drain.drainTimeout.value}s, shortened to fit`;
  }
  const p99 = drain.requestP99.value;
  const wanted = drainTimeoutOfP99(p99);
  const isExact = Math.abs(p99 * P99_FACTOR - wanted) < 1e-6;
  if (wanted === result) return `p99 ${p99}s × ${P99_FACTOR}${isExact ? "" : ", rounded up,"} = ${wanted}s`;
  return result === detection
    ? `max(p99 ${p99}s × ${P99_FACTOR}, ${detection}s until the drain answer is seen)`
    : `p99 ${p99}s × ${P99_FACTOR} = ${wanted}s, shortened to fit`;
}

function graceArithmetic({ arithmetic, needs, gracePeriod }: Budget): string {
  if (needs === gracePeriod) return arithmetic;
  return gracePeriod > needs ? `the pod's own; needed are ${needs}s` : `the limit; needed were ${needs}s`;
}
