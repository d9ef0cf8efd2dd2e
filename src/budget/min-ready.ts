/**
 * How long a new gateway must be Ready before the next one may stop: until the load balancer has it UP again.
 *
 * Without that a rollout takes the last gateway out of the balancer before the first is back in (11 requests lost where
 * 0 were with it). hc cannot wait for it: a pod that is not Ready gets no check.
 */
import type { LbSettings } from "../policy/settings.ts";
import { type Milliseconds, seconds } from "../units/milliseconds.ts";
import { type Formula, rounded, sum, timesOf } from "./formula.ts";
import { loadBalancerOf } from "./load-balancer.ts";

/** kube-proxy's time to send the first check to a new pod. */
const KUBE_PROXY: Milliseconds = seconds(2);

/** The least minReadySeconds of a gateway's workload: a check that was begun too early, rise × interval, and kube-proxy. */
export function minReadySeconds(settings: LbSettings): Formula {
  const { checkInterval, checkTimeout, checkRise } = loadBalancerOf(settings);
  return rounded(sum(checkTimeout, timesOf(checkRise, checkInterval), KUBE_PROXY));
}

/** A way back whose first check comes at another pace than the others. */
export interface WayBack {
  readonly checkTimeout: Milliseconds;
  /** Until the first check of a backend that is DOWN. */
  readonly first: Milliseconds;
  /** How many more there must be. */
  readonly others: number;
  /** Between those. */
  readonly interval: Milliseconds;
}

/** The least minReadySeconds where a balancer asks a backend that is DOWN at a pace of its own. */
export function minReadyOfDown({ checkTimeout, first, others, interval }: WayBack): Formula {
  return rounded(sum(checkTimeout, first, timesOf(others, interval), KUBE_PROXY));
}
