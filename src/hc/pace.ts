/**
 * How often hc looks, by phase. Pure.
 */
import type { Situation } from "./due.ts";

/** While the proxy starts: a pod should be in the load balancer soon after it can serve. Milliseconds. */
const STARTING_MS = 200;

/** Between a refusal and the look that confirms it, once the proxy's end is expected. Milliseconds. */
const CONFIRM_MS = 250;

/** How much rarer the stats are looked at while nothing depends on them. */
const RARELY = 5;

/** The pause between two looks at the readiness, milliseconds. */
export function readinessPauseMs({ machine, view, timing }: Situation): number {
  if (machine.phase === "starting") return Math.min(STARTING_MS, timing.pollIntervalMs);
  if (machine.phase === "closed" && view.refusals.count > 0) return Math.min(CONFIRM_MS, timing.pollIntervalMs);
  return timing.pollIntervalMs;
}

/** The pause between two polls of the stats, milliseconds; none are polled before the proxy is there. */
export function statsPauseMs({ machine, timing }: Situation): number {
  return machine.phase === "open" ? timing.pollIntervalMs * RARELY : timing.pollIntervalMs;
}
