/**
 * A budget as a list of its numbers, each with the arithmetic that made it: what `plan` shows.
 */
import type { Duration } from "../../budget/because.ts";
import type { Budget } from "../../budget/budget.ts";
import { type Formula, times, written } from "../../budget/formula.ts";
import type { LoadBalancer } from "../../budget/load-balancer.ts";
import type { Milliseconds } from "../../units/milliseconds.ts";
import { arithmeticOf } from "../because.ts";

/** One number of a budget. */
export interface Term {
  /** For people, as the vocabulary has it. */
  readonly name: string;
  /** For programs. */
  readonly key: string;
  readonly span: Milliseconds;
  readonly arithmetic: string;
}

/** The numbers of a gateway. */
export function gatewayTerms(budget: Budget, balancer: LoadBalancer, minReady: Formula): readonly Term[] {
  const { drainAnswer, detection, checkInterval, checkFall } = balancer;
  const seen = detection === checkInterval ? "1 × interval" : written(times(checkInterval, checkFall));
  return [
    of("drainTimeout", "drain timeout", budget.drainTimeout),
    of("lbBuffer", "LB buffer", budget.lbBuffer),
    ...(drainAnswer === undefined ? [] : [term("detection", "drain answer is seen in", detection, seen)]),
    of("preStop", "istio-proxy's preStop", budget.hook),
    ...proxyTerms(budget),
    term("minReadySeconds", "minReadySeconds", minReady.value, written(minReady)),
  ];
}

/** The numbers of a sidecar. */
export function sidecarTerms(budget: Budget): readonly Term[] {
  const { appStop } = budget;
  return [
    ...(appStop > 0 ? [term("applicationPreStop", "application's preStop", appStop, "as set")] : []),
    of("drainTimeout", "drain timeout", budget.drainTimeout),
    ...proxyTerms(budget),
  ];
}

function proxyTerms({ terminationDrainDuration, minimumDrainDuration, gracePeriod }: Budget): readonly Term[] {
  return [
    of("terminationDrainDuration", "termination drain duration", terminationDrainDuration),
    of("minimumDrainDuration", "minimum drain duration", minimumDrainDuration),
    of("gracePeriod", "grace period", gracePeriod),
  ];
}

function of(key: string, name: string, span: Duration): Term {
  return term(key, name, span.value, arithmeticOf(span));
}

function term(key: string, name: string, span: Milliseconds, arithmetic: string): Term {
  return { key, name, span, arithmetic };
}
