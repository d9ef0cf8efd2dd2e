/**
 * How long a new gateway must be Ready before the next one may stop: until the load balancer has it UP again.
 *
 * Without that a rollout takes the last gateway out of the balancer before the first is back in (11 requests lost where
 * 0 were with it). hc cannot wait for it: a pod that is not Ready gets no check.
 */
import type { LbSettings } from "../policy/settings.ts";
import type { Seconds } from "../units/duration.ts";
import { loadBalancerOf } from "./load-balancer.ts";

/** kube-proxy's time to send the first check to a new pod, seconds. */
const KUBE_PROXY: Seconds = 2;

/** A number and how it came about. */
export interface Reckoned {
  readonly seconds: Seconds;
  /** For people: `1s + 2 × 2s + 2s = 7s`. */
  readonly arithmetic: string;
}

/** The least minReadySeconds of a gateway's workload: a check that was begun too early, rise × interval, and kube-proxy. */
export function minReadySeconds(settings: LbSettings): Reckoned {
  const { checkInterval, checkTimeout: timeout, checkRise: rise } = loadBalancerOf(settings);
  const seconds = timeout + rise * checkInterval + KUBE_PROXY;
  return { seconds, arithmetic: `${timeout}s + ${rise} × ${checkInterval}s + ${KUBE_PROXY}s = ${seconds}s` };
}

/** A way back whose first check comes at another pace than the others. */
export interface WayBack {
  readonly checkTimeout: Seconds;
  /** Until the first check of a backend that is DOWN. */
  readonly first: Seconds;
  /** How many more there must be. */
  readonly others: number;
  /** Between those. */
  readonly interval: Seconds;
}

/** The least minReadySeconds where a balancer asks a backend that is DOWN at a pace of its own. */
export function minReadyOfDown({ checkTimeout, first, others, interval }: WayBack): Reckoned {
  const seconds = checkTimeout + first + others * interval + KUBE_PROXY;
  return {
    seconds,
    arithmetic: `${checkTimeout}s + ${first}s + ${others} × ${interval}s + ${KUBE_PROXY}s = ${seconds}s`,
  };
}
